import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { needs, programs } from '../support/needs.ts';
import { no, openWorld, type World, yes } from './world.ts';

let world: World;
afterEach(() => world.close());

/** Each reads, and then sends five bytes by PUT; `BASE` is the origin. */
const senders: readonly (readonly [name: string, program: string, args: readonly string[]])[] = [
  [
    'urllib',
    'python3',
    [
      '-c',
      `
import urllib.request, urllib.error
print(urllib.request.urlopen('BASE/read').read().decode().strip())
try: print(urllib.request.urlopen(urllib.request.Request('BASE/sent', b'words', method='PUT')).read().decode().strip())
except urllib.error.HTTPError as e: print(e.code, e.reason)
`,
    ],
  ],
  [
    'http.client',
    'python3',
    [
      '-c',
      `
import http.client, os, urllib.parse
proxy = urllib.parse.urlparse(os.environ['HTTPS_PROXY']); to = urllib.parse.urlparse('BASE')
c = http.client.HTTPSConnection(proxy.hostname, proxy.port); c.set_tunnel(to.hostname, to.port)
c.request('GET', '/read'); print(c.getresponse().read().decode().strip())
c.request('PUT', '/sent', iter([b'wo', b'rds']), encode_chunked=True, headers={'Transfer-Encoding': 'chunked'})
r = c.getresponse(); print(r.read().decode().strip() if r.status == 200 else f'{r.status} {r.reason}')
`,
    ],
  ],
  [
    'fetch',
    process.execPath,
    [
      '-e',
      `
const show = async (r) => console.log(r.status === 200 ? (await r.text()).trim() : r.status + ' ' + r.statusText);
await show(await fetch('BASE/read'));
await show(await fetch('BASE/sent', { method: 'PUT', body: new Blob(['words']).stream(), duplex: 'half' }));
`,
      '--input-type=module',
    ],
  ],
  [
    'wget',
    'sh',
    [
      '-c',
      'wget -q --ca-certificate="$CURL_CA_BUNDLE" -O - BASE/read; wget -nv --ca-certificate="$CURL_CA_BUNDLE" -O - --method=PUT --body-data=words BASE/sent 2>&1 | grep -v URL:',
    ],
  ],
  [
    'curl with Expect',
    'sh',
    [
      '-c',
      "curl -sS BASE/read; printf words | curl -sS -H 'Expect: 100-continue' -X PUT --data-binary @- -w '%{http_code}\\n' BASE/sent",
    ],
  ],
];

describe.each(senders)('%s', (_, program, args) => {
  const run = () =>
    world.run(
      program,
      args.map((arg) => arg.replaceAll('BASE', world.base)),
    );

  test(
    'reads unasked, and is refused what it sends',
    needs(program === process.execPath ? undefined : programs(program)),
    async () => {
      world = await openWorld();
      const said = await run();
      expect(said).toContain('origin: GET /read\n');
      expect(said).toMatch(/403/);
      expect(world.asked.map(({ method, path }) => `${method} ${path}`)).toEqual(['PUT /sent']);
      expect(world.arrived.map(({ line }) => line)).toEqual(['GET /read']);
    },
  );

  test(
    'sends once what was agreed to',
    needs(program === process.execPath ? undefined : programs(program)),
    async () => {
      world = await openWorld();
      world.answers(async () => yes);
      expect(await run()).toContain('origin: PUT /sent\n');
      expect(world.arrived.map(({ line, body }) => [line, body])).toEqual([
        ['GET /read', ''],
        ['PUT /sent', 'words'],
      ]);
    },
  );
});

test('git clones and fetches unasked, and a push waits', needs(programs('git')), async () => {
  world = await openWorld();
  // Not a no: it is asked again.
  world.answers(async () => ({ ...no, isOpen: true }));
  const git = (...args: string[]) =>
    world.run('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args]);
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', join(world.folder, 'app.git')]);
  execFileSync('git', ['-C', join(world.folder, 'app.git'), 'config', 'http.receivepack', 'true']);
  world.origin.server.removeAllListeners('request');
  world.origin.server.on('request', (request, response) => serveGit(world.folder, request, response));

  const url = `${world.base}/app.git`;
  expect(await git('clone', '-q', url, 'work')).toBe(
    'warning: You appear to have cloned an empty repository.\n',
  );
  writeFileSync(join(world.folder, 'work', 'a.txt'), 'x'.repeat(3_000_000));
  await git('-C', 'work', 'add', '-A');
  await git('-C', 'work', 'commit', '-qm', 'one');
  expect(await git('-C', 'work', 'push', '-q', 'origin', 'HEAD:main')).toMatch(/403|rejected/);
  expect(execFileSync('git', ['-C', join(world.folder, 'app.git'), 'branch'], { encoding: 'utf8' })).toBe('');
  expect(world.asked.length).toBeGreaterThan(0);
  expect(world.asked[0]?.summary.en).toContain('main');

  world.answers(async () => yes);
  expect(await git('-C', 'work', 'push', '-q', 'origin', 'HEAD:main')).toBe('');
  world.asked.length = 0;
  expect(await git('clone', '-q', url, 'again')).toBe('');
  expect(await git('-C', 'again', 'fetch', '-q')).toBe('');
  expect(world.asked).toEqual([]);
});

/** git's smart HTTP by its own server. */
function serveGit(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'https://x');
  const {
    'content-type': type = '',
    'content-length': length = '',
    'content-encoding': coding = '',
  } = request.headers;
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: type,
      ...(length !== '' && { CONTENT_LENGTH: length }),
      HTTP_CONTENT_ENCODING: coding,
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_USER: 'a',
    },
  });
  request.pipe(backend.stdin.on('error', () => {}));
  let head: Buffer | undefined = Buffer.alloc(0);
  backend.stdout.on('data', (chunk: Buffer) => {
    if (head === undefined) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    const fields = head
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(': '));
    const status = fields.find(([name]) => name === 'Status')?.[1] ?? '200';
    response.writeHead(
      Number.parseInt(status, 10),
      fields.filter(([name]) => name !== 'Status').flat() as string[],
    );
    response.write(head.subarray(end + 4));
    head = undefined;
  });
  backend.on('close', () => response.end());
}
