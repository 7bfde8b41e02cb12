import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectHttp2, constants, type OutgoingHttpHeaders } from 'node:http2';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { needs, programs } from '../support/needs.ts';
import { no, openWorld, type World, yes } from './world.ts';

const host = 'api.test';
let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());
beforeEach(() => {
  world.arrived.length = 0;
  world.asked.length = 0;
  world.answers(async () => no);
});

/** TLS inside a tunnel to the inspected host. */
async function secured(protocol: 'h2' | 'http/1.1', servername = host): Promise<TLSSocket> {
  const socket = await world.dial();
  socket.write(`CONNECT ${host}:${world.originPort} HTTP/1.1\r\n\r\n`);
  await once(socket, 'data');
  const client = connectTls({
    socket,
    servername,
    ca: readFileSync(world.bundle),
    ALPNProtocols: [protocol],
  });
  client.on('error', () => {});
  return client;
}

async function talk(bytes: string): Promise<string> {
  const client = await secured('http/1.1');
  let answer = '';
  client.on('data', (chunk: Buffer) => {
    answer += chunk.toString('latin1');
  });
  client.write(bytes.replaceAll('HOST', `${host}:${world.originPort}`));
  client.setTimeout(1500, () => client.destroy());
  await once(client, 'close');
  return answer;
}

async function ask(headers: OutgoingHttpHeaders, body?: string): Promise<number | 'reset'> {
  const client = await secured('h2');
  const session = connectHttp2(`https://${host}`, { createConnection: () => client });
  session.on('error', () => {});
  const stream = session.request(
    { ':authority': `${host}:${world.originPort}`, ':path': '/h2', ...headers },
    { endStream: body === undefined },
  );
  const status = new Promise<number | 'reset'>((resolve) => {
    stream.on('response', (head) => resolve(head[':status'] ?? 0));
    stream.on('error', () => resolve('reset'));
    stream.on('close', () => resolve('reset'));
  });
  if (body !== undefined) stream.end(body);
  stream.resume();
  const answered = await status;
  session.destroy();
  return answered;
}

const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
const smuggled = 'POST /smuggled HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0\r\n\r\n';

