import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openSandbox } from '../../src/command/sandbox/sandbox.ts';
import { createShelf } from '../../src/pipeline/programs.ts';
import { needs, sandbox } from '../support/needs.ts';
import { openWorld, type World } from './world.ts';

let world: World;
afterEach(() => world.close());

const isHammer = process.env.SEKISHO_HAMMER === '1';

test('the reply says what each step was and wrote', async () => {
  world = await openWorld({ files: { 'app.log': 'INFO a\nERROR b\nERROR c\nINFO d\n' } });

  const reply = await world.pipe("tail -n 3 app.log | rg ERROR | awk '{print $2}' | sort -u");

  const step = (command: string, size: number) => ({
    command,
    output_size: size,
    truncated: false,
    execution_time_ms: expect.any(Number),
    exit_code: 0,
  });
  expect(reply).toEqual({
    stdout: 'b\nc\n',
    meta: {
      steps: [
        step('tail -n 3 app.log', 23),
        step('rg ERROR', 16),
        step("awk '{print $2}'", 4),
        step('sort -u', 4),
      ],
      tee: null,
    },
  });
});

test('the steps count what was written whatever the programs do, errors left out', async () => {
  world = await openWorld({ files: { 'a.txt': 'x\n'.repeat(100_000) } });

  const reply = await world.pipe('awk \'{print "yy"}\' a.txt | sort | tr y z | tail -n 3 | wc -c');

  const sizes = reply.meta.steps.map((step: { output_size: number }) => step.output_size);
  expect(sizes.slice(0, 3)).toEqual([300_000, 300_000, 300_000]);
  expect(sizes.slice(3)).toEqual([9, 2]);
});

test('what sort puts aside for a while is no output of it', async () => {
  world = await openWorld({ files: { 'a.txt': 'b 12345\n'.repeat(1_000_000) } });

  const sizes = async (command: string) =>
    (await world.pipe(command)).meta.steps.map((step: { output_size: number }) => step.output_size);

  expect(await sizes('tail -n +1 a.txt | sort | wc -c')).toEqual([8_000_000, 8_000_000, 8]);
  // A last line without an end would be given one.
  const [, spilt] = await sizes('tail -n +1 a.txt | sort -S 1M | wc -c');
  expect(spilt - 8_000_000).toBeLessThanOrEqual(1);
  expect(await sizes('tail -n +1 a.txt | sort -u | wc -c')).toEqual([8_000_000, 8, 2]);
});

test('what each step wrote is counted behind walls too', needs(sandbox('bubblewrap')), async () => {
  world = await openWorld({ files: { 'a.txt': 'b\na\n' }, sandbox: 'required' });

  for (let count = 0; count < 3; count++) {
    const { meta } = await world.pipe('sort a.txt | tee s.txt | tr a-z A-Z | rg B | wc -l');
    expect(meta.steps.map((step: { output_size: number }) => step.output_size)).toEqual([4, 4, 4, 2, 2]);
  }
});

test('rg without a match is an empty success, and a stage that fails says which and why', async () => {
  world = await openWorld({ files: { 'a.txt': 'x\n', 'bad.json': '{' } });

  expect(await world.pipe('rg nothing a.txt')).toMatchObject({
    stdout: '',
    meta: { steps: [{ exit_code: 1 }] },
  });
  expect((await world.pipe('head -1 bad.json | jq .')).error).toMatchObject({
    code: 'STAGE_FAILED',
    stage: 2,
    command: 'jq .',
    exit_code: expect.any(Number),
    stderr: expect.stringContaining('parse error'),
  });
  expect((await world.pipe('head nothing.txt')).error).toMatchObject({
    code: 'STAGE_FAILED',
    stderr: 'head: nothing.txt: No such file or directory',
  });
});

test('a stage that has enough ends those before it', async () => {
  world = await openWorld();
  const mib = 1024 ** 2;
  const bytes = (isHammer ? 2048 : 128) * mib;
  const fd = openSync(join(world.root, 'big.log'), 'w');
  // A line of interest in each MiB; what lies between is a hole that costs no disk.
  const line = `\nERROR ${'x'.repeat(8000)}\n`;
  for (let at = 0; at < bytes; at += mib) writeSync(fd, line, at);
  ftruncateSync(fd, bytes);
  closeSync(fd);

  const reply = await world.pipe('tail -n +1 big.log | rg -a ERROR | head -1', { timeout_ms: 120_000 });

  expect(reply.stdout).toBe(line.slice(1));
  expect(reply.meta.steps[0].output_size).toBeLessThan(bytes / 2);
});

test('a reader that ends early stops an endless writer at once', async () => {
  world = await openWorld();

  const reply = await world.pipe(`awk 'BEGIN{while (1) print "y"}' | head -n 2`, { timeout_ms: 60_000 });

  expect(reply.stdout).toBe('y\ny\n');
  expect(reply.meta.steps[0].exit_code).not.toBe(137);
});

