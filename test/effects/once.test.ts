import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lackOfLayers } from '../command/working-layers.ts';
import { needs } from '../support/needs.ts';
import { openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { onLayer, plantRepository, runIn } from './layer-world.ts';

const waiting = 'until grep -q go sign; do sleep 0.05; done';

type World = Awaited<ReturnType<typeof openTestCheckpoint>>;

describe('a command on a layer runs once', needs(lackOfLayers), () => {
  let world: World;
  const at = (path: string) => join(world.root, path);
  const counted = async (command: string) => {
    const ran = await runIn(world, `echo run >> ~/times; ${command}`);
    const { stdout } = await runIn(world, 'wc -l < ~/times; rm ~/times');
    return { ...ran, times: Number(stdout) };
  };

  beforeAll(async () => {
    world = await openTestCheckpoint(onLayer);
    plantRepository(world.root);
    execFileSync('git', ['-C', world.root, 'tag', 'v1']);
  });
  afterAll(() => world.close());

  test.each([
    'git branch -m side side2; git branch -m side2 side',
    'mv a.txt b.txt; mv b.txt a.txt; mv d1/x .; mv x d1/',
    'mv loose.txt other; echo more >> other; mv other loose.txt',
    'for i in $(seq 30); do echo $i > f$i; done',
    'for i in $(seq 30); do mv f$i g$i; done',
    'ln g1 g1-too; ln d1/x linked; rm g1; mv g2 g3',
    'mkdir deep; mv g4 deep/; mv deep/g4 g4; mv g5 deep/g6',
    'git mv a.txt c.txt; git commit -qm moved; git stash -q -u; git stash pop -q; git tag -d v1',
    'git stash -q -u; git checkout -q side; git checkout -q main; git rebase -q side; git gc -q; git stash pop -q',
    "sed -i s/o/0/ loose.txt; python3 -c \"import os; os.rename('g7', 'g8')\"",
  ])('%s', async (command) => {
    expect(await counted(command)).toMatchObject({ exit_code: 0, stderr: '', times: 1 });
  });

  test('what others removed meanwhile is told as that, and not as overwritten', async () => {
    mkdirSync(at('theirs'));
    writeFileSync(at('sign'), '');
    for (const name of ['a', 'b']) writeFileSync(at(`theirs/${name}`), 'of somebody\n');
    const slow = runIn(world, `echo more >> theirs/a; ${waiting}`);
    await until(() => layers(world).some((upper) => existsSync(join(upper, 'theirs/a'))));
    rmSync(at('theirs/a'));
    writeFileSync(at('sign'), 'go');
    const { stderr } = await slow;
    expect(stderr).toBe(
      '[layer: written in a folder that others changed meanwhile, where they may have removed it: theirs/a]\n',
    );
    expect(readFileSync(at('theirs/a'), 'utf8')).toBe('of somebody\nmore\n');
  });

  test('is not run again for another git where it wrote outside of its layer, and says so where it is', async () => {
    const meets = async (command: string, tag: string) => {
      writeFileSync(at('sign'), '');
      const slow = runIn(world, `${command}; git tag ${tag}; ${waiting}`);
      await until(() => layers(world).some((upper) => existsSync(join(upper, '.git/refs/tags', tag))));
      execFileSync('git', ['-C', world.root, 'tag', tag, 'HEAD~1'], { stdio: 'pipe' });
      writeFileSync(at('sign'), 'go');
      return (await slow).stderr;
    };
    const once = await meets('echo run >> ~/times', 'one');
    expect(once).toContain('they stay as it left them: .git/refs/tags/one');
    expect(once).not.toContain('run again');
    expect((await runIn(world, 'cat ~/times')).stdout).toBe('run\n');
    expect(await meets('true', 'two')).toContain(
      '[layer: run again, and nothing of the run before was kept: another git changed .git/refs/tags/two while it ran]',
    );
  });

  test('as the first of its session it leaves a file that others have open in place', async () => {
    writeFileSync(at('app.duckdb'), 'v1');
    const { ino } = statSync(at('app.duckdb'));
    const holder = openSync(at('app.duckdb'), 'r+');
    try {
      const reply = await world.call(
        'bash',
        { command: 'echo v2 >> app.duckdb' },
        { arrival: { transport: 'stdio', connectionId: 'fresh' } },
      );
      expect(outputOf(reply)).toMatchObject({ stderr: expect.stringContaining('run again') });
      expect(readFileSync(at('app.duckdb'), 'utf8')).toBe('v1v2\n');
      expect(statSync(at('app.duckdb')).ino).toBe(ino);
    } finally {
      closeSync(holder);
    }
  });

  test('names that are no UTF-8 are shown, removed and moved like others', async () => {
    const name = Buffer.from([0x93, 0xfa, 0x96, 0x7b]);
    for (let n = 0; n < 5; n++)
      writeFileSync(
        Buffer.concat([Buffer.from(`${at('d1')}/`), name, Buffer.from(`${n}.txt`)]),
        `words ${n}\n`,
      );
    const shown = await runIn(world, "cd d1; rm $'\\x93\\xfa\\x96\\x7b'0.txt; touch $'\\x93\\xfa'; cd ..", {
      dry_run: true,
    });
    expect(shown).toMatchObject({ exit_code: 0 });
    expect(JSON.stringify(shown)).toContain('0.txt');
    expect(
      await runIn(world, "mv d1/$'\\x93\\xfa\\x96\\x7b'1.txt d1/plain; mkdir d1/$'\\xff'"),
    ).toMatchObject({
      exit_code: 0,
      stderr: '',
    });
    expect(readFileSync(at('d1/plain'), 'utf8')).toBe('words 1\n');
    await runIn(world, "rm d1/$'\\x93\\xfa'*");
    const left = readdirSync(at('d1'), { encoding: 'latin1' as BufferEncoding }) as string[];
    expect(left.toSorted()).toEqual(['d2', 'plain', 'x', 'z', '\xff']);
  });
});

/** What the commands that run now wrote so far. */
function layers(world: World): readonly string[] {
  const base = join(world.folder, 'state/layers');
  return existsSync(base)
    ? readdirSync(base)
        .filter((name) => name.startsWith('layer-'))
        .map((name) => join(base, name, '0/upper'))
    : [];
}

async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!holds() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5));
}
