import { expect, test } from 'vitest';
import { hostileLines } from '../../bench/walls/lines.ts';
import { programs } from '../../bench/walls/programs/programs.ts';
import { sampleOf } from '../../bench/walls/programs/random.ts';
import { tryWalls } from '../../bench/walls/walls.ts';
import { needs, sandbox } from '../support/needs.ts';

/** While it ran in the background, the files beside its root once got links. */
const leaving = programs(1, 20261450);

test(
  'a few hostile lines and generated programs do no harm unread',
  needs(sandbox('bubblewrap')),
  async () => {
    const wiping = hostileLines().filter(({ script }) => /rm -rf|gc -q|clean -fdx/.test(script));
    const attempts = [...sampleOf(wiping, 4, 2), ...programs(3, 10), ...leaving];

    const { faults, ran, asked, refused } = await tryWalls(attempts);

    expect(faults).toEqual([]);
    expect(ran + asked + refused).toBe(attempts.length);
  },
);
