import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openLandlock } from '../../src/command/landlock/open.ts';
import { openBubblewrap } from '../../src/command/sandbox/bubblewrap.ts';
import type { BubblewrapOptions } from '../../src/command/sandbox/bubblewrap-mounts.ts';
import { findHole } from '../../src/command/sandbox/self-test.ts';
import { openUnconfined } from '../../src/command/sandbox/unconfined.ts';
import { findToolchains } from '../../src/command/toolchains/find.ts';
import { createProxy, type HostProxy } from '../../src/network/proxy/open.ts';
import { needs, programs, sandbox } from '../support/needs.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-self-test-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const ourProxy = { address: '127.0.0.1', port: 3128, serves: 'proxy' } as const;

/** bubblewrap with its arguments changed: what an old or patched one would be. */
function weakened(
  change: string,
  mode = 0o755,
  network: BubblewrapOptions['network'] = {
    listening: [ourProxy],
    addresses: new Map(),
    homeFiles: new Map(),
  },
) {
  const program = join(root, `bwrap-${Math.random()}`);
  writeFileSync(program, `#!/bin/bash\nargs=("$@")\n${change}\nexec /usr/bin/bwrap "\${args[@]}"\n`);
  chmodSync(program, mode);
  return openBubblewrap({
    program,
    roots: [{ hostPath: root, writable: true }],
    readable: [],
    readOnlyNames: [],
    hiddenPaths: [],
    temporaryBytes: 1024 * 1024,
    toolchains: findToolchains({ environment: {}, roots: [root] }),
    network,
    git: { config: '', ignored: '', attributes: '' },
  });
}

/** A proxy in the place of ours, that answers each connection as it likes. */
function proxyThat(answers: (client: Socket) => void): HostProxy {
  return {
    listening: [ourProxy],
    addresses: new Map(),
    homeFiles: new Map(),
    environment: {},
    gitSettings: [],
    openOutlet() {
      const server = createServer(answers);
      const sockets = new Set<Socket>();
      server.on('connection', (socket) => {
        sockets.add(socket);
        socket.on('error', () => {});
      });
      return {
        adopt: ([fd = 0]) => void server.listen({ fd }),
        contacts: () => [],
        attend: () => () => {},
        close() {
          server.close();
          for (const socket of sockets) socket.destroy();
        },
      };
    },
  };
}

const without = (words: string, count: number) =>
  `for i in "\${!args[@]}"; do if [ "\${args[i]}" = "${words}" ]; then args=("\${args[@]:0:i}" "\${args[@]:i+${count}}"); break; fi; done`;

