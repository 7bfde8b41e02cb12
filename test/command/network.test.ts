import { once } from 'node:events';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import type { CommandsOptions } from '../../src/command/commands-options.ts';
import { defaultProcessLimits } from '../../src/command/prelude.ts';
import { openBubblewrap } from '../../src/command/sandbox/bubblewrap.ts';
import { openServerProcesses } from '../../src/command/servers.ts';
import { findToolchains } from '../../src/command/toolchains/find.ts';
import { createCommandJudge } from '../../src/judgement/judge.ts';
import { createProxy } from '../../src/network/proxy/open.ts';
import { needs, programs, sandbox } from '../support/needs.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-network-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A web server on an address of this machine that is not a command's own loopback. */
const site = createHttpServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (chunk: Buffer) => parts.push(chunk));
  request.on('end', () =>
    response.end(
      `${request.method} ${request.headers.host}${request.url} ${Buffer.concat(parts).length} bytes\n`,
    ),
  );
});
/** Says its name and repeats what it hears. */
const echo = createServer((socket) => {
  socket.on('error', () => {});
  socket.write('echo:');
  socket.pipe(socket);
});
let port = 0;
let echoPort = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.2', resolve));
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  port = (site.address() as AddressInfo).port;
  echoPort = (echo.address() as AddressInfo).port;
});
afterAll(() => {
  site.close();
  echo.close();
});

function open(entries: readonly string[], more: Partial<CommandsOptions> = {}) {
  const runner = new CommandRunner({
    roots: [{ hostPath: root, writable: true }],
    sandbox: 'required',
    backends: ['bubblewrap'],
    serverEnvironment: { PATH: process.env.PATH, HOME: process.env.HOME },
    readable: [dirname(dirname(process.execPath))],
    network: {
      entries,
      key: 'process.network',
      resolve: async (host) => [host.endsWith('.test') ? '127.0.0.2' : '127.0.0.1'],
    },
    ...more,
  });
  const { run, start } = runner.forSession('one');
  return Object.assign(runner, {
    start,
    bash: (script: string) =>
      run(
        { kind: 'script', script, shell: 'bash' },
        { workingFolder: root, timeoutMs: 60_000, signal: new AbortController().signal },
      ),
  });
}

