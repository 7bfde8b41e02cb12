import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import type { HeldRequest, RequestAnswer, RunOptions } from '../../src/contract/capabilities/process.ts';
import { startPostgres } from '../store/postgres-server.ts';
import { createTestJudge } from '../support/effects-judge.ts';
import { needs, programs, sandbox } from '../support/needs.ts';
import { no, openOrigin, yes } from './world.ts';

const root = realpathSync(mkdtempSync('/var/tmp/sekisho-direct-'));
/** Repeats what it hears, and one that speaks first. */
const echo = createServer((socket) => void socket.on('error', () => {}).pipe(socket));
const greeter = createServer((socket) => void socket.on('error', () => {}).end('220 ready\n'));

let origin: Awaited<ReturnType<typeof openOrigin>>;
let runner: CommandRunner;
let asked: HeldRequest[] = [];
let answer: RequestAnswer = no;
let inner = '127.0.0.1';
const ports = { origin: 0, echo: 0, greeter: 0 };

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve));
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  origin = await openOrigin('api.test');
  ports.origin = origin.port;
  ports.echo = await listen(echo);
  ports.greeter = await listen(greeter);
  const named = ['api.test', 'other.test'].map((host) => `${host}:${ports.origin}`);
  runner = new CommandRunner({
    roots: [{ hostPath: root, writable: true }],
    sandbox: 'required',
    backends: ['bubblewrap'],
    layers: `${root}-layers`,
    serverEnvironment: { PATH: process.env.PATH, HOME: process.env.HOME },
    readable: [dirname(dirname(process.execPath))],
    network: {
      key: 'process.network',
      tunnels: [],
      trusted: () => origin.certificate,
      entries: [
        ...named,
        ...[`db.test:${ports.echo}`, `mail.test:${ports.greeter}`, `inner.test:${ports.echo}`, 'far.test'],
        ...[ports.origin, ports.echo, ports.greeter].map((port) => `127.0.0.2:${port}`),
      ],
      resolve: async (host) => [host === 'inner.test' ? inner : '127.0.0.2'],
    },
  });
});
beforeEach(() => {
  asked = [];
  answer = no;
  origin.arrived.length = 0;
});
afterAll(async () => {
  await runner.close();
  origin.close();
  echo.close();
  greeter.close();
  for (const folder of [root, `${root}-layers`]) rmSync(folder, { recursive: true, force: true });
});

const judge = {
  ...createTestJudge(),
  askAboutRequest: async (held: HeldRequest) => {
    asked.push(held);
    return answer;
  },
};

/** Without the variables of the proxy, as programs see it that do not read them. */
const bash = (script: string, more: Partial<RunOptions> = {}, session = 'one') =>
  runner.forSession(session, { judge }).run(
    {
      kind: 'script',
      script: `unset ${['HTTP', 'HTTPS', 'ALL', 'http', 'https', 'all'].map((name) => `${name}_${name === name.toLowerCase() ? 'proxy' : 'PROXY'}`).join(' ')} NODE_USE_ENV_PROXY\n${script}`,
      shell: 'bash',
    },
    {
      workingFolder: root,
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      inSession: true,
      ...more,
    },
  );

const node = `'${process.execPath}' --input-type=module -e`;
const showing = 'const show = async (r) => console.log(r.status, (await r.text()).trim());';

/** Each reads `/read`, and then sends five bytes by PUT to `/sent`. */
const ignoring: readonly (readonly [name: string, program: string | undefined, script: string])[] = [
  [
    'curl --noproxy',
    'curl',
    "curl -sS --noproxy '*' BASE/read; curl -sS --noproxy '*' -T <(printf words) BASE/sent",
  ],
  [
    'http.client',
    'python3',
    `python3 -c "
import http.client
for method, path, body in [('GET', '/read', None), ('PUT', '/sent', b'words')]:
  c = http.client.HTTPSConnection('HOST'); c.request(method, path, body); r = c.getresponse(); print(r.status, r.read().decode().strip())"`,
  ],
  [
    'fetch',
    undefined,
    `${node} "${showing} await show(await fetch('BASE/read')); await show(await fetch('BASE/sent', { method: 'PUT', body: 'words' }))"`,
  ],
  [
    'node:https',
    undefined,
    `${node} "import { request } from 'node:https';
for (const [method, path, body] of [['GET', '/read'], ['PUT', '/sent', 'words']])
  await new Promise((done) => request('BASE' + path, { method }, (r) => r.on('data', (d) => console.log(r.statusCode, String(d).trim())).on('end', done)).end(body));"`,
  ],
  [
    'http2.connect',
    undefined,
    `${node} "import { connect } from 'node:http2'; const session = connect('BASE');
for (const [method, path, body] of [['GET', '/read'], ['PUT', '/sent', 'words']])
  await new Promise((done) => session.request({ ':method': method, ':path': path }, { endStream: !body }).on('response', (h) => console.log(h[':status'])).on('data', (d) => console.log(String(d).trim())).on('end', done).end(body));
session.close()"`,
  ],
  [
    'HttpClient of Java',
    'javac',
    `cat >Sends.java <<'EOF'
import java.net.*; import java.net.http.*;
public class Sends { public static void main(String[] a) throws Exception {
  var client = HttpClient.newBuilder().proxy(HttpClient.Builder.NO_PROXY).build();
  for (var request : new HttpRequest[] { HttpRequest.newBuilder(URI.create("BASE/read")).build(),
    HttpRequest.newBuilder(URI.create("BASE/sent")).PUT(HttpRequest.BodyPublishers.ofString("words")).build() }) {
    var r = client.send(request, HttpResponse.BodyHandlers.ofString()); System.out.println(r.statusCode() + " " + r.body()); } } }
EOF
java Sends.java`,
  ],
];