describe('HTTP/1.1', () => {
  test.each([
    ['two hosts', 'GET / HTTP/1.1\r\nHost: HOST\r\nHost: other.test\r\n\r\n'],
    ['another host', 'GET / HTTP/1.1\r\nHost: other.test\r\n\r\n'],
    ['no host', 'GET / HTTP/1.1\r\n\r\n'],
    ['a whole address', 'GET https://other.test/ HTTP/1.1\r\nHost: HOST\r\n\r\n'],
    ['a whole address of its own', 'GET https://HOST/ HTTP/1.1\r\nHost: HOST\r\n\r\n'],
    ['CONNECT inside', 'CONNECT HOST HTTP/1.1\r\nHost: HOST\r\n\r\n'],
    ['a star', 'OPTIONS * HTTP/1.1\r\nHost: HOST\r\n\r\n'],
    [
      'two codings',
      `POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    ],
    [
      'two coding fields',
      `POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${smuggled}`,
    ],
    [
      'a length and a coding',
      `POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    ],
    [
      'two lengths',
      `POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0\r\nContent-Length: 4\r\n\r\n${smuggled}`,
    ],
    ['a folded field', `GET / HTTP/1.1\r\nHost: HOST\r\nX: a\r\n Content-Length: 4\r\n\r\n${smuggled}`],
    ['a space before the colon', `GET / HTTP/1.1\r\nHost: HOST\r\nContent-Length : 4\r\n\r\n${smuggled}`],
    ['bare line feeds', 'GET / HTTP/1.1\nHost: HOST\n\n'],
    ['a bad chunk', `POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n0x4\r\n${smuggled}`],
  ])('%s: nothing arrives', async (_, bytes) => {
    const answer = await talk(bytes);
    expect(world.arrived).toEqual([]);
    expect(statuses(answer).every((status) => status === '400' || status === '403')).toBe(true);
  });

  test('a request that does not pass is told why, and not that it talks to a proxy', async () => {
    const name = `${host}:${world.originPort}`;
    expect(await talk('GET / HTTP/1.1\r\nHost: other.test\r\n\r\n')).toContain(
      `This connection leads to ${name};`,
    );
    expect(
      await talk('POST / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'),
    ).toContain('servers could read it in different ways');
    expect(await talk('GET / HTTP/1.1\nHost: HOST\n\n')).toContain('servers could read it in different ways');
    expect(await world.talk('GET / HTTP/1.1\r\n\r\n')).toContain('This is a proxy');
  });

  test('a GET with a body is asked about as a whole', async () => {
    const body = smuggled.replaceAll('HOST', host);
    const answer = await talk(
      `GET /g HTTP/1.1\r\nHost: HOST\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(statuses(answer)).toEqual(['403']);
    expect(world.asked.map(({ path, bodyBytes }) => [path, bodyBytes])).toEqual([['/g', body.length]]);
    expect(world.arrived).toEqual([]);
  });

  test('of requests in one write, each is judged', async () => {
    const answer = await talk(
      `GET /1 HTTP/1.1\r\nHost: HOST\r\n\r\nGET /2 HTTP/1.1\r\nHost: HOST\r\n\r\n${smuggled}`,
    );
    expect(statuses(answer)).toEqual(['200', '200', '403']);
    expect(world.arrived.map(({ line }) => line)).toEqual(['GET /1', 'GET /2']);
  });

  test.each(['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'])(
    '%s is the method',
    async (name) => {
      await talk(`GET /${name} HTTP/1.1\r\nHost: HOST\r\n${name}: DELETE\r\nConnection: close\r\n\r\n`);
      expect(world.asked.map(({ method }) => method)).toEqual(['DELETE']);
      await talk(`POST /${name} HTTP/1.1\r\nHost: HOST\r\n${name}: GET\r\nContent-Length: 0\r\n\r\n`);
      expect(world.asked.at(-1)?.method).toBe('POST');
      expect(world.arrived).toEqual([]);
    },
  );

  test('a switch to another protocol than websocket is answered as a plain request', async () => {
    const answer = await talk(
      'GET /u HTTP/1.1\r\nHost: HOST\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n',
    );
    expect(statuses(answer)).toEqual(['200']);
    expect(world.arrived[0]?.headers.upgrade).toBeUndefined();
  });

  test('a websocket is asked about, and then passes both ways', async () => {
    world.origin.server.once('upgrade', (_request, socket) => {
      socket.on('error', () => {});
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello ',
      );
      socket.once('data', (chunk: Buffer) => socket.end(`you said ${chunk}`));
    });
    const request =
      'GET /ws HTTP/1.1\r\nHost: HOST\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n';
    expect(statuses(await talk(`${request}early`))).toEqual(['403']);
    world.answers(async () => yes);
    const answer = await talk(`${request.replace('/ws', '/ws2')}words`);
    expect(answer).toMatch(/^HTTP\/1\.1 101 /);
    expect(answer).toMatch(/hello you said words$/);
    expect(world.asked.map(({ kind }) => kind)).toEqual(['send', 'send']);
  });
});

describe('HTTP/2', () => {
  test.each(['GET', 'HEAD', 'DELETE', 'OPTIONS'])(
    '%s with a body does not become two requests',
    async (method) => {
      const body = smuggled.replaceAll('HOST', `${host}:${world.originPort}`);
      expect(await ask({ ':method': method }, body)).toBe(403);
      expect(world.arrived).toEqual([]);

      world.answers(async () => yes);
      expect(await ask({ ':method': method, 'x-again': '1' }, `${body} `)).toBe(200);
      expect(world.arrived).toMatchObject([{ line: `${method} /h2`, body: `${body} ` }]);
    },
  );

  test.each([
    ['another authority', { ':authority': 'other.test' }],
    ['a host beside its authority', { host: 'other.test' }],
    ['a whole address as its path', { ':path': 'https://other.test/' }],
    ['CONNECT', { ':method': 'CONNECT', ':path': undefined, ':scheme': undefined }],
    ['a line break in its path', { ':path': '/a\r\nX: y' }],
  ])('%s: nothing arrives', async (_, headers) => {
    const status = await ask({ ':method': 'GET', ...headers }).catch(() => 'reset');
    expect([400, 403, 'reset']).toContain(status);
    expect(world.arrived).toEqual([]);
  });

  test('reading beside a held request goes on', async () => {
    let release = () => {};
    world.answers(() => new Promise((resolve) => (release = () => resolve(yes))));
    const client = await secured('h2');
    const session = connectHttp2(`https://${host}`, { createConnection: () => client });
    const authority = { ':authority': `${host}:${world.originPort}` };
    const held = session.request({ ...authority, ':method': 'POST', ':path': '/held' });
    held.end('x');
    const read = session.request({ ...authority, ':path': '/read' });
    expect((await once(read, 'response'))[0][':status']).toBe(200);
    expect(world.arrived.map(({ line }) => line)).toEqual(['GET /read']);
    while (world.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    release();
    expect((await once(held, 'response'))[0][':status']).toBe(200);
    session.destroy();
  });
});

test("a name in TLS that is not the tunnel's ends it", async () => {
  const client = await secured('http/1.1', 'other.test');
  await new Promise((resolve) => client.once('close', resolve));
  expect(world.outlet.contacts()).toContainEqual(expect.objectContaining({ outcome: 'misnamed' }));
});

test('a request that is sent again while it waits joins its question, and one yes sends one', async () => {
  let release = () => {};
  world.answers(() => new Promise((resolve) => (release = () => resolve(yes))));
  const line = 'POST /again HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx';
  const first = await secured('http/1.1');
  first.write(line.replace('HOST', `${host}:${world.originPort}`));
  while (world.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  first.destroy();
  const second = talk(line);
  const third = talk(line);
  await new Promise((resolve) => setTimeout(resolve, 300));
  release();
  expect([...statuses(await second), ...statuses(await third)].sort()).toEqual(['200', '403']);
  expect(world.asked).toHaveLength(1);
  expect(world.arrived.map(({ line }) => line)).toEqual(['POST /again']);
});

test('a host that cannot prove who it is gets nothing', async () => {
  const other = await openWorld({ trusted: () => readFileSync(world.bundle, 'utf8') });
  const said = await other.run('curl', ['-sS', '-w', '%{http_code}', `${other.base}/a`]);
  expect(said).toMatch(/could not be verified.*502$/s);
  expect(other.arrived).toEqual([]);
  other.close();
});

const redirected = [301, 302, 303, 307, 308].flatMap((status) =>
  ['/past', 'BASE/past?a=b', 'http://HOST/past', 'https://unlisted.test/past'].map((to) => ({ status, to })),
);

test.each(redirected)(
  'a yes does not follow a redirect by $status to $to',
  needs(programs('curl')),
  async ({ status, to }) => {
    const other = await openWorld();
    const name = `${host}:${other.originPort}`;
    const lines: string[] = [];
    other.origin.server.removeAllListeners('request').on('request', ({ method, url }, response) => {
      lines.push(`${method} ${url}`);
      const location = to.replace('BASE', other.base).replace('HOST', name);
      response.writeHead(url === '/agreed' ? status : 200, { location }).end();
    });
    other.answers(async ({ path }) => (path === '/agreed' ? yes : no));
    await other.run('curl', [
      '-sS',
      '-L',
      '--post301',
      '--post302',
      '--post303',
      '-d',
      'words',
      `${other.base}/agreed`,
    ]);
    expect(lines).toEqual(['POST /agreed']);
    other.close();
  },
);

test('an upload whose client has left is not kept in memory while its question is open', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const held = () => {
    collect();
    return process.memoryUsage().arrayBuffers;
  };
  world.answers(() => new Promise(() => {}));
  const client = await secured('h2');
  const session = connectHttp2(`https://${host}`, { createConnection: () => client });
  const before = held();
  const uploads = Array.from({ length: 60 }, () => {
    const upload = session.request({
      ':authority': `${host}:${world.originPort}`,
      ':method': 'POST',
      ':path': '/left',
    });
    upload.on('error', () => {}).end(Buffer.alloc(200_000, 7));
    return upload;
  });
  await expect.poll(() => held() - before).toBeGreaterThan(60 * 64 * 1024);
  for (const upload of uploads) upload.close(constants.NGHTTP2_CANCEL);
  await expect.poll(() => held() - before).toBeLessThan(20 * 64 * 1024);
  session.destroy();
});
