import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, existsSync, linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { ProgramName, StageArgument } from '../../src/contract/capabilities/pipeline.ts';
import { createShelf, type Shelf } from '../../src/pipeline/programs.ts';
import { openReaderProgram } from '../../src/pipeline/start-program.ts';
import { readPipeline } from '../../src/tools/pipeline/parse.ts';
import { spelledOutInAwk, spelledOutInSed } from '../../src/tools/pipeline/spelled-out.ts';
import { hashOf, openWorld, type World } from '../pipeline/world.ts';
import { needs, programs, sandbox } from '../support/needs.ts';

let world: World | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const awks = ['gawk', 'mawk', 'original-awk'].map((name) => ({ name, path: `/usr/bin/${name}` }));
const secret = 'the-secret-outside';

/** A workspace with a file beside it that nobody may read or change. */
async function openBesideSecret(
  files: Record<string, string> = {},
  sandbox: 'required' | 'off' = 'required',
): Promise<World> {
  world = await openWorld({ files, sandbox });
  writeFileSync(join(world.top, 'secret'), secret);
  return world;
}

/** Runs a stage past the grammar: what is left is the second wall. */
async function runPastGrammar(
  { room, root }: World,
  program: ProgramName,
  args: readonly StageArgument[],
): Promise<string> {
  const session = room().forSession('attacker');
  try {
    const result = await session.run({
      shownBytes: 64 * 1024,
      stages: [
        {
          shown: program,
          work: {
            kind: 'program',
            program,
            args,
            reads: [],
            answers: Array.from({ length: 256 }, (_, code) => code),
          },
        },
      ],
      folder: session.workingFolder(),
      timeoutMs: 20_000,
      confirmOversize: false,
      signal: new AbortController().signal,
    });
    return result.stdout + JSON.stringify(result.steps);
  } catch (error) {
    return String(error).replaceAll(root, '');
  }
}

function shelfWith(awk: string): Shelf {
  const shelf = createShelf();
  return {
    ...shelf,
    find: async (name) => (name === 'awk' ? { path: awk, from: 'system' } : shelf.find(name)),
  };
}

test(
  'a program that the grammar let through still reads nothing outside and writes nothing at all',
  needs(sandbox('bubblewrap')),
  async () => {
    const place = await openBesideSecret({ 'a.txt': 'x\n', '.shelpa/x': 'kept' });
    const outside = join(place.top, 'secret');
    const before = hashOf(place.root);
    const tries: readonly [ProgramName, readonly StageArgument[]][] = [
      ['awk', [`BEGIN{while ((getline l < "${outside}") > 0) print l}`]],
      ['awk', [`BEGIN{system("cat ${outside}; touch pwned; touch ${place.root}/pwned")}`]],
      ['awk', [`BEGIN{print "x" > "${place.root}/pwned"}`]],
      ['awk', [`BEGIN{while (("env; cat /proc/$PPID/environ" | getline l) > 0) print l}`]],
      ['sed', ['-n', `$!d;r ${outside}`, { file: 'a.txt' }]],
      ['sed', ['-i', 's/x/y/', 'a.txt']],
      ['sed', ['1e cat ../secret; id > pwned', { file: 'a.txt' }]],
      ['sort', ['-o', join(place.root, 'pwned'), { file: 'a.txt' }]],
      ['sort', ['--files0-from', outside]],
      ['rg', ['--pre', '/bin/cat', '', outside]],
      ['rg', ['--files', place.top]],
      ['cat', [outside]],
      ['find', [place.root, '-delete']],
      ['jq', ['-n', 'env']],
      ['head', ['/etc/shadow']],
    ];

    for (const [program, args] of tries) {
      const seen = await runPastGrammar(place, program, args);
      expect(seen, `${program} ${args.join(' ')}`).not.toContain(secret);
      expect(seen).not.toContain('root:');
      expect(seen).not.toContain('VITEST');
    }
    expect(hashOf(place.root)).toBe(before);
    expect(existsSync(join(place.top, 'pwned'))).toBe(false);
  },
);

