import { randomUUID } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import type { CommandsOptions } from '../../src/command/commands-options.ts';
import type { CommandLine, RunOptions, SandboxName } from '../../src/contract/capabilities/process.ts';
import { limits } from '../../src/contract/limits.ts';
import { needs, sandbox } from '../support/needs.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-commands-test-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const never = new AbortController().signal;
const sh = (script: string): CommandLine => ({ kind: 'script', script, shell: 'sh' });
const bash = (script: string): CommandLine => ({ kind: 'script', script, shell: 'bash' });
const program = (name: string, ...args: string[]): CommandLine => ({ kind: 'program', program: name, args });
const order = (more: Partial<RunOptions> = {}): RunOptions => ({
  workingFolder: root,
  timeoutMs: 30_000,
  signal: never,
  ...more,
});

function open(name: SandboxName, more: Partial<CommandsOptions> = {}) {
  return new CommandRunner({
    roots: [{ hostPath: root, writable: true }],
    ...(name === 'none' ? { sandbox: 'off' } : { sandbox: 'required', backends: [name as 'landlock'] }),
    serverEnvironment: { PATH: process.env.PATH, HOME: process.env.HOME, API_KEY: 'hush', TZ: 'Asia/Tokyo' },
    ...more,
  });
}

/** Processes of this machine whose command line holds a word: what a command left behind. */
function survivors(word: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      return line.includes(word) ? [line.replaceAll('\0', ' ')] : [];
    } catch {
      return [];
    }
  });
}

/** A number of seconds that names this test's sleeper and nobody else's. */
const uniqueSeconds = () => `${1000 + Math.floor(Math.random() * 1e6)}.${Math.floor(Math.random() * 1e9)}`;