test('a pipeline that takes too long is stopped, and nothing of it is left', async () => {
  world = await openWorld();

  const { error } = await world.pipe(`awk -v mark=m${process.pid}t 'BEGIN{while (1) x++}' | wc -l`, {
    timeout_ms: 400,
  });

  expect(error).toMatchObject({ code: 'TIMEOUT' });
  expect(processesWith(`m${process.pid}t`)).toEqual([]);
});

test('a pipeline that is cancelled while its sandbox opens does not run', { timeout: 60_000 }, async () => {
  const stop = new AbortController();
  const { stages } = openSandbox({ roots: [], sandbox: 'off', serverEnvironment: process.env });
  const opening = () => {
    stop.abort();
    return stages();
  };
  world = await openWorld({ pipelines: { stages: opening } });

  const { error } = await world.pipe("awk 'BEGIN{while (1) x++}' | tee out.txt", {}, { signal: stop.signal });

  expect(error.code).toBe('cancelled');
});

test('a cancelled pipeline ends with every process of it, and writes nothing', async () => {
  world = await openWorld();
  const stop = new AbortController();
  const reply = world.pipe(
    `awk -v mark=m${process.pid}c 'BEGIN{while (1) x++}' | sort | tee out.txt`,
    {},
    { signal: stop.signal },
  );
  while (processesWith(`m${process.pid}c`).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 20));

  stop.abort();

  expect((await reply).error.code).toBe('cancelled');
  expect(processesWith(`m${process.pid}c`)).toEqual([]);
  expect(readdirSync(world.root)).toEqual([]);
});

test('a long output keeps its head and tail, and the rest is read by the cursor', async () => {
  const lines = Array.from({ length: 40_000 }, (_, index) => `行 ${index}`);
  world = await openWorld({ files: { 'a.txt': `${lines.join('\n')}\n` } });

  const reply = await world.pipe('tail -n +1 a.txt');

  expect(reply.truncated).toBe(true);
  expect(Buffer.byteLength(reply.stdout)).toBeLessThan(66 * 1024);
  expect(reply.stdout.startsWith('行 0\n行 1\n')).toBe(true);
  expect(reply.stdout.endsWith('行 39999\n')).toBe(true);
  expect(reply.stdout).toMatch(/\n\[… \d+ bytes cut …\]\n/);
  let whole = reply.stdout.split('[… ')[0];
  for (let cursor = reply.next_cursor; cursor; ) {
    const page = await world.pipe('anything', { cursor });
    whole += page.stdout;
    cursor = page.next_cursor;
  }
  expect(whole).toBe(`${lines.join('\n')}\n`);
  expect((await world.pipe('x', { cursor: reply.next_cursor }, { session: 'other' })).error.code).toBe(
    'not_found',
  );
});

test('an output without end is stopped at a bound', async () => {
  world = await openWorld();

  const reply = await world.pipe(
    `awk 'BEGIN{while (1) print "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"}'`,
    { timeout_ms: 120_000 },
  );

  expect(reply).toMatchObject({
    truncated: true,
    stdout: expect.stringContaining('the pipeline was stopped'),
  });
});

test('twenty sessions change folders at once, and none moves another', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`d${index}/sub/f${index}.txt`, 'x']),
  );
  world = await openWorld({ files });

  await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const as = { session: `s${index}` };
      expect(await world.pipe(`cd d${index}`, {}, as)).toMatchObject({ new_cwd: `d${index}` });
      expect(await world.pipe('cd sub', {}, as)).toMatchObject({ new_cwd: `d${index}/sub` });
      expect((await world.pipe('fd', {}, as)).stdout).toBe(`f${index}.txt\n`);
      expect((await world.pipe('pwd', {}, as)).stdout).toBe(`d${index}/sub\n`);
    }),
  );

  expect((await world.pipe('pwd')).stdout).toBe('.\n');
});

test('cwd wins for its call, cd alone goes to the root, and a folder that vanished falls back and says so', async () => {
  world = await openWorld({ files: { 'a/x.txt': 'x', 'b/y.txt': 'y' } });

  await world.pipe('cd a');
  expect((await world.pipe('ls', { cwd: 'b' })).stdout).toBe('y.txt\n');
  expect(await world.pipe('ls')).not.toHaveProperty('notice');
  expect((await world.pipe('cd ../b')).new_cwd).toBe('b');
  expect((await world.pipe('cd')).new_cwd).toBe('.');
  await world.pipe('cd a');
  rmSync(join(world.root, 'a'), { recursive: true });

  const reply = await world.pipe('ls');

  expect(reply.stdout).toBe('b\n');
  expect(reply.notice).toContain('a is gone; this ran in the root.');
  expect((await world.pipe('cd nowhere')).error.code).toBe('STAGE_FAILED');
  expect((await world.pipe('cd ..')).error.reason).toBe('PATH_ESCAPE');
});

