import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { needs } from '../support/needs.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';
import { onLayer, tree } from './layer-world.ts';

type World = Awaited<ReturnType<typeof openTestCheckpoint>>;

const wipe = 'python3 wipe.py';

describe('A command that deletes what nothing else keeps', needs(lackOfLayers), () => {
  let world: World;

  beforeAll(async () => {
    const files: Record<string, string> = {
      'wipe.py': 'import glob, os\n[os.remove(path) for path in glob.glob("data/*")]\n',
    };
    for (let n = 0; n < 60; n++) files[`data/${n}.csv`] = `row ${n}\n`;
    world = await openTestCheckpoint({ ...onLayer, files, config: { approval: { waitMs: 300 } } });
    mkdirSync(join(world.root, 'other'));
    writeFileSync(join(world.root, 'other/f'), 'f');
  });
  afterAll(() => world.close());

  test.each([
    `${wipe}; : x --watch`,
    `${wipe}; echo vite; echo tsc -w`,
    `${wipe} # npm run dev`,
    `echo "make serve"; ${wipe}`,
    `A='tail -f' ${wipe}`,
    `cat <<'X'\nnpx nodemon\nX\n${wipe}`,
    'mv other other2; rm data/*',
    'mv other other2 && rm -r data',
    'git worktree list; rm data/*',
    `mv other other2; ${wipe}`,
  ])('is asked about whatever else its line says: %s', async (command) => {
    const before = tree(world.root);
    const asked: string[] = [];
    await world.call(
      'bash',
      { command },
      {
        elicit: async ({ message }) => {
          asked.push(message);
          return { action: 'decline' as const };
        },
      },
    );
    expect(asked).toHaveLength(1);
    expect(readdirSync(join(world.root, 'data'))).toHaveLength(60);
    expect(tree(world.root)).toEqual(before);
  });
});