for (const name of ['bubblewrap', 'landlock', 'none'] as const) {
  describe(name, needs(sandbox(name)), () => {
    const runner = open(name);
    const { run } = runner.forSession('one');
    afterAll(() => runner.close());

    test('a command gives its output, its exit code and the sandbox that it ran in', async () => {
      const result = await run(sh('echo out; echo err >&2; exit 3'), order());
      expect(result).toMatchObject({
        exitCode: 3,
        stdout: 'out\n',
        stderr: 'err\n',
        stdoutBytes: 4,
        timedOut: false,
        truncated: false,
        sandbox: name,
      });
    });

    test('arguments reach a program as they are', async () => {
      const words = ['a b', '$HOME', '*', "it's", '', '-n', '日本', '\n'];
      const result = await run(program('printf', '<%s>', ...words), order());
      expect(result.stdout).toBe(words.map((word) => `<${word}>`).join(''));
    });

    test('a file that a command writes is in the root', async () => {
      await run(bash('mkdir -p made && echo hi > made/by-command'), order());
      expect(readFileSync(join(root, 'made/by-command'), 'utf8')).toBe('hi\n');
    });

    test('the environment is built from nothing', async () => {
      const { stdout } = await run(program('env'), order({ environment: { EXTRA: 'yes' } }));
      const names = stdout.split('\n').map((line) => line.split('=')[0]);
      expect(stdout).toContain('TZ=Asia/Tokyo\n');
      expect(stdout).toContain('EXTRA=yes\n');
      expect(stdout).toContain('TERM=dumb\n');
      expect(names).not.toContain('API_KEY');
    });

    if (name !== 'none')
      test('its home and temporary folders can be written', async () => {
        const { stdout } = await run(sh('echo x > "$HOME/x" && echo y > "$TMPDIR/y" && echo fine'), order());
        expect(stdout).toBe('fine\n');
      });

    test('standard input is empty', async () => {
      expect((await run(program('cat'), order())).stdout).toBe('');
    });

    test('a program that is not there gives 127, as in a shell', async () => {
      const result = await run(program('no-such-program-here'), order());
      expect(result.exitCode).toBe(127);
      expect(result.stderr).toContain('not found');
    });

    test('a killed command never looks like a success', async () => {
      expect(await run(sh('kill -9 $$'), order())).toMatchObject({
        exitCode: 137,
        signal: 'SIGKILL',
        stderr: '',
      });
      expect(await run(sh('kill -SEGV $$'), order())).toMatchObject({ exitCode: 139, signal: 'SIGSEGV' });
    });

    test('output is cleaned of what hides text', async () => {
      const { stdout } = await run(
        sh("printf 'a\\033[31mred\\033[0m\\033]0;t\\007 \\342\\200\\256x\\r\\nb\\0'"),
        order(),
      );
      expect(stdout).toBe('ared \\u202ex\nb\\x00');
    });

    test('of long output the beginning and the end are kept, and it says so', async () => {
      const result = await run(
        sh('echo first; head -c 5000000 /dev/zero | tr "\\0" x; echo; echo last'),
        order(),
      );
      expect(result.stdoutBytes).toBe(5_000_012);
      expect(result.truncated).toBe(true);
      expect(result.stdout).toMatch(/^first\nx+\n\[… \d+ bytes cut …\]\nx+\nlast\n$/);
      expect(result.stdout.length).toBeLessThan(1_050_000);
    });

    test('a megabyte arrives whole and in order', async () => {
      const { stdout, truncated } = await run(program('seq', '150000'), order());
      expect(truncated).toBe(false);
      expect(stdout).toBe(`${Array.from({ length: 150_000 }, (_, index) => index + 1).join('\n')}\n`);
    });

    test('output without end costs no memory and ends in time', async () => {
      const before = process.memoryUsage().rss;
      const result = await run(program('yes'), order({ timeoutMs: 1500 }));
      expect(result).toMatchObject({ timedOut: true, truncated: true, exitCode: 143, signal: 'SIGTERM' });
      expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
    });

    test('a background child does not hold the command up, and does not outlive it', async () => {
      const seconds = uniqueSeconds();
      const result = await run(sh(`sleep ${seconds} & echo started`), order());
      expect(result).toMatchObject({ exitCode: 0, stdout: 'started\n' });
      await expect.poll(() => survivors(seconds)).toEqual([]);
    });

    test.each([
      ['it hangs', (s: string) => sh(`sleep ${s}`)],
      ['it ignores TERM', (s: string) => sh(`trap "" TERM; while :; do sleep ${s}; done`)],
      [
        'its children left the group',
        (s: string) => sh(`setsid sleep ${s} & setsid sh -c "sleep ${s} & sleep ${s}" & sleep ${s}`),
      ],
      [
        'its children left everything and cleared their environment',
        (s: string) =>
          sh(
            `(setsid env -i /bin/sh -c 'trap "" TERM; (sleep ${s} &) ; sleep ${s}' >/dev/null 2>&1 &) ; sleep ${s}`,
          ),
      ],
    ])('when %s, a timeout ends all of it', async (_, make) => {
      const seconds = uniqueSeconds();
      const result = await run(make(seconds), order({ timeoutMs: 500 }));
      expect(result.timedOut).toBe(true);
      expect(result.exitCode).toBeGreaterThan(128);
      await expect.poll(() => survivors(seconds)).toEqual([]);
    });

    test('TERM comes first, so that a command can tidy up', async () => {
      const result = await run(
        sh('trap "echo tidy > tidied; exit 7" TERM; while :; do sleep 0.05; done'),
        order({ timeoutMs: 600 }),
      );
      expect(result).toMatchObject({ timedOut: true, exitCode: 7 });
      expect(readFileSync(join(root, 'tidied'), 'utf8')).toBe('tidy\n');
    });

    test('a cancelled command is gone when the answer comes', async () => {
      const seconds = uniqueSeconds();
      const cancel = new AbortController();
      const work = run(sh(`setsid sleep ${seconds} & sleep ${seconds}`), order({ signal: cancel.signal }));
      await expect.poll(() => survivors(seconds).length).toBeGreaterThan(1);
      cancel.abort();
      await expect(work).rejects.toMatchObject({ code: 'cancelled' });
      await expect.poll(() => survivors(seconds)).toEqual([]);
      await expect(run(sh('true'), order({ signal: cancel.signal }))).rejects.toMatchObject({
        code: 'cancelled',
      });
    });

    test('forty commands at once lose no output', async () => {
      const many = open(name, { commandsWaiting: 100 });
      try {
        const results = await Promise.all(
          Array.from({ length: 40 }, (_, index) =>
            many.forSession('s').run(sh(`echo ${index}; exit ${index}`), order()),
          ),
        );
        expect(results.map(({ stdout, exitCode }) => [stdout, exitCode])).toEqual(
          results.map((_, index) => [`${index}\n`, index]),
        );
      } finally {
        await many.close();
      }
    });

    test('a background command takes input, tells its output once, and ends with its session', async () => {
      const session = runner.forSession('two');
      const id = randomUUID();
      const command = await session.start(sh(`while read line; do echo "got $line"; done; : ${id}`), order());
      await command.write('één\n');
      await expect.poll(() => command.read().text).not.toBe('');
      const first = command.read();
      expect(first).toMatchObject({ text: 'got één\n', droppedBytes: 0 });
      await command.write('two\n');
      await expect.poll(() => command.read(first.nextCursor).text).toBe('got two\n');
      expect(command.status()).toEqual({ running: true });
      expect(session.backgrounds().map((one) => one.id)).toEqual([command.id]);
      expect(runner.forSession('one').background(command.id)).toBeUndefined();
      await runner.endSession('two');
      expect(command.status()).toMatchObject({ running: false });
      expect(command.status().exitCode).toBeGreaterThan(128);
      await expect.poll(() => survivors(id)).toEqual([]);
    });

    test('a background command keeps its newest output and says what was dropped', async () => {
      const command = await runner.forSession('three').start(sh('seq 250000'), order());
      await command.wait(20_000, never);
      expect(command.status().running).toBe(false);
      const { text, nextCursor, droppedBytes } = command.read();
      expect(nextCursor).toBe(1_638_895);
      expect(droppedBytes).toBe(1_638_895 - limits.streamBytes);
      expect(text.endsWith('249999\n250000\n')).toBe(true);
      expect(command.status()).toEqual({ running: false, exitCode: 0 });
      await expect(command.write('x')).rejects.toMatchObject({ code: 'conflict' });
    });

    test('a process that takes too much file or processor is stopped by its limit', async () => {
      const small = open(name, { limits: { fileBytes: 1024 * 1024, cpuSeconds: 1 } });
      const { run } = small.forSession('s');
      try {
        await run(sh('head -c 50M /dev/zero > big'), order());
        expect(readFileSync(join(root, 'big')).length).toBeLessThanOrEqual(1024 * 1024);
        expect((await run(bash('while :; do :; done'), order())).exitCode).toBeGreaterThan(128);
      } finally {
        await small.close();
      }
    });

    describe('memory', () => {
      const seconds = uniqueSeconds();
      const take = 'x = b"x" * (60 << 20)';
      const stay = `import time; time.sleep(${seconds})`;
      // Twelve children of 4 MiB each stay small one by one.
      const children = `import os\nfor i in range(12):\n if os.fork() == 0:\n  x = b"%d" % i * (4 << 20); ${stay}\nos.wait()`;
      const python = (script: string) => program('python3', '-c', script);
      const runAll = async (commands: readonly CommandLine[]) => {
        const small = open(name, {
          limits: { memoryBytes: 32 * 1024 * 1024 },
          commandsAtOnce: commands.length,
        });
        const { run } = small.forSession('s');
        return Promise.all(commands.map((command) => run(command, order()))).finally(() => small.close());
      };
      const bombs = [
        python(children),
        sh(`(setsid python3 -c '${take}; ${stay}' &); sleep ${seconds}`),
        // One sandbox says it for all.
        ...(name === 'bubblewrap'
          ? [
              sh(`head -c 80M /dev/zero | tail -c 60M | { sleep ${seconds}; wc -c; }`),
              python(`${take}; ${stay}`),
              python(`import mmap; x = mmap.mmap(-1, 60 << 20); x.write(b"x" * (60 << 20)); ${stay}`),
              // It forbids that its shares are read.
              python(`import ctypes; ctypes.CDLL(None).prctl(4, 0); ${take}; ${stay}`),
            ]
          : []),
      ];

      test('is limited for all processes of a command together, however they take it', async () => {
        for (const { exitCode, stderr, timedOut } of await runAll(bombs)) {
          expect(stderr).toContain('[stopped: it used more than 32 MiB of memory]');
          expect({ exitCode, timedOut }).toEqual({ exitCode: 137, timedOut: false });
        }
        await expect.poll(() => survivors(seconds)).toEqual([]);
      });

      if (name === 'bubblewrap')
        test('that is reserved or shared counts as what is used', async () => {
          const results = await runAll([
            python('import mmap; mmap.mmap(-1, 1 << 40, flags=0x4022); print("reserved")'),
            // Five look at what one has written: 15 MiB, and not 90.
            python(
              'import os, time; x = b"x" * (15 << 20)\nfor i in range(5):\n if os.fork() == 0: time.sleep(2); os._exit(0)\nfor i in range(5): os.wait()\nprint("shared")',
            ),
          ]);
          expect(results.map(({ stdout }) => stdout)).toEqual(['reserved\n', 'shared\n']);
        });
    });

    test('a fork bomb is stopped', async () => {
      const small = open(name, { limits: { processes: 60 } });
      const seconds = uniqueSeconds();
      try {
        const result = await small
          .forSession('s')
          .run(sh(`for i in $(seq 400); do sleep ${seconds} & done; wait`), order({ timeoutMs: 20_000 }));
        expect(result.exitCode).not.toBe(0);
        expect(result.timedOut).toBe(false);
        await expect.poll(() => survivors(seconds)).toEqual([]);
      } finally {
        await small.close();
      }
    });
  });
}