test('a program that is missing is named with what installs it', async () => {
  world = await openWorld({
    files: { 'a.json': '{}' },
    pipelines: { shelf: createShelf({ folders: ['/nowhere'] }) },
  });

  expect((await world.pipe('jq . a.json')).error).toMatchObject({
    code: 'MISSING_BINARY',
    suggestion: expect.stringContaining('apt-get install jq'),
  });
  const shelf = await world.room().describe();
  expect(shelf.find((entry) => entry.name === 'rg')).toMatchObject({
    from: 'npm',
    version: expect.stringContaining('ripgrep'),
  });
  expect(shelf.find((entry) => entry.name === 'jq')).toMatchObject({
    from: 'missing',
    remedy: 'apt-get install jq',
  });
});

test('fd lists names as fd does', async () => {
  world = await openWorld({
    files: {
      '.gitignore': 'skip\n',
      'src/a.ts': '',
      'src/b.test.ts': 'x',
      'skip/c.ts': '',
      '.hid/d.ts': 'x',
      'README.md': 'x',
      'src/deep/Er.tsx': 'x',
    },
  });
  mkdirSync(join(world.root, '.git'));
  const fd = async (args: string) => (await world.pipe(`fd ${args}`)).stdout.split('\n').filter(Boolean);

  expect(await fd('')).toEqual([
    'README.md',
    'src/',
    'src/a.ts',
    'src/b.test.ts',
    'src/deep/',
    'src/deep/Er.tsx',
  ]);
  expect(await fd('-e ts')).toEqual(['src/a.ts', 'src/b.test.ts']);
  expect(await fd("'\\.tsx?$'")).toEqual(['src/a.ts', 'src/b.test.ts', 'src/deep/Er.tsx']);
  expect(await fd('-t d')).toEqual(['src/', 'src/deep/']);
  expect(await fd('-t f -d 1')).toEqual(['README.md']);
  expect(await fd('er')).toEqual(['src/deep/Er.tsx']);
  expect(await fd('-s er')).toEqual([]);
  expect(await fd("-g '*.{ts,md}'")).toEqual(['README.md', 'src/a.ts', 'src/b.test.ts']);
  expect(await fd('-HI -e ts')).toEqual(['.hid/d.ts', 'skip/c.ts', 'src/a.ts', 'src/b.test.ts']);
  expect(await fd('-p src/.*b')).toEqual(['src/b.test.ts']);
  expect(await fd('. src -t e')).toEqual(['src/a.ts']);
  expect(await fd("-E '*.test.ts' -e ts")).toEqual(['src/a.ts']);
  expect(await fd('-1 -e ts')).toEqual(['src/a.ts']);
  expect((await world.pipe("fd '('")).error).toMatchObject({
    code: 'STAGE_FAILED',
    suggestion: expect.stringContaining('fd -g'),
  });
});

test('fd tells folders that hold nothing listed, and links without following them', async () => {
  world = await openWorld({
    files: { 'a/x.ts': 'x', 'a/b/y.ts': 'x', '.gitignore': 'gone\n*.log\n!keep.log\n' },
  });
  mkdirSync(join(world.root, '.git'));
  mkdirSync(join(world.root, 'empty'));
  mkdirSync(join(world.root, 'gone'));
  mkdirSync(join(world.root, 'only-ignored'));
  writeFileSync(join(world.root, 'only-ignored/z.log'), '');
  writeFileSync(join(world.root, 'keep.log'), '');
  symlinkSync('a', join(world.root, 'to-folder'));
  symlinkSync('a/x.ts', join(world.root, 'to-file'));
  symlinkSync('/etc', join(world.root, 'out'));
  const fd = async (args: string) => (await world.pipe(`fd ${args}`)).stdout.split('\n').filter(Boolean);

  expect(await fd('')).toEqual([
    'a/',
    'a/b/',
    'a/b/y.ts',
    'a/x.ts',
    'empty/',
    'keep.log',
    'only-ignored/',
    'out',
    'to-file',
    'to-folder',
  ]);
  expect(await fd('-t l')).toEqual(['out', 'to-file', 'to-folder']);
  expect(await fd('-t e')).toEqual(['empty/', 'keep.log']);
  expect(await fd('-t f -I -e log')).toEqual(['keep.log', 'only-ignored/z.log']);
  expect(await fd('y a')).toEqual(['a/b/y.ts']);
  // A star stays within a name; two cross folders.
  expect(await fd("-p -g 'a/*.ts'")).toEqual(['a/x.ts']);
  expect(await fd("-p -g 'a/**/*.ts'")).toEqual(['a/b/y.ts', 'a/x.ts']);
  expect(await fd("-p -g '**/y.{ts,js}'")).toEqual(['a/b/y.ts']);
});

/** Command lines of living processes that hold a mark. */
function processesWith(mark: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
        return line.includes(mark) && !line.includes('vitest') ? [line] : [];
      } catch {
        return [];
      }
    });
}