for (const { name, path } of awks) {
  test(
    `${name} runs nothing and opens nothing for a program that is accepted`,
    needs(programs(name)),
    async () => {
      world = await openWorld({
        files: { 'a.txt': 'b 2\na 1\n', 'w.txt': 'one\ntwo\n' },
        pipelines: { shelf: shelfWith(path) },
      });
      const before = world.hash();

      expect((await world.pipe(`awk '{print $2, $1}' a.txt`)).stdout).toBe('2 b\n1 a\n');
      expect((await world.pipe(`awk 'BEGIN{while ((getline l < "w.txt") > 0) print l}'`)).stdout).toBe(
        'one\ntwo\n',
      );
      expect((await world.pipe(`awk 'BEGIN{print length(ENVIRON["HOME"]), ENVIRON["PATH"]}'`)).stdout).toBe(
        '12 /usr/bin:/bin\n',
      );
      expect((await world.pipe(`awk '{print FILENAME}' x=1 a.txt`)).stdout).toBe('a.txt\na.txt\n');
      expect((await world.pipe(`awk 'BEGIN{while ((getline l < "../x") > 0) print l}'`)).error.reason).toBe(
        'PATH_ESCAPE',
      );
      expect((await world.pipe(`awk 'BEGIN{getline l < "/etc/passwd"; print l}'`)).error.reason).toBe(
        'PATH_ESCAPE',
      );
      expect(world.hash()).toBe(before);
    },
  );

  test(`${name} starts nothing and writes nothing, whatever its program`, needs(programs(name)), async () => {
    const place = await openBesideSecret({ 'a.txt': 'x\n' }, 'off');
    const folder = join(place.top, 'awk');
    mkdirSync(folder);
    const piece = fc.constantFrom(
      '/',
      '[/]',
      '"',
      '\\',
      '\n',
      ' ',
      '(',
      ')',
      ';',
      '#',
      'x',
      '1',
      '++',
      'print ',
      '> "o"',
      '>> "o" ',
      '| "touch p"',
      'system("touch p")',
      '"touch p" | getline',
      'x = "sys" "tem"; @x("touch p")',
      'print 1 |& "touch p"',
      'print 1 |& "/inet/tcp/0/127.0.0.1/9"',
      '/x/',
      '~ ',
    );
    const made = fc.sample(fc.array(piece, { minLength: 1, maxLength: 5 }), {
      numRuns: process.env.SEKISHO_HAMMER === '1' ? 5000 : 150,
      seed: 4,
    });
    const reader = await openReaderProgram(path);
    for (const words of made) {
      const program = `BEGIN{${words.join('')}}`;
      runReader(reader, [path, '--', program], folder);
      expect(readdirSync(folder), program).toEqual([]);
    }
    closeSync(reader);
  });
}

test('sed starts nothing and writes nothing, whatever its script', async () => {
  const place = await openBesideSecret({}, 'off');
  const folder = join(place.top, 'sed');
  mkdirSync(folder);
  const scripts = ['w o', 'W o', '1e touch p', 'e touch p', 's/a/touch p/e', 's/a/b/w o', '1!{$!{w o\n}\n}'];
  const reader = await openReaderProgram('/usr/bin/sed');
  for (const script of scripts) {
    const { status } = runReader(reader, ['/usr/bin/sed', '-e', script], folder);
    expect(status, script).not.toBe(0);
    expect(readdirSync(folder), script).toEqual([]);
  }
  closeSync(reader);
});

/** Runs a program behind the stage's filter alone, without a sandbox. */
function runReader(reader: number, args: readonly string[], cwd: string) {
  return spawnSync('/proc/self/fd/3', args, {
    cwd,
    input: 'a\nxa/b\n',
    timeout: 5000,
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'pipe', reader],
  });
}

test.each([
  ['{ print "a > b | c" }', []],
  ['$0 ~ /[/]/ { print "system(" }', []],
  ['{ n++ } /a|b/ { print n / 2 } # print > "x"', []],
  ['$3 > 5 {print $1, ($2 > 3)} { if ($1) /a|b/ }', []],
  ['BEGIN { while ((getline line < "w.txt") > 0) n++ }', ['w.txt']],
  ['{ getline; if ($1 < 5) getline x; getline a[1] } 1', []],
  ['{ x = "getline x < y"; print "ARGV" }', []],
])('the awk program %s is run, and reads %j', (program, reads) => {
  expect(spelledOutInAwk(program)).toEqual({ reads });
});

