import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { needs } from '../support/needs.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';
import { differing, onLayer, runIn, tree } from './layer-world.ts';

const commands = Number(process.env.SEKISHO_RUNS ?? 60);
const seed = Number(process.env.SEKISHO_SEED ?? 20_261_129);

const planted =
  'mkdir -p d/e k; echo a > a; echo b > b; echo x > d/x; echo y > d/e/y; echo k > k/k; ln -s a l; chmod 600 b; chmod 750 k';
const path = fc.constantFrom('a', 'b', 'l', 'n', 'd/x', 'd/n', 'd/e/y', 'k/k', 'k/n', '"s p"', '日本');
const folder = fc.constantFrom('d', 'd/e', 'k', 'n', 'new');
const step = fc.oneof(
  fc.tuple(path, fc.constantFrom('>', '>>')).map(([to, how]) => `echo words ${how} ${to}`),
  path.map((at) => `rm -f ${at}`),
  path.map((at) => `sed -i s/o/0/ ${at}`),
  fc.tuple(path, path).map(([from, to]) => `mv ${from} ${to}`),
  fc.tuple(path, path).map(([from, to]) => `cp -p ${from} ${to}`),
  fc.tuple(path, path).map(([from, to]) => `ln -f ${from} ${to}`),
  fc.tuple(path, fc.constantFrom('600', '644', '755', '444')).map(([at, mode]) => `chmod ${mode} ${at}`),
  fc.tuple(folder, fc.constantFrom('700', '755', '1777', '2775')).map(([at, mode]) => `chmod ${mode} ${at}`),
  folder.map((at) => `mkdir -p ${at}/in && echo i > ${at}/in/i`),
  folder.map((at) => `rm -rf ${at}`),
  fc.tuple(folder, folder).map(([from, to]) => `cp -a ${from} copy-${to.replaceAll('/', '-')}`),
  path.map((at) => `python3 -c "open('''${at.replaceAll('"', '')}''', 'a').write('p')"`),
  fc.constantFrom('false', 'exit 3', 'for i in 1 2 3; do echo $i > f$i; done', '(cd d && echo in > in)'),
  fc.oneof(path, folder).map((at) => `touch -c -d @1100000000 ${at}`),
);

describe('generated commands beside a plain shell', needs(lackOfLayers), () => {
  const plain = realpathSync(mkdtempSync('/var/tmp/sekisho-plain-'));
  let world: Awaited<ReturnType<typeof openTestCheckpoint>>;

  beforeAll(async () => {
    world = await openTestCheckpoint(onLayer);
  });
  afterAll(async () => {
    await world.close();
    rmSync(plain, { recursive: true, force: true });
  });

  test(`${commands} of seed ${seed}: each runs once, leaves what a shell leaves, and is told nothing`, async () => {
    let at = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        at += 1;
        const folders = [plain, world.root].map((each) => join(each, `t${at}`));
        for (const each of folders) {
          mkdirSync(each);
          execFileSync('bash', ['-c', planted], { cwd: each });
        }
        const [there = '', ours = ''] = folders;
        const script = steps.join('\n');
        // A time that is set last is the one that stays.
        const dated = /touch -c -d @\d+ (\S+)$/.exec(script)?.[1];
        let code = 0;
        try {
          const plainly = ['--dev-bind', '/', '/', '--cap-drop', 'ALL', 'bash', '--norc', '--noprofile'];
          execFileSync('bwrap', [...plainly, '-c', script], { cwd: there, stdio: 'pipe' });
        } catch (error) {
          code = (error as { status: number }).status;
        }
        const ran = await runIn(world, `echo ${at} >> ~/times; (cd ${ours}; ${script}\n)`);
        const notes = ran.stderr.split('\n').filter((line) => line.startsWith('['));
        expect({ script, code: ran.exit_code, notes }).toEqual({ script, code, notes: [] });
        expect({ script, differing: differing(tree(there), tree(ours)) }).toEqual({ script, differing: [] });
        const timeOf = (each: string) =>
          dated && statSync(join(each, dated), { throwIfNoEntry: false })?.mtimeMs;
        // It is not set where the script ends before.
        if (timeOf(there) === 1_100_000_000_000)
          expect({ script, time: timeOf(ours) }).toEqual({ script, time: timeOf(there) });
      }),
      { numRuns: commands, seed, endOnFailure: true },
    );
    const { stdout } = await runIn(world, 'cat ~/times');
    expect(stdout.trim().split('\n').map(Number)).toEqual(Array.from({ length: at }, (_, n) => n + 1));
  }, 3_600_000);
});
