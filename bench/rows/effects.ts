import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atMost, medians, type Row } from '../measure.ts';
import { assertHolds, openOurs } from '../world.ts';

const run = promisify(execFile);

const onLayer = { config: { process: { layer: 'auto' } } } as const;

/** What commands cost beside what they do themselves: it grows with the change, and not with the folder. */
export const rows: readonly Row[] = [
  {
    name: 'run-true-100k',
    async run() {
      const [large, empty] = [await openOurs(onLayer), await openOurs(onLayer)];
      plant(large.root, 100_000);
      const inLarge = () => large.ours.call('shell_exec', { command: 'true' });
      const inEmpty = () => empty.ours.call('shell_exec', { command: 'true' });
      for (const call of [inLarge, inEmpty]) assertHolds(await call(), '"exitCode":0');
      const besideSpawn = await medians(60, inLarge, () => run('true'));
      const besideEmpty = await medians(60, inLarge, inEmpty);
      await Promise.all([large.close(), empty.close()]);
      return [
        atMost('run `true` in a folder of 100,000 files', 'a bare spawn', 3, besideSpawn),
        atMost('run `true` in a folder of 100,000 files', 'the same in an empty one', 1.15, besideEmpty),
      ];
    },
  },
  {
    name: 'write-1000',
    async run() {
      const world = await openOurs(onLayer);
      const command = 'mkdir -p out; for i in $(seq 1000); do echo $RANDOM >out/$i; done';
      const ours = () => world.ours.call('shell_exec', { command });
      assertHolds(await ours(), '"exitCode":0');
      const values = await medians(10, ours, () => run('bash', ['-c', command], { cwd: world.folder }));
      await world.close();
      return [atMost('a command that writes 1,000 files, recorded', 'a plain run', 3, values)];
    },
  },
  {
    name: 'install-20k',
    async run() {
      const world = await openOurs(onLayer);
      const source = join(world.folder, 'source');
      mkdirSync(source);
      plant(source, 20_000);
      await run('tar', ['cf', join(world.root, 'package.tar'), '-C', source, '.']);
      await run('cp', [join(world.root, 'package.tar'), world.folder]);
      const command = 'mkdir -p node_modules/made && tar xf package.tar -C node_modules/made';
      const remove = (folder: string) =>
        rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
      const ours = async () => {
        remove(world.root);
        return world.ours.call('shell_exec', { command });
      };
      assertHolds(await ours(), '"exitCode":0');
      const values = await medians(5, ours, async () => {
        remove(world.folder);
        return run('bash', ['-c', command], { cwd: world.folder });
      });
      await world.close();
      return [atMost('install 20,000 files into node_modules', 'a plain run', 1.15, values)];
    },
  },
];

function plant(root: string, files: number): void {
  for (let at = 0; at < files; at++) {
    if (at % 100 === 0) mkdirSync(join(root, `folder-${at / 100}`));
    writeFileSync(join(root, `folder-${Math.floor(at / 100)}`, `${at}.txt`), `${at}\n`);
  }
}