test.each([
  ['s/[a/]/we/;y,w,e,', []],
  ['/w/d;s,r x,e y,g;:end', []],
  ['1a\\\nw out\\\ne id', []],
  ['2r words.txt', ['words.txt']],
  ['/^r/!{R a b\n}', ['a b']],
])('the sed script %j is run, and reads %j', (script, reads) => {
  expect(spelledOutInSed(script)).toEqual({ reads });
});

test('a line made at random is read or refused with a reason, and never crashes', () => {
  const piece = fc.constantFrom(
    'ls',
    'rg',
    'awk',
    'sed',
    'jq',
    'tee',
    'sort',
    ' ',
    '|',
    "'",
    '"',
    '\\',
    '$',
    '`',
    '(',
    ')',
    '<',
    '>',
    '&',
    ';',
    '\n',
    '#',
    '~',
    '*',
    '[',
    '{a,b}',
    '-n',
    '--',
    '-',
    '=',
    'x',
    '2>',
    '.',
    '/',
    '\0',
    '\u{1f600}',
    'cat',
    'grep',
    'find',
    'cut',
    'cd',
    'pwd',
    '-exec',
    '-i',
    'é',
    '\ud800',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (made) => {
      const context = { expand: () => [], readProgram: () => '', extended: made.length % 2 === 0, cwd: '.' };
      try {
        readPipeline(made.join(''), context);
      } catch (error) {
        expect(error).toMatchObject({
          code: 'GUARD_VIOLATION',
          wire: { reason: expect.any(String), suggestion: expect.any(String) },
        });
        const { details, wire } = error as {
          details: { suggestion_runs: boolean };
          wire: { suggestion: string };
        };
        if (details.suggestion_runs) readPipeline(wire.suggestion, context);
      }
    }),
    { numRuns: 6000, seed: 6 },
  );
});

test.each([
  ['head secret-link', 'SYMLINK_ESCAPE'],
  ['rg x secret-link', 'SYMLINK_ESCAPE'],
  ['ls linked', 'SYMLINK_ESCAPE'],
  ['head linked/secret', 'SYMLINK_ESCAPE'],
  ['sort ../secret', 'PATH_ESCAPE'],
  ['wc /etc/passwd', 'PATH_ESCAPE'],
  ['rg x ..', 'PATH_ESCAPE'],
  ['ls /', 'PATH_ESCAPE'],
  ['fd . /', 'PATH_ESCAPE'],
  ['ls a/../../x', 'PATH_ESCAPE'],
  ['rg -f ../secret a.txt', 'PATH_ESCAPE'],
  ['awk -f ../secret a.txt', 'PATH_ESCAPE'],
  ['sed -f ../secret a.txt', 'PATH_ESCAPE'],
  ["sed 'r ../secret' a.txt", 'PATH_ESCAPE'],
  ["sed 'R /etc/passwd' a.txt", 'PATH_ESCAPE'],
  ['jq -f ../secret a.txt', 'PATH_ESCAPE'],
  ['jq --slurpfile x ../secret . a.txt', 'PATH_ESCAPE'],
  ['ctree_generate ..', 'PATH_ESCAPE'],
  ['ctree_check ../secret', 'PATH_ESCAPE'],
  ['serena_find_symbol x ..', 'PATH_ESCAPE'],
  ['cd ..', 'PATH_ESCAPE'],
  ['cd linked', 'SYMLINK_ESCAPE'],
  ['ls | tee ../out', 'PATH_ESCAPE'],
  ['ls | tee /tmp/out', 'PATH_ESCAPE'],
  ['ls | tee linked/out', 'SYMLINK_ESCAPE'],
  ['ls | tee secret-link', 'SYMLINK_ESCAPE'],
  ['ls | tee .shelpa/x', 'RESERVED_PATH'],
  ['ls | tee ./.SHELPA/x', 'RESERVED_PATH'],
  ['ls | tee a/../.shelpa/index.jsonl', 'RESERVED_PATH'],
  ['ls | tee .git/config', 'RESERVED_PATH'],
  ['ls | tee .git/hooks/pre-commit', 'RESERVED_PATH'],
  ['ls | tee .vscode/tasks.json', 'RESERVED_PATH'],
  ['ls | tee a', 'TEE_TARGET'],
])('%s is %s', async (command, reason) => {
  const place = await openBesideSecret({ 'a.txt': 'x\n', 'a/b.txt': 'y\n' }, 'off');
  symlinkSync(join(place.top, 'secret'), join(place.root, 'secret-link'));
  symlinkSync(place.top, join(place.root, 'linked'));
  const before = hashOf(place.root);

  expect((await place.pipe(command)).error).toMatchObject({ code: 'GUARD_VIOLATION', reason });
  expect(hashOf(place.root)).toBe(before);
});

