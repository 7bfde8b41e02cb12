import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { needs } from '../support/needs.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';
import { onLayer, runIn, tree } from './layer-world.ts';

type World = Awaited<ReturnType<typeof openTestCheckpoint>>;

const planted = `mkdir -p there group own shut/sub; chmod 2775 own; echo a > there/f; echo b > group/f; echo c > shut/sub/f
chgrp 65534 group 2> /dev/null; chmod 2775 group; chmod 555 shut/sub shut; touch -d @1000000000 there group`;

/** Each with the paths whose times it sets. */
const scripts: readonly (readonly [string, ...string[]])[] = [
  [
    'chmod 1777 there there/f; chmod g-s own; mkdir -m 3775 new; mkdir -m 1770 new/inner; echo n > new/inner/f',
  ],
  ['chmod 700 there; chmod 600 there/f'],
  [
    'touch -d @1100000000 there/f there group; mkdir when; touch -d @1200000000 when',
    'there/f',
    'there',
    'group',
    'when',
  ],
  ['mkdir -p group/inner/deep; echo i > group/inner/deep/f'],
  ['mv shut shut2; python3 -c 1'],
];

describe('what a command gives files and folders beside their content', needs(lackOfLayers), () => {
  const plain = realpathSync(mkdtempSync('/var/tmp/sekisho-plain-'));
  let world: World;

  beforeAll(async () => {
    world = await openTestCheckpoint(onLayer);
  });
  afterAll(async () => {
    for (const folder of [plain, world.root]) execFileSync('chmod', ['-R', 'u+rwX', folder]);
    await world.close();
    rmSync(plain, { recursive: true, force: true });
  });

  test.each(scripts.map(([script, ...timed], at) => ({ script, timed, at })))(
    'is as a shell leaves it: $script',
    async ({ script, timed, at }) => {
      const folders = [plain, world.root].map((each) => join(each, `t${at}`));
      for (const folder of folders) {
        mkdirSync(folder);
        execFileSync('bash', ['-c', planted], { cwd: folder });
      }
      const [there = '', ours = ''] = folders;
      execFileSync('bash', ['-c', script], { cwd: there });
      const { exit_code, stderr } = await runIn(world, `(cd ${ours}; ${script})`);
      expect([exit_code, stderr.replace(/^\[.*\]\n/gm, '')]).toEqual([0, '']);
      const seen = (folder: string) => ({
        tree: tree(folder),
        groups: Object.keys(tree(folder)).map((path) => [path, lstatSync(join(folder, path)).gid]),
        times: timed.map((path) => lstatSync(join(folder, path)).mtimeMs),
      });
      expect(seen(ours)).toEqual(seen(there));
    },
  );
});
