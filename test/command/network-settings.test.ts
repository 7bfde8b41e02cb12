import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConfigFile } from '../../src/config/schema.ts';
import { ConfigError } from '../../src/contract/error.ts';
import { needs, programs, sandbox } from '../support/needs.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';

const echo = createServer((socket) => {
  socket.on('error', () => {});
  socket.end('hello\n');
});
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  port = (echo.address() as AddressInfo).port;
});
afterAll(() => void echo.close());

/** An entry without bytes: what was not reached. */
const unreached = (host: string) => ({ host, outcome: 'unlisted', times: 1, sentBytes: 0, receivedBytes: 0 });

const full = {
  mode: 'full-access',
  toolsets: ['agent-cli', 'assistant'],
  assistant: { layout: 'workspace' },
} as const satisfies ConfigFile;
/** The judge refuses such words in a command; a program may do what it likes. */
const ask = (where: string) =>
  `exec 5<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT ${where} HTTP/1.1\\r\\n\\r\\n' >&5; read -r line <&5; echo "$line"`;
const openWith = (script: string, config: ConfigFile) =>
  openTestCheckpoint({ files: { 'ask.sh': script }, config: { ...full, ...config } });

test(
  'whom a command reached stands in its audit entry, and a refusal in what it returns',
  needs(sandbox('bubblewrap'), programs('bash')),
  async () => {
    await using world = await openWith(`cat </dev/tcp/127.0.0.1/${port}; ${ask('example.com:443')}`, {
      process: { network: [`localhost:${port}`, '*.example.com'] },
    });
    const reply = await world.call('shell_exec', { command: 'bash', args: ['ask.sh'] });
    expect(reply).toMatchObject({
      kind: 'output',
      structured: {
        stdout: 'hello\nHTTP/1.1 403 example.com:443 is not in process.network\n',
        stderr:
          '[network: example.com:443 may not be reached; the operator can list it in process.network]\n',
      },
    });
    const { audit } = await world.checkpoint.store();
    const [entry] = await audit.search({ limit: 1, newestFirst: true });
    expect(entry?.facts?.network).toEqual([
      {
        host: `localhost:${port}`,
        outcome: 'reached',
        times: 1,
        sentBytes: 0,
        receivedBytes: 6,
        isTunnel: true,
      },
      unreached('example.com:443'),
    ]);
  },
);

test(
  'whom a background command reached stands in the entries of what looks at it',
  needs(sandbox('bubblewrap'), programs('bash')),
  async () => {
    await using world = await openWith(`${ask('example.com:443')}; sleep 60`, {
      process: { network: ['*.example.com'] },
    });
    const started = await world.call('bash', { command: 'bash ask.sh', background: true });
    const { process_id: id } = (started as unknown as { structured: { process_id: string } }).structured;
    await world.call('bash_output', { process_id: id, wait: 20 });
    await world.call('bash_kill', { process_id: id });
    const { audit } = await world.checkpoint.store();
    const entries = await audit.search({ limit: 2, newestFirst: true });
    expect(entries.map(({ tool, facts }) => [tool, facts?.network])).toEqual([
      ['bash_kill', [unreached('example.com:443')]],
      ['bash_output', [unreached('example.com:443')]],
    ]);
  },
);

test(
  'a rule that denies a host to everybody closes it for commands',
  needs(sandbox('bubblewrap'), programs('bash')),
  async () => {
    await using world = await openWith(ask('evil.example.com:443'), {
      process: { network: ['*.example.com'] },
      rules: [{ host: 'evil.example.com', decision: 'deny', because: 'it is' }],
    });
    const reply = await world.call('shell_exec', { command: 'bash', args: ['ask.sh'] });
    expect(reply).toMatchObject({ structured: { stdout: expect.stringMatching(/^HTTP\/1\.1 403 /) } });
  },
);

test(
  "a proxied server's tool reaches what its list names",
  needs(sandbox('bubblewrap'), programs('bash')),
  async () => {
    const site = createHttpServer((request, response) => response.end(`page ${request.url}`));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.2', resolve));
    const where = `127.0.0.2:${(site.address() as AddressInfo).port}`;
    const script = join(import.meta.dirname, 'fetching-server.cjs');
    await using world = await openTestCheckpoint({
      config: {
        mode: 'full-access',
        mcpServers: {
          may: { command: process.execPath, args: [script], network: [where] },
          other: { command: process.execPath, args: [script], network: ['example.com'] },
          none: { command: process.execPath, args: [script] },
        },
      },
    });
    const get = async (server: string) => {
      const reply = await world.call(`${server}__get`, { url: `http://${where}/x` });
      return JSON.stringify(reply);
    };
    expect(await get('may')).toContain('page /x');
    expect(await get('other')).toMatch(/failed: .*403/);
    expect(await get('none')).toMatch(/failed: .*connect E/);
    site.close();
  },
);

const servers = (more: object) => ({ servers: [{ name: 'api', ...more }] }) as ConfigFile;

test.each<readonly [string, ConfigFile, RegExp]>([
  [
    'an entry that is no host',
    { process: { network: ['https://example.com'] } },
    /^process\.network\[0\] must be a host/,
  ],
  ['everything', { process: { network: ['a.example', '*'] } }, /^process\.network\[1\] must be a host/],
  [
    'an inner address without a port',
    { process: { network: ['10.0.0.8'] } },
    /^process\.network\[0\] must have a port/,
  ],
  [
    'an inspected port of this machine',
    { process: { network: [{ host: 'localhost:8080', tls: 'inspect' }] } },
    /^process\.network cannot inspect localhost:8080/,
  ],
  [
    'such an entry of a server',
    servers({ command: 'x', network: ['10.0.0.8'] }),
    /^servers\.api\.network\[0\] must have a port/,
  ],
  [
    'a list for a server elsewhere',
    servers({ url: 'https://example.com', network: [] }),
    /^servers\.api\.network is for/,
  ],
  [
    'a rule that denies what cannot be told of a host',
    {
      process: { network: ['a.example'] },
      rules: [{ host: 'a.*.example', decision: 'deny', because: 'no' }],
    },
    /^Beside process\.network, the host of a rule that denies must be a host/,
  ],
  ['no list', { process: { network: 'example.com' } } as unknown as ConfigFile, /process\.network/],
])('%s stops start-up', async (_, config, message) => {
  const opened = openTestCheckpoint({ config });
  await expect(opened).rejects.toThrow(ConfigError);
  await expect(opened).rejects.toThrow(message);
});