test('shelpa_write meets the same walls, and a file that is hard-linked from outside stays as it is there', async () => {
  const place = await openBesideSecret({}, 'off');
  const write = async (path: string) =>
    (await place.call('shelpa_write', { path, content: 'y' })).error?.reason;

  expect(await write('../out')).toBe('PATH_ESCAPE');
  expect(await write('.shelpa/x')).toBe('RESERVED_PATH');
  expect(await write('.git/config')).toBe('RESERVED_PATH');
  linkSync(join(place.top, 'secret'), join(place.root, 'hard'));
  expect(await write('hard')).toBeUndefined();
  expect(execFileSync('cat', [join(place.top, 'secret')], { encoding: 'utf8' })).toBe(secret);
});

test.each([
  'rg x pipe',
  'sort pipe',
  'tail pipe',
  'head pipe',
  'awk 1 pipe',
  'wc pipe',
  'jq . pipe',
  'sed p pipe',
])('%s does not wait on a pipe that lies in the workspace', async (command) => {
  world = await openWorld({ files: { 'a.txt': 'x' } });
  execFileSync('mkfifo', [join(world.root, 'pipe')]);

  expect((await world.pipe(command)).error).toMatchObject({ code: 'STAGE_FAILED' });
});

test('names of files cannot become options, assignments or programs', async () => {
  world = await openWorld({
    files: {
      'a.txt': 'x\n',
      '--pre=touch pwned': 'x\n',
      '-e': 'x\n',
      'v=1': 'x\n',
      '-i': 'x\n',
      '$(touch pwned)': 'x\n',
    },
  });

  expect((await world.pipe('rg -c x *')).stdout.split('\n').filter(Boolean).sort()).toEqual(
    ['./--pre=touch pwned:1', './-e:1', './-i:1', 'a.txt:1', '$(touch pwned):1', 'v=1:1'].sort(),
  );
  expect((await world.pipe("sed -n '$=' -- *")).stdout).toBe('6\n');
  expect((await world.pipe('wc -l -- -e')).stdout).toBe('1 -e\n');
  expect((await world.pipe("awk '{print FILENAME}' ./v=1")).stdout).toBe('./v=1\n');
  expect(existsSync(join(world.root, 'pwned'))).toBe(false);
});

test('settings of the machine change nothing: no ~/.jq, no ripgrep config, no variables', async () => {
  world = await openWorld({
    files: { '.jq': 'def secret: "from the file";', 'a.json': '{}', rc: '--files\n' },
  });
  const home = process.env.HOME;
  process.env.HOME = world.root;
  process.env.RIPGREP_CONFIG_PATH = join(world.root, 'rc');
  try {
    expect((await world.pipe("jq -n 'secret'")).error.code).toBe('STAGE_FAILED');
    expect((await world.pipe('rg nothing a.json')).stdout).toBe('');
  } finally {
    process.env.HOME = home;
    delete process.env.RIPGREP_CONFIG_PATH;
  }
});

test('a line that is too long, or holds what none can, is refused', async () => {
  world = await openWorld({ files: { 'a.txt': 'x' } });

  for (const command of [`rg ${'x'.repeat(40_000)}`, 'ls \0', `rg "${'"'.repeat(9998)}`, 'rg \ud800']) {
    expect((await world.pipe(command)).error).toMatchObject({
      code: 'GUARD_VIOLATION',
      reason: 'PARSE_ERROR',
    });
  }
});