describe('bubblewrap', needs(sandbox('bubblewrap')), () => {
  test.each([
    ['the network is shared', 'args=("${args[0]}" --share-net "${args[@]:1}")', /network/],
    [
      "the host's files are bound",
      `for i in "\${!args[@]}"; do [ "\${args[i]}" = --remount-ro ] && args=("\${args[@]:0:i}" --bind '${homedir()}' '${homedir()}' "\${args[@]:i}") && break; done`,
      /file outside could be (read|written)/,
    ],
    [
      "the kernel's settings are left writable",
      'for i in "${!args[@]}"; do [ "${args[i]}" = /proc/sys ] && args[i]=/proc/bus; done',
      /setting of the kernel could be written \(\/proc\/sys\//,
    ],
    // By bubblewrap itself, or by the program of ours that loads it.
    [
      'the system call filter is left out',
      `${without('--seccomp', 2)}; ${without('/proc/self/fd/3', 1)}`,
      /filter/,
    ],
    ['a descriptor is left open', 'exec 9</dev/null', /descriptor 9 of the server is open inside/],
    [
      'capabilities are kept',
      `${without('--cap-drop', 2)}; args=(--cap-add ALL "\${args[@]}")`,
      /capabilities/,
    ],
  ])('when %s, the self-test goes red', async (_, change, hole) => {
    const backend = await weakened(change);
    try {
      const found = await findHole(backend, [root]);
      expect(found).toMatch(hole);
    } finally {
      await backend.close();
    }
  });

  test('what a killed server left of its own is removed', async () => {
    const home = process.env.HOME;
    process.env.HOME = mkdtempSync(join('/var/tmp', 'sekisho-home-'));
    const [old, young] = ['old', 'young'].map((name) => join(homedir(), `.sekisho-probe-${name}`));
    try {
      for (const folder of [old, young]) mkdirSync(folder ?? '');
      utimesSync(old ?? '', 1, 1);
      const backend = await weakened('');
      expect(await findHole(backend, [root])).toBeUndefined();
      await backend.close();
      expect(readdirSync(homedir())).toEqual(['.sekisho-probe-young']);
    } finally {
      rmSync(homedir(), { recursive: true });
      process.env.HOME = home;
    }
  });

  test('as it is, it holds', async () => {
    const backend = await weakened('');
    expect(await findHole(backend, [root])).toBeUndefined();
    await backend.close();
  });

  test('as it is, it holds with a proxy', needs(programs('bash')), async () => {
    const backend = await weakened('');
    const proxy = createProxy({
      entries: ['example.com', '127.0.0.1:1024', 'git.example.com:8443'],
      key: 'process.network',
    });
    expect(proxy.listening.map(({ address, port }) => `${address}:${port}`)).toEqual([
      ...['127.0.0.1:3128', '127.0.0.1:1024', '127.64.0.2:8443', '0.0.0.0:80', '0.0.0.0:443'],
    ]);
    expect(await findHole(backend, [root], { ...proxy, listening: [ourProxy] })).toBeUndefined();
    await backend.close();
  });

  test('one that is set-user-ID gives no right to listen, and the proxy is there all the same', async () => {
    const refusing = 'for arg in "${args[@]}"; do [ "$arg" = CAP_NET_BIND_SERVICE ] && exit 1; done';
    const proxy = createProxy({ entries: ['example.com'], key: 'process.network' });
    const holes = [0o755, 0o4755].map(async (mode) => {
      const backend = await weakened(refusing, mode, proxy);
      const hole = await findHole(backend, [root], proxy).catch((error: Error) => error.message);
      await backend.close();
      return hole;
    });
    expect(await Promise.all(holes)).toEqual([expect.stringContaining('namespaces'), undefined]);
  });

  test.each([
    [
      'lets everything through',
      (client: Socket) =>
        client.once('data', (head) => {
          const port = /:(\d+)/.exec(head.toString())?.[1] ?? 1;
          const answer = () => client.end('HTTP/1.1 403 No\r\n\r\n');
          connect(Number(port), '127.0.0.1', answer).on('error', answer);
        }),
      /the network could be reached/,
    ],
    [
      'tries what it should refuse',
      (client: Socket) => client.once('data', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')),
      /does not refuse CONNECT 127\.0\.0\.1/,
    ],
    ['hangs up', (client: Socket) => client.destroy(), /does not answer/],
  ])('with a proxy that %s, the self-test goes red', needs(programs('bash')), async (_, answers, hole) => {
    const backend = await weakened('');
    expect(await findHole(backend, [root], proxyThat(answers))).toMatch(hole);
    await backend.close();
  });
});

describe('landlock', needs(sandbox('landlock')), () => {
  test('when everything may be read, the self-test goes red', async () => {
    const backend = await openLandlock({
      roots: [root],
      readable: ['/'],
      toolchains: findToolchains({ environment: {}, roots: [root] }),
    });
    try {
      expect(await findHole(backend, [root])).toMatch(/could be read/);
    } finally {
      await backend.close();
    }
  });
});

test('without any wall the self-test goes red', async () => {
  const backend = await openUnconfined();
  expect(await findHole(backend, [root])).toBeDefined();
});