describe.each(ignoring)('%s, which asks no proxy', (_, program, script) => {
  const lacks = [sandbox('bubblewrap'), ...(program === undefined ? [] : [programs(program)])];
  const run = () =>
    bash(
      script
        .replaceAll('BASE', `https://api.test:${ports.origin}`)
        .replaceAll('HOST', `api.test:${ports.origin}`),
    );

  test('reads unasked, and nothing that it sends leaves without a yes', needs(...lacks), async () => {
    const refused = await run();
    expect(refused.stdout).toContain('origin: GET /read');
    expect(refused.stdout).toContain('A person refused.');
    expect(origin.arrived.map(({ line }) => line)).toEqual(['GET /read']);
    expect(asked.map(({ method, host, path }) => `${method} ${host}${path}`)).toEqual([
      `PUT api.test:${ports.origin}/sent`,
    ]);
    answer = yes;
    expect((await run()).stdout).toContain('origin: PUT /sent');
    expect(origin.arrived.at(-1)).toMatchObject({ line: 'PUT /sent', body: 'words' });
  });
});

describe('in the sandbox', needs(sandbox('bubblewrap'), programs('curl')), () => {
  test('the ports of the web are served too, for a command of its own as for a session', async () => {
    for (const inSession of [true, false]) {
      const { stdout } = await bash(
        "for scheme in http https; do curl -s --noproxy '*' -o /dev/null -w '%{http_code} ' $scheme://far.test/; done; grep -c CapEff:.0*$ /proc/self/status",
        { inSession },
      );
      // The host leads inside.
      expect(stdout).toBe('403 403 1\n');
    }
  });

  test.each([
    [
      'another name in the greeting',
      'curl -sS --noproxy "*" --resolve other.test:PORT:127.64.0.1 https://other.test:PORT/a',
    ],
    [
      'an unlisted name in the greeting',
      'curl -skS --noproxy "*" --resolve evil.test:PORT:127.64.0.1 https://evil.test:PORT/a',
    ],
    ['no name in the greeting', 'curl -skS --noproxy "*" https://127.64.0.1:PORT/a'],
    [
      'another Host below the greeting',
      'curl -sS --noproxy "*" -H "Host: other.test:PORT" https://api.test:PORT/a',
    ],
    ['another Host in the clear', 'curl -sS --noproxy "*" -H "Host: other.test:PORT" http://api.test:PORT/a'],
    ['an address that no host has', 'curl -sS --noproxy "*" http://127.0.0.1:80/ http://127.77.0.1:443/'],
    [
      'a hosts file of its own',
      'echo 127.64.0.1 evil.test >>/etc/hosts; cp /etc/hosts h; mv h /etc/hosts; mount --bind h /etc/hosts; curl -skS --noproxy "*" https://evil.test:PORT/a',
    ],
    [
      'a second request of another host',
      `exec 5<>/dev/tcp/api.test/PORT; printf 'GET /a HTTP/1.1\\r\\nHost: other.test:PORT\\r\\n\\r\\nPOST /b HTTP/1.1\\r\\nHost: evil.test\\r\\nContent-Length: 1\\r\\n\\r\\nx' >&5; cat <&5`,
    ],
  ])('%s leads nowhere', async (name, script) => {
    answer = yes;
    const { stdout, network = [] } = await bash(script.replaceAll('PORT', `${ports.origin}`));
    expect(stdout).not.toContain('origin:');
    expect(origin.arrived).toEqual([]);
    if (name.endsWith('in the greeting'))
      expect(network).toMatchObject([{ host: `api.test:${ports.origin}`, outcome: 'misnamed' }]);
  });

  test.each(['127.0.0.1', '169.254.169.254', '10.1.2.3', '::1'])(
    'a listed name that leads to %s is not connected to',
    async (address) => {
      inner = address;
      answer = yes;
      const result = await bash(
        `exec 5<>/dev/tcp/inner.test/${ports.echo}; echo hello >&5; cat <&5; curl -sS --noproxy '*' http://inner.test:${ports.echo}/`,
      );
      expect(result.stdout).not.toMatch(/hello|HTTP/);
      expect(result.stdout).toContain('does not lead to a public internet address');
      expect(result.network).toContainEqual(expect.objectContaining({ outcome: 'inner' }));
    },
  );

  test("what a session listens on at a host's address is its own", async () => {
    const took = await bash(
      `python3 -c "import socket; s = socket.socket(); s.bind(('127.64.0.1', 8080)); s.bind" && echo free; python3 -c "import socket; s = socket.socket(); s.bind(('127.64.0.1', ${ports.origin}))" 2>&1 | tail -1`,
    );
    expect(took.stdout).toMatch(/^free\n.*in use\n$/);
    await bash(`python3 -m http.server --bind 127.64.0.2 8081 >/dev/null 2>&1 & sleep 1`);
    const other = await bash("curl -sS --noproxy '*' http://127.64.0.2:8081/ || echo closed", {}, 'two');
    expect(other.stdout).toBe('closed\n');
  });
});

