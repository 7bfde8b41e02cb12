import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import type { CommandsOptions } from '../../src/command/commands-options.ts';
import type { Attended, RunOptions } from '../../src/contract/capabilities/process.ts';
import { createCommandJudge } from '../../src/judgement/judge.ts';
import { needs, sandbox } from '../support/needs.ts';
import { countSleepers } from '../support/sleepers.ts';

// Not below the host's /tmp: a root there would have to be mounted inside of what a session may change.
const base = realpathSync(mkdtempSync('/var/tmp/sekisho-sessions-test-'));
const root = join(base, 'project');
mkdirSync(join(root, 'sub'), { recursive: true });
afterAll(() => rmSync(base, { recursive: true, force: true }));

const { mayKeep } = createCommandJudge();
const never = new AbortController().signal;

function open(name: 'bubblewrap' | 'landlock', more: Partial<CommandsOptions> = {}): CommandRunner {
  return new CommandRunner({
    roots: [{ hostPath: root, writable: true }],
    sandbox: 'required',
    backends: [name],
    mayKeep,
    ...more,
  });
}

/** A line in a session, where and as the lines before left it. */
async function attend(
  runner: CommandRunner,
  script: string,
  more: Partial<RunOptions> & { readonly session?: string; readonly handOverMs?: number } = {},
): Promise<Attended> {
  const commands = runner.forSession(more.session ?? 'one');
  const { folder, variables } = commands.kept();
  return commands.attend(
    { kind: 'script', script, shell: commands.shell },
    {
      workingFolder: folder ?? root,
      environment: variables,
      inSession: true,
      timeoutMs: 30_000,
      handOverMs: 30_000,
      signal: never,
      ...more,
    },
  );
}

async function line(...args: Parameters<typeof attend>) {
  const attended = await attend(...args);
  if (attended.kind !== 'ended') throw new Error('it went on in the background');
  return attended.result;
}