test('where no sandbox works nothing runs, and the answer says what to install', async () => {
  const runner = new CommandRunner({
    roots: [{ hostPath: root, writable: true }],
    sandbox: 'required',
    backends: [],
  });
  await expect(runner.forSession('s').run(sh('echo ran > ran'), order())).rejects.toMatchObject({
    code: 'unavailable',
    suggestion: { en: expect.stringContaining('sekisho doctor') },
  });
  expect(readdirSync(root)).not.toContain('ran');
});

test('no file of the workspace and no variable of a call changes the sandbox', async () => {
  const bin = join(root, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'bwrap'), '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n', {
    mode: 0o755,
  });
  writeFileSync(join(root, 'sekisho.json'), '{"process":{"sandbox":"off"}}');
  const runner = new CommandRunner({
    roots: [{ hostPath: root, writable: true }],
    sandbox: 'required',
    serverEnvironment: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
  });
  try {
    const result = await runner
      .forSession('s')
      .run(
        sh('exec 2>&1; cat /etc/shadow; echo x > /usr/out'),
        order({ environment: { SEKISHO_SANDBOX: 'off', PATH: `${bin}:/usr/bin:/bin` } }),
      );
    expect(result.stdout).not.toContain('root:');
    expect(result.exitCode).not.toBe(0);
    expect(result.sandbox).not.toBe('none');
  } finally {
    await runner.close();
  }
});