describe('bubblewrap', needs(sandbox('bubblewrap'), programs('bash')), () => {
  test('a command reaches a listed host and no other', needs(programs('curl')), async () => {
    const runner = open([`127.0.0.2:${port}`, `registry.test:${port}`]);
    try {
      expect(await runner.status()).toMatchObject([{ name: 'bubblewrap', works: true }]);
      const result = await runner.bash(
        `curl -s http://registry.test:${port}/a; curl -s -d 12345 http://127.0.0.2:${port}/b; ` +
          `curl -s http://other.test:${port}/c; curl -sS https://example.org/`,
      );
      expect(result.stdout).toBe(
        `GET registry.test:${port}/a 0 bytes\nPOST 127.0.0.2:${port}/b 5 bytes\n` +
          `Sekisho: other.test:${port} is not among the hosts that may be reached from here. The operator can add it to process.network.\n` +
          `other.test:${port} への接続は許可されていません。運用者は process.network に追加できます。\n`,
      );
      expect(result.exitCode).toBe(56);
      expect(result.stderr).toContain(
        '[network: example.org:443 may not be reached; the operator can list it in process.network]',
      );
      expect(result.network?.map(({ host, outcome, times }) => [host, outcome, times])).toEqual([
        [`registry.test:${port}`, 'reached', 1],
        [`127.0.0.2:${port}`, 'reached', 1],
        [`other.test:${port}`, 'unlisted', 1],
        ['example.org:443', 'unlisted', 1],
      ]);
      expect(result.network?.[1]?.receivedBytes).toBeGreaterThan(50);
    } finally {
      await runner.close();
    }
  });

  test(
    'a command that is not read reaches no host, and is told why where it fails',
    needs(programs('curl')),
    async () => {
      const note = '[network: it ran without hosts, as it starts what is only known when it runs;';
      const { isRead } = createCommandJudge();
      const runner = open([`127.0.0.2:${port}`], { isRead });
      try {
        const line = `curl -sS http://127.0.0.2:${port}/a`;
        const read = await runner.bash(`${line}; false`);
        expect(read.stdout).toContain('GET 127.0.0.2');
        expect(read.stderr).not.toContain(note);

        const unread = await runner.bash(`x=$(printf '%s' '${line}'); $x`);
        expect(unread.stdout).not.toContain('GET');
        expect(unread.network).toBeUndefined();
        expect(unread.stderr).toContain(note);
      } finally {
        await runner.close();
      }
    },
  );

  test("Node's own fetch finds the way", async () => {
    const runner = open([`127.0.0.2:${port}`, `registry.test:${port}`]);
    const script = `fetch('http://registry.test:${port}/f', { method: 'POST', body: 'x'.repeat(70000) }).then(r => r.text()).then(console.log)`;
    const result = await runner.bash(`'${process.execPath}' -e "${script}"`);
    await runner.close();
    expect(result).toMatchObject({ stdout: `POST registry.test:${port}/f 70000 bytes\n\n`, stderr: '' });
  });

  test("a listed port of this machine's loopback is there on the command's own, in any protocol", async () => {
    const runner = open([`localhost:${echoPort}`]);
    const result = await runner.bash(
      `exec 5<>/dev/tcp/127.0.0.1/${echoPort}; printf 'hello\\n' >&5; read -r line <&5; echo "$line"`,
    );
    await runner.close();
    expect(result).toMatchObject({ stdout: 'echo:hello\n', exitCode: 0 });
    expect(result.network).toMatchObject([
      { host: `localhost:${echoPort}`, outcome: 'reached', sentBytes: 6 },
    ]);
  });

  test('a command finds nothing open that it was not given, and its own loopback is its own', async () => {
    const runner = open([`127.0.0.2:${port}`]);
    const result = await runner.bash(
      'echo /proc/self/fd/*; echo $$; (exec 5<>/dev/tcp/127.0.0.1/3129) 2>/dev/null || echo closed; echo "$no_proxy"',
    );
    await runner.close();
    expect(result.stdout).toBe(
      '/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 /proc/self/fd/3\n2\nclosed\nlocalhost,.localhost,127.0.0.1,::1,0.0.0.0\n',
    );
  });

  test.each([[[]], [undefined]])('with the list %j there is no proxy', async (entries) => {
    const runner = open([], {
      network: entries && { entries, key: 'process.network' },
    });
    const result = await runner.bash(
      '(exec 5<>/dev/tcp/127.0.0.1/3128) 2>/dev/null || echo closed; env | grep -ci proxy',
    );
    await runner.close();
    expect(result.stdout).toBe('closed\n0\n');
    expect(result.network).toBeUndefined();
  });

  test('a background command has it as long as it lives, and says whom it reached', async () => {
    const runner = open([`localhost:${echoPort}`]);
    const command = await runner.start(
      {
        kind: 'script',
        shell: 'bash',
        script: `exec 5<>/dev/tcp/127.0.0.1/${echoPort}; read -r -N 5 line <&5; echo "$line"; read -r wait`,
      },
      { workingFolder: root },
    );
    await expect.poll(() => command.read().text).toBe('echo:\n');
    expect(command.network()).toMatchObject([{ host: `localhost:${echoPort}`, outcome: 'reached' }]);
    await command.kill();
    expect(command.network()).toMatchObject([{ receivedBytes: 5 }]);
    await runner.close();
  });

  test('what a command leaves behind loses the way with it', async () => {
    const runner = open([`localhost:${echoPort}`]);
    let reached = 0;
    const count = () => reached++;
    echo.on('connection', count);
    const loop = `while :; do (exec 5<>/dev/tcp/127.0.0.1/${echoPort}) 2>/dev/null; done`;
    const result = await runner.bash(`setsid bash -c '${loop}' >/dev/null 2>&1 & (${loop}) & sleep 0.5`);
    expect(result.exitCode).toBe(0);
    // What was on its way when the command ended still arrives; a loop that goes on never lets it rest.
    for (let before = -1; before !== reached; ) {
      before = reached;
      await sleep(700);
    }
    echo.off('connection', count);
    expect(reached).toBeGreaterThan(0);
    await runner.close();
  });

  test('no command reaches the proxy of another', async () => {
    const [one, other] = [open([`localhost:${echoPort}`]), open(['example.com'])];
    const slow = one.bash('sleep 2');
    const scan = `for port in {3000..3200} ${echoPort}; do (exec 5<>/dev/tcp/127.0.0.1/$port) 2>/dev/null && echo $port; done; cat /proc/net/tcp | tail -n +2 | wc -l`;
    expect((await other.bash(scan)).stdout).toMatch(/^3128\n\d+\n$/);
    await slow;
    await Promise.all([one.close(), other.close()]);
  });

  test('a command that is stopped in the middle of a download leaves nothing', async () => {
    const runner = open([`localhost:${echoPort}`]);
    const stop = new AbortController();
    const work = runner
      .forSession('two')
      .run(
        { kind: 'script', shell: 'bash', script: `exec 5<>/dev/tcp/127.0.0.1/${echoPort}; cat <&5` },
        { workingFolder: root, timeoutMs: 60_000, signal: stop.signal },
      );
    const [socket] = (await once(echo, 'connection')) as [Socket];
    const closed = once(socket, 'close');
    stop.abort();
    await expect(work).rejects.toMatchObject({ code: 'cancelled' });
    await closed;
    await runner.close();
  });

  test('nothing stays open of commands that came and went, or were stopped', {
    timeout: 400_000,
  }, async () => {
    const runner = open([`localhost:${echoPort}`]);
    const script = `exec 5<>/dev/tcp/127.0.0.1/${echoPort}; read -r -N 5 line <&5`;
    const some = async () => {
      await Promise.all(Array.from({ length: 12 }, () => runner.bash(script)));
      await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          runner
            .forSession(`stopped ${index}`)
            .run(
              { kind: 'script', shell: 'bash', script: `${script}; sleep 60` },
              { workingFolder: root, timeoutMs: 1 + index * 10, signal: new AbortController().signal },
            ),
        ),
      );
      await sleep(100);
      return readdirSync('/proc/self/fd').length;
    };
    const before = await some();
    for (let round = 0; round < (process.env.SEKISHO_HAMMER ? 50 : 2); round++) await some();
    expect(await some()).toBeLessThanOrEqual(before + 2);
    await runner.close();
  });

  test('where bubblewrap cannot be started, the way is taken back', async () => {
    const proxy = createProxy({ entries: ['example.com'], key: 'process.network' });
    const backend = await openBubblewrap({
      program: '/no/such/bwrap',
      roots: [{ hostPath: root, writable: true }],
      readable: [],
      readOnlyNames: [],
      hiddenPaths: [],
      temporaryBytes: 1024,
      toolchains: findToolchains({ environment: {}, roots: [root] }),
      network: proxy,
      git: { config: '', ignored: '', attributes: '' },
    });
    const before = readdirSync('/proc/self/fd').length;
    for (let times = 0; times < 5; times++) {
      const started = backend.spawn({
        command: { kind: 'program', program: 'true', args: [] },
        limits: defaultProcessLimits,
        workingFolder: root,
        environment: {},
        writable: [],
        stdin: 'null',
        outlet: proxy.openOutlet(),
      });
      await expect(started).rejects.toThrow();
    }
    await sleep(100);
    expect(readdirSync('/proc/self/fd').length).toBe(before);
    await backend.close();
  });

  test('a proxied server reaches the hosts of its own list and no others', async () => {
    const servers = openServerProcesses({
      roots: [{ hostPath: root, writable: true }],
      serverEnvironment: { PATH: process.env.PATH, HOME: process.env.HOME },
    });
    const ask = async (entries: readonly string[] | undefined) => {
      const child = await servers.start({
        kind: 'stdio',
        command: 'bash',
        args: ['-c', `exec 5<>/dev/tcp/127.0.0.1/${echoPort}; read -r -N 5 line <&5; echo "got $line"`],
        env: {},
        folders: [],
        sandbox: 'required',
        network: entries && { entries, key: 'servers.api.network' },
      });
      const output = await child.stdout?.toArray();
      await child.ended;
      return Buffer.concat(output ?? []).toString();
    };
    expect(await ask([`localhost:${echoPort}`])).toBe('got echo:\n');
    expect(await ask(['api.example.com'])).toBe('got \n');
    expect(await ask(undefined)).toBe('got \n');
    await servers.close();
  });
});

test(
  'behind Landlock alone commands run without network, and the status says so',
  needs(sandbox('landlock')),
  async () => {
    const runner = open([`127.0.0.2:${port}`], { backends: ['landlock'] });
    const [status] = await runner.status();
    expect(status).toMatchObject({ name: 'landlock', works: true });
    expect(status?.withoutNetwork?.en).toMatch(/no host of process\.network: Landlock/);
    const result = await runner.bash(
      `(exec 5<>/dev/tcp/127.0.0.2/${port}) 2>/dev/null || echo closed; env | grep -ci proxy`,
    );
    await runner.close();
    expect(result.stdout).toBe('closed\n0\n');
  },
);