describe.each(['bubblewrap', 'landlock'] as const)('%s', (name) => {
  describe(``, needs(sandbox(name)), () => {
    let runner: CommandRunner;
    beforeAll(() => {
      runner = open(name);
    });
    afterAll(() => runner.close());

    test('/tmp and HOME last for the session, and no other session sees them', async () => {
      await line(runner, 'echo mine > $TMPDIR/a; echo home > ~/b');
      expect(await line(runner, 'cat $TMPDIR/a ~/b')).toMatchObject({ stdout: 'mine\nhome\n' });
      const other = await line(runner, 'cat $TMPDIR/a ~/b; ls -A $TMPDIR ~', { session: 'two' });
      expect(other.stdout).not.toMatch(/mine|\ba\b|\bb\b/);
      await runner.endSession('one');
      expect(await line(runner, 'cat $TMPDIR/a')).toMatchObject({ stdout: '', exitCode: 1 });
    }, 60_000);

    test('folder and exported variables are found by the next line, whatever they hold', async () => {
      await line(runner, `cd sub; export A='a "b" $c \`d\` \\ e' B=$'two\nlines\t\u0001 é' C= ; D=local`);
      const next = await line(runner, 'pwd; printf "%s|%s|%s|%s" "$A" "$B" "${C-unset}" "${D-unset}"');
      expect(next.stdout).toBe(`${root}/sub\na "b" $c \`d\` \\ e|two\nlines\t\\x01 é||unset`);
      expect(runner.forSession('one').kept().variables.B).toBe('two\nlines\t\u0001 é');
      await line(runner, 'unset A; cd ..');
      expect(await line(runner, 'pwd; echo "${A-unset}"')).toMatchObject({ stdout: `${root}\nunset\n` });
      expect(runner.forSession('two').kept()).toEqual({ variables: {} });
    }, 60_000);

    test('a line that fails, exits or has syntax of its own leaves what it did; one that is stopped leaves nothing', async () => {
      expect(await line(runner, 'cd sub\nexport E=1\nexit 3')).toMatchObject({ exitCode: 3, stderr: '' });
      expect(runner.forSession('one').kept()).toMatchObject({
        folder: join(root, 'sub'),
        variables: { E: '1' },
      });
      await line(runner, 'cd ..; set -eu; false');
      expect(runner.forSession('one').kept().folder).toBe(root);
      expect(await line(runner, 'cd sub; sleep 30', { timeoutMs: 300 })).toMatchObject({ timedOut: true });
      expect(runner.forSession('one').kept().folder).toBe(root);
      expect(await line(runner, 'set -x; true')).toMatchObject({ stderr: '+ true\n' });
      expect((await line(runner, 'nothing-of-that-name')).stderr).toContain('line 1: nothing-of-that-name');
    }, 60_000);

    test('what ran beside it is not undone by a line that changed nothing', async () => {
      await line(runner, 'cd . ; unset E');
      await Promise.all([line(runner, 'sleep 0.5'), line(runner, 'cd sub; export F=f')]);
      expect(runner.forSession('one').kept()).toMatchObject({
        folder: join(root, 'sub'),
        variables: { F: 'f' },
      });
      await line(runner, 'cd ..');
    }, 60_000);

    test('a folder outside of the roots is not kept, nor one that is gone', async () => {
      const left = await line(runner, 'cd /usr');
      expect(left.stderr).toMatch(/^\[session: /);
      expect(runner.forSession('one').kept().folder).toBe(root);
      await line(runner, 'mkdir gone && cd gone');
      rmSync(join(root, 'gone'), { recursive: true });
      expect(runner.forSession('one').kept().folder).toBeUndefined();
      const own = await line(runner, 'cd ..', {
        workingFolder: join(root, 'sub'),
        reach: { writable: [join(root, 'sub')] },
      });
      expect(own.stderr).toMatch(/^\[session: /);
    }, 60_000);

    test.each([
      'LD_PRELOAD=/tmp/x.so',
      'BASH_ENV=/tmp/x',
      'GIT_SSH_COMMAND=/tmp/x',
      'PYTHONSTARTUP=/tmp/x',
      'NODE_OPTIONS="--require /tmp/x"',
      'PATH=/tmp/x:$PATH',
      'PATH=/tmp/x',
      'HOME=/tmp/x',
      'IFS=/',
      'EDITOR=/tmp/x',
    ])('export %s is not kept: it says what later names mean', async (assignment) => {
      const left = await line(runner, `export ${assignment}`, { session: 'bad' });
      expect(left.stderr).toContain(`not kept for later commands: ${assignment.split('=')[0]}]`);
      expect(runner.forSession('bad').kept().variables).toEqual({});
    });

    test('a virtual environment and programs of the project stay on the search path', async () => {
      await line(
        runner,
        'export VIRTUAL_ENV=$PWD/.venv PATH=$PWD/.venv/bin:$PWD/node_modules/.bin:$PATH:/opt/x',
      );
      const { variables } = runner.forSession('one').kept();
      expect(variables.PATH).toMatch(/^\/.*\/project\/\.venv\/bin:\/.*\/node_modules\/\.bin:.*:\/opt\/x$/);
    });

    test('what is written to the channel by hand counts for no more than an export', async () => {
      const forged = 'printf "/etc\\0declare -x LD_PRELOAD=\\"/tmp/x\\"\\n\\0" >&247; trap - EXIT';
      await line(runner, forged, { session: 'forged' });
      await line(runner, 'head -c 9000000 /dev/zero >&247; trap - EXIT', { session: 'forged' });
      await line(runner, 'printf "/tmp\\0\\0\\0\\0" >&247; trap - EXIT', { session: 'forged' });
      expect(runner.forSession('forged').kept()).toEqual({ variables: {} });
    }, 60_000);

    test('no more is kept than a bounded number', async () => {
      const flood = await line(runner, 'for i in {1..500}; do export "V$i=$i"; done', { session: 'flood' });
      expect(flood.stderr).toContain('not kept');
      const huge = await line(runner, `export BIG=$(printf '%040000d' 1)`, { session: 'flood' });
      expect(huge.stderr).toContain('not kept');
      expect(runner.forSession('flood').kept().variables).toEqual({});
    }, 60_000);

    test('what takes longer than its caller waits goes on, and nothing that it prints is lost', async () => {
      const goOn = `go-on-${name}`;
      const waits = `until [ -e ${goOn} ]; do sleep 0.05; done`;
      const attended = await attend(runner, `echo before; echo warning >&2; ${waits}; echo after; exit 4`, {
        handOverMs: 300,
      });
      if (attended.kind !== 'going') throw new Error('it ended too soon');
      const { command } = attended;
      await expect.poll(() => command.read().text).toBe('before\nwarning\n');
      expect(runner.forSession('one').background(command.id)).toBe(command);
      writeFileSync(join(root, goOn), '');
      await command.wait(20_000, never);
      expect(command.status()).toEqual({ running: false, exitCode: 4 });
      expect(command.read().text).toBe('before\nwarning\nafter\n');
      await expect(command.write('x')).rejects.toThrow();
    }, 60_000);

    test('its time limit holds on, a withdrawn call does not end it, and a kill does', async () => {
      const withdrawn = new AbortController();
      const slow = { handOverMs: 200, signal: withdrawn.signal };
      const limited = await attend(runner, 'sleep 60', { ...slow, timeoutMs: 1500 });
      const killed = await attend(runner, 'sleep 60', slow);
      if (limited.kind !== 'going' || killed.kind !== 'going') throw new Error('it ended too soon');
      withdrawn.abort();
      await limited.command.wait(20_000, never);
      expect(limited.command.status()).toMatchObject({ running: false, signal: 'SIGTERM' });
      expect(killed.command.status().running).toBe(true);
      await killed.command.kill();
      expect(killed.command.status().running).toBe(false);
    }, 60_000);

    test('waiting for one in the background lasts until its end, not until its first word', async () => {
      const commands = runner.forSession('one');
      const script = 'echo one; sleep 1; echo two';
      const command = await commands.start(
        { kind: 'script', script, shell: 'bash' },
        { workingFolder: root },
      );
      const before = performance.now();
      await command.wait(200, never);
      expect(command.status().running).toBe(true);
      await command.wait(20_000, never);
      expect(performance.now() - before).toBeGreaterThan(800);
      expect(command.read().text).toBe('one\ntwo\n');
    }, 60_000);
  });
});

describe('rooms of bubblewrap', needs(sandbox('bubblewrap')), () => {
  const server = (port: number) =>
    `import http.server as h; s = h.HTTPServer(("127.0.0.1", ${port}), h.SimpleHTTPRequestHandler); print("up", flush=True); s.serve_forever()`;

  test('a server in the background is reached by later commands of its session and by nobody else', async () => {
    const runner = open('bubblewrap');
    const commands = runner.forSession('one');
    const command = await commands.start(
      { kind: 'program', program: 'python3', args: ['-c', server(8765)] },
      { workingFolder: root, inSession: true },
    );
    await expect.poll(() => command.read().text).toBe('up\n');
    const ask = '(exec 5<>/dev/tcp/127.0.0.1/8765) 2>/dev/null && echo reached || echo refused';
    expect(await line(runner, ask)).toMatchObject({ stdout: 'reached\n' });
    expect(await line(runner, ask, { session: 'two' })).toMatchObject({ stdout: 'refused\n' });
    expect(await line(runner, ask, { inSession: false })).toMatchObject({ stdout: 'refused\n' });
    await runner.close();
  }, 60_000);

  // /tmp, unless this clone, whose programs commands are shown, lies there.
  test('the kernel bounds what a session leaves in its temporary folder', async () => {
    const runner = open('bubblewrap', { temporaryBytes: 1024 * 1024 });
    expect(await line(runner, 'head -c 700000 /dev/zero > "$TMPDIR/a"')).toMatchObject({ exitCode: 0 });
    const over = await line(runner, 'head -c 700000 /dev/zero > "$TMPDIR/b"');
    expect(over.stderr).toContain('No space left');
    await runner.close();
  }, 60_000);

  test('nothing of it is seen on the machine, and nothing stays when the server closes', async () => {
    // Other servers of the machine make rooms of their own in the usual place.
    const own = mkdtempSync(join(base, 'tmp-'));
    vi.stubEnv('TMPDIR', own);
    const rooms = () => readdirSync(own).filter((entry) => entry.startsWith('sekisho-room-'));
    const before = rooms();
    const runner = open('bubblewrap');
    await line(runner, 'echo secret > /tmp/mine');
    for (const entry of rooms()) expect(readdirSync(join(own, entry))).toEqual([]);
    await runner.close();
    expect(rooms()).toEqual(before);
    vi.unstubAllEnvs();
    rmSync(own, { recursive: true });
  }, 60_000);

  test('with a root below /tmp the session keeps its files beside, where no link of it can move the root', async () => {
    const inTmp = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-sessions-test-')));
    mkdirSync(join(inTmp, 'hidden'));
    const runner = open('bubblewrap', {
      roots: [{ hostPath: inTmp, writable: true }],
      hiddenPaths: [join(inTmp, 'hidden')],
    });
    const inside = { workingFolder: inTmp };
    await line(runner, `echo kept > $TMPDIR/a; cd /; mv ${inTmp} /tmp/moved; ln -s /usr ${inTmp}`, inside);
    const next = await line(runner, `cat $TMPDIR/a; pwd; ls -A hidden /tmp/moved`, inside);
    expect(next.stdout).toBe(`kept\n${inTmp}\nhidden:\n`);
    await runner.close();
    rmSync(inTmp, { recursive: true });
  }, 60_000);

  test('what is written to /tmp by name is told where the session keeps its files elsewhere', async () => {
    const tools = mkdtempSync('/tmp/sekisho-tools-');
    mkdirSync(join(tools, 'bin'));
    writeFileSync(join(tools, 'bin/hello'), '#!/bin/sh\necho hello\n', { mode: 0o755 });
    const runner = open('bubblewrap', {
      serverEnvironment: { PATH: `${join(tools, 'bin')}:/usr/bin:/bin`, HOME: base },
    });
    for (const [script, names] of [
      ['echo x > /tmp/note', '/tmp/note'],
      ['mkdir /tmp/.d "/tmp/a b"; ln -s nowhere /tmp/l; false', '/tmp/a b, /tmp/l, /tmp/.d'],
      ['(cd /tmp && touch 1 2 3 4 5 6 7)', '/tmp/1, /tmp/2, /tmp/3, /tmp/4, /tmp/5 and 2 more'],
    ] as const)
      expect((await line(runner, script, { workingFolder: root })).stderr).toBe(
        `[gone with this command, as the session keeps its files in TMPDIR (/run/tmp): ${names}]\n`,
      );
    for (const script of [
      'hello; echo x > $TMPDIR/kept; mktemp >/dev/null; echo y > ~/kept',
      'cat $TMPDIR/kept ~/kept; touch /tmp/brief; rm /tmp/brief; mkdir /tmp/hsperfdata_me',
    ])
      expect(await line(runner, script)).toMatchObject({ exitCode: 0, stderr: '' });
    await runner.close();
    rmSync(tools, { recursive: true });
  }, 60_000);

  test('of a /tmp that lasts as long as the session nothing is told', async () => {
    const runner = open('bubblewrap');
    expect((await line(runner, 'echo kept > /tmp/note')).stderr).toBe('');
    expect((await line(runner, 'cat /tmp/note')).stdout).toBe('kept\n');
    await runner.close();
  }, 60_000);

  test.each([
    'rm -rf ~; ln -s /nowhere ~',
    'rm -rf ~; ln -s / ~',
    'rm -rf ~; echo > ~',
    'chmod 0 ~ $TMPDIR',
    'rm -rf $TMPDIR/* $TMPDIR/.[!.]*',
    'mkdir $TMPDIR/d; mkfifo $TMPDIR/d/f; rm -rf ~; mv $TMPDIR/d/f ~',
    'ln -s /proc/self/root $TMPDIR/r; ln -s ../../.. $TMPDIR/u',
  ])(
    'whatever a command does to its home and /tmp, the next one starts behind the same walls: %s',
    async (hostile) => {
      const runner = open('bubblewrap');
      await line(runner, hostile);
      const next = await line(
        runner,
        `echo it runs; echo x > ${base}/outside; ls ${base}; ls / | grep -c root`,
      );
      expect(next.stdout).toMatch(/^it runs\nproject\n/);
      expect(readdirSync(base)).toEqual(['project']);
      await runner.close();
    },
    60_000,
  );

  test('a session that ends takes with it what it runs, however deep, and its descriptors', async () => {
    const runner = open('bubblewrap');
    await line(runner, 'true');
    const before = readdirSync('/proc/self/fd').length;
    const commands = runner.forSession('gone');
    const marked = 'setsid sh -c "setsid sleep 987654 & setsid sleep 987654 & wait" & sleep 987654';
    await commands.start(
      { kind: 'script', script: marked, shell: 'bash' },
      { workingFolder: root, inSession: true },
    );
    await expect.poll(() => countSleepers('987654')).toBe(3);
    const slow = line(runner, 'sleep 987654', { session: 'gone', timeoutMs: 60_000 });
    await expect.poll(() => countSleepers('987654')).toBe(4);
    await Promise.all([runner.endSession('gone'), expect(slow).rejects.toThrow()]);
    expect(countSleepers('987654')).toBe(0);
    await expect.poll(() => readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before);
    await runner.close();
  }, 60_000);
});