test('a working folder must be a real folder inside a root', async () => {
  const runner = open('none');
  const { run } = runner.forSession('s');
  symlinkSync('/etc', join(root, 'link'));
  writeFileSync(join(root, 'file'), '');
  await expect(run(sh('pwd'), order({ workingFolder: '/etc' }))).rejects.toMatchObject({
    code: 'out_of_scope',
  });
  await expect(run(sh('pwd'), order({ workingFolder: `${root}/../..` }))).rejects.toMatchObject({
    code: 'out_of_scope',
  });
  await expect(run(sh('pwd'), order({ workingFolder: join(root, 'link') }))).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(run(sh('pwd'), order({ workingFolder: join(root, 'link/ssl') }))).rejects.toMatchObject({
    code: expect.stringMatching(/forbidden|not_found/),
  });
  await expect(run(sh('pwd'), order({ workingFolder: join(root, 'file') }))).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(run(sh('a\0b'), order())).rejects.toMatchObject({ code: 'invalid_parameter' });
  await expect(run(sh(':'.repeat(40_000)), order())).rejects.toMatchObject({ code: 'too_large' });
  await runner.close();
  await expect(run(sh('true'), order())).rejects.toMatchObject({ code: 'cancelled' });
});

test('four commands run at once in a session, a bounded number waits, and others are not held up', async () => {
  const runner = open('none', { commandsWaiting: 2 });
  const { run } = runner.forSession('busy');
  const stop = new AbortController();
  const busy = Array.from({ length: 6 }, () =>
    run(sh('sleep 60'), order({ signal: stop.signal })).catch(({ code }) => code),
  );
  await expect(run(sh('true'), order())).rejects.toMatchObject({ code: 'rate_limited' });
  expect((await runner.forSession('other').run(sh('echo free'), order())).stdout).toBe('free\n');
  stop.abort();
  expect(await Promise.all(busy)).toEqual(Array(6).fill('cancelled'));
  expect((await run(sh('echo free'), order())).stdout).toBe('free\n');
  await runner.close();
});

test.each(['bubblewrap', 'landlock'] as const)(
  'with / as a root there is no %s, and the reason is said',
  async (name) => {
    const runner = open(name, { roots: [{ hostPath: '/', writable: true }] });
    expect(await runner.status()).toEqual([
      {
        name,
        works: false,
        problem: expect.objectContaining({
          en: expect.stringMatching(/with the root \/, nothing is left outside/),
        }),
      },
    ]);
    await expect(runner.forSession('one').run(sh('true'), order())).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/root \/ leaves nothing outside/),
    });
    await runner.close();
  },
);