describe('a service', needs(sandbox('bubblewrap'), programs('bash')), () => {
  const speak = () =>
    `(exec 5<>/dev/tcp/db.test/${ports.echo}; echo hello >&5; read -r line <&5; echo "got $line"); `;

  test('is asked about once for a session and a host, and is not looked into', async () => {
    answer = yes;
    const first = await bash(speak() + speak(), {}, 'first');
    expect(first.stdout).toBe('got hello\ngot hello\n');
    expect(first.network).toMatchObject([
      {
        host: `db.test:${ports.echo}`,
        outcome: 'reached',
        isTunnel: true,
        requests: [{ method: 'CONNECT', allowedBy: 'alice' }],
      },
    ]);
    // In a sandbox of its own, too.
    expect((await bash(speak(), { inSession: false }, 'first')).stdout).toBe('got hello\n');
    expect(asked.map(({ scheme, host, summary }) => [scheme, host, summary.en])).toEqual([
      ['tcp', `db.test:${ports.echo}`, 'opens a connection that is not looked into'],
    ]);
    const greeted = await bash(
      `read -r line </dev/tcp/mail.test/${ports.greeter}; echo "$line"`,
      {},
      'first',
    );
    expect(greeted.stdout).toBe('220 ready\n');
    await bash(speak(), {}, 'second');
    expect(asked.map(({ host }) => host)).toEqual(
      [ports.echo, ports.greeter, ports.echo].map(
        (port, index) => `${index === 1 ? 'mail' : 'db'}.test:${port}`,
      ),
    );
  });

  test('is not connected to without a yes, nor in a dry run after one', async () => {
    const connected: Socket[] = [];
    echo.on('connection', (socket) => connected.push(socket));
    const refused = await bash(speak(), {}, 'third');
    expect(refused.stdout).toBe('got \n');
    expect(refused.stderr).toContain(
      `[network: did not send 1 request to db.test:${ports.echo}: CONNECT. A person refused.]`,
    );
    answer = yes;
    expect((await bash(speak(), {}, 'third')).stdout).toBe('got hello\n');
    expect((await bash(speak(), { fate: 'dry-run' }, 'third')).stdout).toBe('got \n');
    expect(connected).toHaveLength(1);
  });

  test('can be a database', needs(programs('psql')), async () => {
    const server = await startPostgres();
    if ('missing' in server) throw new Error(server.missing);
    const url = new URL(await server.createDatabase());
    const other = new CommandRunner({
      roots: [{ hostPath: root, writable: true }],
      sandbox: 'required',
      backends: ['bubblewrap'],
      serverEnvironment: { PATH: process.env.PATH, HOME: process.env.HOME },
      network: {
        key: 'process.network',
        tunnels: [],
        entries: [`db.internal:${url.port}`, `127.0.0.1:${url.port}`].toReversed(),
        resolve: async () => ['127.0.0.1'],
      },
    });
    answer = yes;
    url.hostname = 'db.internal';
    const { stdout, stderr } = await other
      .forSession('one', { judge })
      .run(
        { kind: 'program', program: 'psql', args: ['-Atc', 'select 6 * 7', `${url}`] },
        { workingFolder: root, timeoutMs: 60_000, signal: new AbortController().signal },
      );
    await other.close();
    await server.stop();
    expect({ stdout, stderr }).toEqual({
      stdout: '42\n',
      stderr: expect.stringContaining('CONNECT, allowed by alice'),
    });
    expect(asked).toHaveLength(1);
  });
});
