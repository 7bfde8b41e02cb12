import { execFile } from 'node:child_process';
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atMost, median, medians, type Row, timed, within } from '../measure.ts';
import { assertHolds, openOurs, type RawClient } from '../world.ts';

const run = promisify(execFile);

/** What commands cost beside what they do themselves: it grows with the change, and not with the folder. */
export const rows: readonly Row[] = [
  {
    name: 'run-true-100k',
    async run() {
      const [large, empty] = [await openOurs(), await openOurs()];
      plant(large.root, 100_000);
      const inLarge = () => large.ours.call('shell_exec', { command: 'true' });
      const inEmpty = () => empty.ours.call('shell_exec', { command: 'true' });
      for (const call of [inLarge, inEmpty]) assertHolds(await call(), '"exitCode":0');
      const besideSpawn = await medians(60, inLarge, () => run('true'));
      const besideEmpty = await medians(60, inLarge, inEmpty);
      await Promise.all([large.close(), empty.close()]);
      return [
        atMost('run `true` in a folder of 100,000 files', 'a bare spawn', 3, besideSpawn),
        atMost('the same', 'in an empty folder', 1.15, besideEmpty),
      ];
    },
  },
  {
    name: 'write-1000',
    async run() {
      const world = await openOurs();
      const command = 'mkdir -p out; for i in $(seq 1000); do echo $RANDOM >out/$i; done';
      const ours = () => world.ours.call('shell_exec', { command });
      assertHolds(await ours(), '"exitCode":0');
      const values = await medians(10, ours, () => run('bash', ['-c', command], { cwd: world.folder }));
      await world.close();
      return [atMost('a command that rewrites 1,000 files, each kept for undo', 'a plain run', 3, values)];
    },
  },
  {
    name: 'install-20k',
    async run() {
      const world = await openOurs();
      const source = join(world.folder, 'source');
      mkdirSync(source);
      // As large as the files of packages are in the middle, and packed as packages are.
      plant(source, 20_000, 4096);
      const archive = join(world.folder, 'package.tgz');
      await run('tar', ['--hard-dereference', '-czf', archive, '-C', source, '.']);
      await run('cp', [archive, world.root]);
      const times: { landing: number; own: number; plain: number }[] = [];
      for (let round = 0; round < 4; round++) {
        const folder = `node_modules/made-${round}`;
        const command = `mkdir -p ${folder} && tar xzf package.tgz -C ${folder} && date +%s%N`;
        const { own, landing } = await installed(world.ours, command);
        const plain = await timed(() => run('bash', ['-c', command], { cwd: world.folder }));
        // The first of them also fills the caches of the disk.
        if (round > 0) times.push({ own, landing, plain });
      }
      await world.close();
      const middle = (of: 'landing' | 'own' | 'plain') => median(times.map((each) => each[of]));
      return [
        atMost('install 20,000 files into node_modules, until the command has ended', 'a plain run', 1.15, {
          ours: middle('own'),
          theirs: middle('plain'),
        }),
        within('from there until they are in place, and the reply has come', 1000, middle('landing')),
      ];
    },
  },
];

/** What an installation took until its command ended, by its own clock, and from there until the reply came. */
async function installed(ours: RawClient, command: string): Promise<{ own: number; landing: number }> {
  const startedMs = Date.now();
  const result = await ours.call('shell_exec', { command });
  const [, nanoseconds = ''] = /"stdout":"(\d{19})/.exec(JSON.stringify(result).replaceAll('\\"', '"')) ?? [];
  if (nanoseconds === '') throw new Error(`the answer is wrong: ${JSON.stringify(result).slice(0, 200)}`);
  const endedMs = Number(nanoseconds) / 1e6;
  return { own: endedMs - startedMs, landing: Date.now() - endedMs };
}

/** A hundred in each folder: names of one file, which is soon made. */
function plant(root: string, files: number, bytes = 1): void {
  for (let folder = 0; folder < files / 100; folder++) {
    const path = join(root, `folder-${folder}`);
    mkdirSync(path);
    writeFileSync(join(path, '0.txt'), wordsOf(folder).slice(0, bytes));
    for (let at = 1; at < 100; at++) linkSync(join(path, '0.txt'), join(path, `${at}.txt`));
  }
}

/** Text that packs as well as code does. */
function wordsOf(seed: number): string {
  return Array.from(
    { length: 200 },
    (_, line) => `export const value${line} = call${(line * 7919 + seed * 104_729) % 9973}();`,
  ).join('\n');
}
