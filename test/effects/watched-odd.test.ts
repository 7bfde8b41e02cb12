import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openKernel } from '../../src/command/seccomp/kernel.ts';
import { lackOfLayers } from '../command/working-layers.ts';
import { onSmallDisk } from '../records/small-disk.ts';
import { needs, programs, superuser } from '../support/needs.ts';
import { openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { runIn, takeBack, tree } from './layer-world.ts';

type World = Awaited<ReturnType<typeof openTestCheckpoint>>;

const direct = { flags: { profile: 'coding' }, config: { process: { layer: 'off' } } } as const;

/** Rewrites, replaces and makes files while a signal comes every 50 µs; says how often each call had to be made. */
const alarmed = `
import os, signal
signal.signal(signal.SIGALRM, lambda *_: None)
signal.siginterrupt(signal.SIGALRM, False)
signal.setitimer(signal.ITIMER_REAL, .00005, .00005)
for n in range(200):
    name = f'data/{n % 8}.csv'
    os.close(os.open(f'n{n}', os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    os.rename(f'n{n}', name) if n % 2 else os.unlink(name)
    if not n % 2: os.rename(f'n{n}', name)
signal.setitimer(signal.ITIMER_REAL, 0)
print(len(os.listdir('data')), 'files')
`;

const lackOfLoops = spawnSync('losetup', ['--find']).status === 0 ? undefined : 'no loop devices';

/** Odd ways to a file. */
const ways: readonly (readonly [title: string, script: string])[] = [
  [
    'by a file that it has open for reading',
    'exec 5< data/1.csv; echo X > /proc/self/fd/5; exec 6< data/2.csv; : > /dev/fd/6',
  ],
  ['by its output', 'python3 -c "import os; os.truncate(\'/dev/stdout\', 0)" >> data/1.csv'],
  ['while signals come every 50 µs', `python3 -c "${alarmed}"`],
  [
    'by a second name that it makes',
    'ln data/1.csv other; echo X > other; ln data/2.csv more; rm data/2.csv; : > more',
  ],
  ['by a pipe', 'mkfifo p; cat p > data/1.csv & cat data/2.csv > p; wait; rm p data/2.csv'],
  [
    'by descriptors of a folder',
    "python3 -c \"import os; d = os.open('data', 0); os.unlink('1.csv', dir_fd=d); os.close(os.open('2.csv', os.O_TRUNC | os.O_WRONLY, dir_fd=d))\"",
  ],
];

/** Links of /proc to its own folders and files, which are not those of the server that makes the calls. */
const links = [
  ': > /proc/self/cwd/data/1.csv',
  'echo X > "/proc/self/root$PWD/data/1.csv"',
  'echo X >> "/proc/thread-self/root$PWD/data/1.csv"',
  'rm /proc/self/cwd/data/1.csv; mv /proc/thread-self/cwd/data/2.csv data/3.csv',
  '(exec 7< data; cd /; rm /proc/self/fd/7/1.csv; : > /dev/fd/7/2.csv)',
  'echo X > /proc/$$/cwd/data/1.csv; rm /proc/$$/task/$$/cwd/data/2.csv',
  'ln -s /proc/self/cwd/data d; echo X > d/1.csv; rm d/../data/2.csv d',
  'ln -s /proc/self p; echo X > p/cwd/data/1.csv; rm p',
  '(cd /proc; echo X > "self/root$OLDPWD/data/1.csv")',
  "python3 -c \"import os; open(f'/proc/{os.getppid()}/cwd/data/1.csv', 'w')\"",
];

describe('What a command on the folders themselves destroys', needs(lackOfLayers), () => {
  let world: World;

  beforeEach(async () => {
    world = await openTestCheckpoint(direct);
    mkdirSync(join(world.root, 'data'));
    for (let n = 0; n < 8; n++)
      writeFileSync(join(world.root, `data/${n}.csv`), `row ${n} of what nothing else has\n`);
  });
  afterEach(() => world.close());

  test.each(ways)('%s is taken back byte for byte', async (_, script) => {
    const before = tree(world.root);
    const { auditId, stderr, exit_code } = await runIn(world, script);
    expect({ stderr, exit_code }).toEqual({ stderr: '', exit_code: 0 });
    expect(tree(world.root)['data/1.csv']).not.toBe(before['data/1.csv']);
    expect(await takeBack(world, auditId)).toEqual([]);
    expect(tree(world.root)).toEqual(before);
  });

  test.each(links)('by a link in /proc is taken back: %s', async (script) => {
    const before = tree(world.root);
    const { auditId, stderr, exit_code } = await runIn(world, script);
    expect({ stderr, exit_code }).toEqual({ stderr: '', exit_code: 0 });
    expect(tree(world.root)['data/1.csv']).not.toBe(before['data/1.csv']);
    expect(await takeBack(world, auditId)).toEqual([]);
    expect(tree(world.root)).toEqual(before);
  });

  test('takes `self` in /proc for itself, from within /proc as well', async () => {
    const name = readFileSync('/proc/self/comm', 'latin1');
    const { stdout } = await runIn(
      world,
      'cd /proc; printf mine > self/comm; cat $$/comm; ls -l self/fd/1 > /dev/null; cat thread-self/comm',
    );
    expect(stdout).toBe('mine\ncat\n');
    expect(readFileSync('/proc/self/comm', 'latin1')).toBe(name);
  });

  test('arrives at its own descriptors while signals reach each thread of the server', async () => {
    const { syscall } = await openKernel();
    const ignore = () => undefined;
    process.on('SIGWINCH', ignore);
    const signalling = setInterval(() => {
      for (const thread of readdirSync('/proc/self/task').map(Number))
        if (thread !== process.pid) syscall('tgkill', process.pid, thread, 28);
    }, 0);
    try {
      const { stderr, exit_code } = await runIn(
        world,
        "python3 -c \"for n in range(3000): open(f'n{n}', 'w').write(str(n))\"",
      );
      expect({ stderr, exit_code }).toEqual({ stderr: '', exit_code: 0 });
    } finally {
      clearInterval(signalling);
      process.off('SIGWINCH', ignore);
    }
    for (let n = 0; n < 3000; n++) expect(readFileSync(join(world.root, `n${n}`), 'utf8')).toBe(String(n));
  });
});

test('What is kept is out of reach of the command that it is kept of', async () => {
  await using world = await openTestCheckpoint({ ...direct, flags: { profile: 'coding', sandbox: 'off' } });
  writeFileSync(join(world.root, 'a.txt'), 'what nothing else has\n');
  const before = tree(world.root);
  const { auditId, stderr } = await runIn(
    world,
    `rm a.txt; find ${join(world.folder, 'state')} -path '*/watched-*/*' -exec rm -rf {} + ; true`,
  );
  expect(stderr).toContain('Permission denied');
  expect(await takeBack(world, auditId)).toEqual([]);
  expect(tree(world.root)).toEqual(before);
});

/** Most file systems take a while until they give a number again; ext4 with a journal takes the first that is free. */
test('A file with a number that a file of the command had is kept as another one', {
  ...needs(lackOfLayers, superuser(), programs('mkfs.ext4'), lackOfLoops),
}, async () => {
  const base = mkdtempSync(join(tmpdir(), 'sekisho-odd-'));
  const root = join(base, 'root');
  mkdirSync(root);
  const disk = join(base, 'disk');
  writeFileSync(disk, '');
  truncateSync(disk, 64_000_000);
  execFileSync('mkfs.ext4', ['-q', disk]);
  execFileSync('mount', ['-o', 'loop', disk, root]);
  try {
    await using world = await openTestCheckpoint({ ...direct, flags: { profile: 'coding', root } });
    const [theirs, ready] = [join(root, 'theirs.txt'), join(root, 'ready')];
    const running = runIn(
      world,
      'echo mine > m; stat -c %i m > number; rm m; mv number ready; while [ ! -e theirs.txt ]; do sleep 0.05; done; echo X > theirs.txt',
    );
    await expect.poll(() => existsSync(ready)).toBe(true);
    writeFileSync(theirs, 'of a person\n');
    expect(statSync(theirs).ino).toBe(Number(readFileSync(ready, 'utf8')));
    const { auditId } = await running;
    expect(readFileSync(theirs, 'utf8')).toBe('X\n');
    expect(await takeBack(world, auditId)).toEqual([]);
    expect(readFileSync(theirs, 'utf8')).toBe('of a person\n');
  } finally {
    execFileSync('umount', ['-l', root]);
    rmSync(base, { recursive: true });
  }
});

test('Without room to keep a content it is not destroyed', needs(superuser()), async () => {
  const base = mkdtempSync(join(tmpdir(), 'sekisho-odd-'));
  const [root, state] = [join(base, 'root'), join(base, 'state')];
  for (const folder of [root, state]) mkdirSync(folder);
  for (let n = 0; n < 9; n++) writeFileSync(join(root, `${n}.bin`), Buffer.alloc(300_000, n));
  const before = tree(root);
  await onSmallDisk(state, async (disk) => {
    await using world = await openTestCheckpoint({
      ...direct,
      flags: { profile: 'coding', root, state, sandbox: 'off' },
    });
    const until = (name: string) => `while [ ! -e ${name} ]; do sleep 0.05; done`;
    const running = world.call('bash', {
      command: `: > ready; ${until('go')}; for f in *.bin; do : > $f; rm -f $f; done; ${until('over')}; exit 0`,
    });
    await expect.poll(() => readdirSync(root)).toContain('ready');
    disk.fill();
    writeFileSync(join(root, 'go'), '');
    await expect.poll(() => readdirSync(root)).toContain('go');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    disk.free();
    writeFileSync(join(root, 'over'), '');
    expect(outputOf(await running).stderr).toContain('No space left on device');
  });
  for (const name of ['ready', 'go', 'over']) rmSync(join(root, name));
  expect(tree(root)).toEqual(before);
  rmSync(base, { recursive: true });
});
