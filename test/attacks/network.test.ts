import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProxy } from '../../src/network/proxy/open.ts';
import { createProxyRules } from '../../src/network/proxy/rules.ts';
import { lendOutlet, openLocalOutlet } from '../command/local-outlet.ts';

/** What the listed site was asked, as its own server understood it. */
let asked: { method: string; host: string; url: string; body: string }[] = [];
const site = createHttpServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    asked.push({
      method: request.method ?? '',
      // All of them: another server might believe the second.
      host: request.rawHeaders.filter((_, i, all) => all[i - 1]?.toLowerCase() === 'host').join(),
      url: request.url ?? '',
      body,
    });
    response.end('from the site');
  });
});
/** Must never be reached. */
let touched = 0;
const canary = createServer((socket) => {
  touched++;
  socket.destroy();
});

let port = 0;
let canaryPort = 0;
const answers = new Map<string, () => readonly string[]>();
const resolve = async (host: string) => answers.get(host)?.() ?? ['127.0.0.2'];

beforeAll(async () => {
  port = await listen(site, '127.0.0.2');
  canaryPort = await listen(canary, '127.0.0.1');
});
afterAll(() => {
  site.close();
  canary.close();
});

function listen(server: Server | HttpServer, host: string): Promise<number> {
  return new Promise((done) => server.listen(0, host, () => done((server.address() as AddressInfo).port)));
}

const open = (entries: readonly string[] = []) =>
  openLocalOutlet({ entries: [`127.0.0.2:${port}`, `site.test:${port}`, ...entries], resolve });

const status = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);

test.each([
  '127.0.0.1',
  'localhost',
  'localhost.',
  'LOCALHOST',
  'LocalHost.',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '0',
  '0.0.0.0',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1%00.site.test',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[::1%lo]',
  '[::1%25lo]',
  'site.test@127.0.0.1',
  'user:site.test@127.0.0.1',
  'site.test:80@127.0.0.1',
  '127.0.0.1#site.test',
  '127.0.0.1/site.test',
  '127.0.0.1?site.test',
  '127.0.0.1\\site.test',
  '127.0.0.1\tsite.test',
  'site.test,127.0.0.1',
  'xn--localhost-',
  'ｌｏｃａｌｈｏｓｔ',
  '１２７.０.０.１',
  '①②⑦.0.0.1',
  '127。0。0。1',
  'loc\u00adalhost',
  '',
  '.',
  '..',
  '*.test',
])('%j leads nowhere, by CONNECT or in a whole address', async (host) => {
  const { talk, outlet } = await open();
  const name = Buffer.from(host, 'utf8').toString('latin1');
  for (const request of [
    `CONNECT ${name}:${canaryPort} HTTP/1.1\r\nHost: site.test:${port}\r\n\r\n`,
    `GET http://${name}:${canaryPort}/ HTTP/1.1\r\nHost: site.test:${port}\r\n\r\n`,
  ]) {
    const answer = await talk(Buffer.from(request, 'latin1'));
    expect([400, 403]).toContain(status(answer));
  }
  outlet.close();
  expect(touched).toBe(0);
});

test('a listed name that leads inside is refused, and the address is not told', async () => {
  const { talk, outlet } = await open([`trap.test:${canaryPort}`, '*.trap.test']);
  for (const address of [
    '127.0.0.1',
    '::1',
    '::ffff:127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    'fd00::1',
    'fe80::1%lo',
  ]) {
    answers.set('trap.test', () => [address]);
    answers.set('a.trap.test', () => ['93.184.216.34', address]);
    for (const target of [`trap.test:${canaryPort}`, 'a.trap.test:443']) {
      const answer = await talk(`CONNECT ${target} HTTP/1.1\r\n\r\n`);
      expect(status(answer)).toBe(403);
      expect(answer).toContain('does not lead to a public internet address');
      expect(answer).not.toContain(address);
    }
  }
  answers.set('trap.test', () => []);
  expect(status(await talk(`CONNECT trap.test:${canaryPort} HTTP/1.1\r\n\r\n`))).toBe(403);
  expect(outlet.contacts().every(({ outcome }) => outcome === 'inner')).toBe(true);
  outlet.close();
  expect(touched).toBe(0);
});

test('a name that changes between the check and the connection leads to what was checked', async () => {
  let looks = 0;
  answers.set('turning.test', () => [looks++ === 0 ? '127.0.0.2' : '127.0.0.1']);
  const { talk, outlet } = await open([`turning.test:${port}`]);
  const answer = await talk(
    `GET http://turning.test:${port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  );
  expect([status(answer), looks]).toEqual([200, 1]);
  outlet.close();
});

describe('plain HTTP is understood once and written anew', () => {
  test('the Host is that of the address, whatever the client wrote beside it', async () => {
    const { talk, outlet } = await open();
    asked = [];
    for (const headers of [
      'Host: other.test',
      'Host: a\r\nHost: b',
      'Connection: host\r\nHost: other.test',
      '',
    ])
      await talk(
        `GET http://site.test:${port}/x HTTP/1.1\r\n${headers}${headers && '\r\n'}Connection: close\r\n\r\n`,
      );
    outlet.close();
    expect(asked.length).toBeGreaterThanOrEqual(3);
    expect(new Set(asked.map(({ host }) => host))).toEqual(new Set([`site.test:${port}`]));
  });

  test.each([
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 40'],
    ['lengths in one line', 'Content-Length: 5, 40'],
    ['a length and a coding', 'Content-Length: 5\r\nTransfer-Encoding: chunked'],
    ['a coding that is not the last', 'Transfer-Encoding: chunked, identity'],
    ['an unknown coding', 'Transfer-Encoding: xchunked'],
    ['two codings', 'Transfer-Encoding: gzip, chunked'],
    ['a coding with a tab before the colon', 'Transfer-Encoding\t: chunked'],
    ['a space before the colon', 'Content-Length : 5'],
    ['a folded line', 'X: a\r\n Content-Length: 5'],
    ['a bare CR', 'X: a\rContent-Length: 5'],
    ['a bare LF', 'X: a\nContent-Length: 5'],
    ['a NUL', 'X: a\0b'],
    ['a signed length', 'Content-Length: +5'],
    ['a length in hex', 'Content-Length: 0x5'],
  ])('%s: one request at most, and none for another host', async (_, headers) => {
    const { talk, outlet } = await open();
    asked = [];
    const smuggled = `GET http://site.test:${port}/smuggled HTTP/1.1\r\nHost: evil.test\r\n\r\n`;
    const answer = await Promise.race([
      talk(
        `POST http://site.test:${port}/first HTTP/1.1\r\nHost: site.test\r\n${headers}\r\n\r\n0\r\n\r\n${smuggled}`,
        (text) => /from the site/.test(text),
      ),
      sleep(5000).then(() => ''),
    ]);
    outlet.close();
    expect(asked.filter(({ host }) => host !== `site.test:${port}`)).toEqual([]);
    // What the proxy understood, the site understood: a body never became a request of its own there.
    for (const { body, url } of asked) expect([body, url]).not.toContain(smuggled);
    if (status(answer) === 400) expect(asked).toEqual([]);
  });

  test.each([
    [
      'a second request',
      (other: string) => `GET ${other} HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n`,
    ],
    ['a CONNECT', () => `CONNECT 127.0.0.1:${canaryPort} HTTP/1.1\r\n\r\n`],
  ])('%s on a connection that is kept open is held against the list anew', async (_, second) => {
    const { dial, outlet } = await open();
    const socket = await dial();
    let answer = '';
    socket.write(`GET http://site.test:${port}/1 HTTP/1.1\r\nHost: site.test\r\n\r\n`);
    await new Promise<void>((done) => {
      socket.once('close', () => done());
      socket.on('data', (chunk) => {
        const wasThere = answer.includes('from the site');
        answer += chunk;
        if (!wasThere && answer.includes('from the site'))
          socket.write(second(`http://127.0.0.1:${canaryPort}/`));
      });
    });
    outlet.close();
    expect([...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code)).toEqual(['200', '403']);
    expect(touched).toBe(0);
  });

  test.each([
    ['of another host', (host: string) => `GET / HTTP/1.1\r\nHost: evil.${host}`],
    [
      'with a whole address',
      () => `GET http://127.0.0.1:${canaryPort}/ HTTP/1.1\r\nHost: 127.0.0.1:${canaryPort}`,
    ],
    ['without a host', () => 'GET / HTTP/1.0'],
    ['for a tunnel in the tunnel', () => `CONNECT 127.0.0.1:${canaryPort} HTTP/1.1\r\nHost: 127.0.0.1`],
  ])('inside a tunnel, a request %s is not passed on', async (_, request) => {
    const { talk, outlet } = await open();
    asked = [];
    const answer = await talk(
      `CONNECT site.test:${port} HTTP/1.1\r\n\r\n${request(`site.test:${port}`)}\r\nConnection: close\r\n\r\n`,
    );
    outlet.close();
    expect(answer).toMatch(/^HTTP\/1\.1 200 Connection established\r\n\r\n(HTTP\/1\.1 400 |$)/);
    expect([asked, touched]).toEqual([[], 0]);
  });

  test('an answer cannot hold another one', async () => {
    const liar = createServer((socket) => {
      socket.once('data', () =>
        socket.end(
          'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n\r\nsecond',
        ),
      );
      socket.on('error', () => {});
    });
    const liarPort = await listen(liar, '127.0.0.2');
    const { talk, outlet } = await open([`liar.test:${liarPort}`, `127.0.0.2:${liarPort}`]);
    const answer = await talk(`GET http://liar.test:${liarPort}/ HTTP/1.1\r\nConnection: close\r\n\r\n`);
    outlet.close();
    liar.close();
    expect(status(answer)).toBe(502);
    expect(answer).not.toContain('second');
  });
});

describe('what TLS shows must fit', () => {
  const secret = Buffer.from('0123456789abcdef');
  let tlsPort = 0;
  const names: (string | false)[] = [];
  // Keys that were agreed on before need no certificate.
  const server = createTlsServer({
    ciphers: 'PSK',
    maxVersion: 'TLSv1.2',
    pskCallback: () => secret,
    SNICallback: (_name, done) => done(null),
  });
  server.on('secureConnection', (socket) => {
    names.push(socket.servername ?? false);
    socket.end('secret page');
  });
  beforeAll(async () => {
    tlsPort = await listen(server as unknown as Server, '127.0.0.2');
  });
  afterAll(() => void server.close());

  async function greet(host: string, servername: string | undefined): Promise<string> {
    const { dial, outlet } = await open([`secure.test:${tlsPort}`, `127.0.0.2:${tlsPort}`]);
    const socket = await dial();
    socket.write(`CONNECT ${host}:${tlsPort} HTTP/1.1\r\n\r\n`);
    await new Promise<void>((done) => socket.once('data', () => done()));
    const answer = await new Promise<string>((done) => {
      const secure = connectTls({
        socket,
        ciphers: 'PSK',
        maxVersion: 'TLSv1.2',
        ...(servername !== undefined && { servername }),
        pskCallback: () => ({ psk: secret, identity: 'x' }),
        checkServerIdentity: () => undefined,
      });
      let text = '';
      secure.on('data', (chunk) => {
        text += chunk;
      });
      secure.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
      secure.once('close', () => done(text));
    });
    const outcomes = outlet.contacts().map(({ outcome }) => outcome);
    outlet.close();
    return `${answer} ${outcomes}`;
  }

  test('the host that was asked for gets through', async () => {
    expect(await greet('secure.test', 'secure.test')).toBe('secret page reached');
    expect(await greet('SECURE.test.', 'secure.test')).toBe('secret page reached');
    // An address has no name to show.
    expect(await greet('127.0.0.2', undefined)).toBe('secret page reached');
  });

  test.each(['other.test', 'a.secure.test', 'secure.test.evil', undefined])(
    'the name %j does not, and the client hears why',
    async (name) => {
      const before = names.length;
      expect(await greet('secure.test', name)).toMatch(/UNRECOGNIZED_NAME reached,misnamed$/);
      expect(names.length).toBe(before);
    },
  );
});

test('a greeting that hides a second one (ECH) is not passed on, whatever name it shows', async () => {
  const length = (bytes: Buffer, size: number) => {
    const head = Buffer.alloc(size);
    head.writeUIntBE(bytes.length, 0, size);
    return Buffer.concat([head, bytes]);
  };
  const shown = length(Buffer.concat([Buffer.from([0]), length(Buffer.from('site.test'), 2)]), 2);
  const greeting = (...extensions: readonly Buffer[]) => {
    const start = [Buffer.from([3, 3]), Buffer.alloc(32), Buffer.from([0, 0, 2, 0x13, 1, 1, 0])];
    const hello = Buffer.concat([...start, length(Buffer.concat(extensions), 2)]);
    const message = Buffer.concat([Buffer.from([1]), length(hello, 3)]);
    return Buffer.concat([Buffer.from([22, 3, 1]), length(message, 2)]);
  };
  const name = Buffer.concat([Buffer.from([0, 0]), length(shown, 2)]);
  const hidden = Buffer.concat([Buffer.from([0xfe, 0x0d]), length(Buffer.alloc(64), 2)]);
  const { talk, outlet } = await open();
  const say = (bytes: Buffer) =>
    talk(Buffer.concat([Buffer.from(`CONNECT site.test:${port} HTTP/1.1\r\n\r\n`), bytes]));
  const established = 'HTTP/1.1 200 Connection established\r\n\r\n';
  expect(await say(greeting(name, hidden))).toBe(`${established}\x15\x03\x03\x00\x02\x02\x70`);
  // The site speaks no TLS, and says so: this one got through.
  expect(await say(greeting(name))).toContain('HTTP/1.1 400 ');
  expect(outlet.contacts().map(({ outcome }) => outcome)).toEqual(['reached', 'misnamed']);
  outlet.close();
});

describe('whoever holds on is let go', () => {
  test('five hundred connections: so many are served, the rest are turned away, and the next command is served', async () => {
    const { dial, talk, outlet } = await open();
    const sockets: Socket[] = [];
    const turnedAway: Promise<void>[] = [];
    for (let index = 0; index < 500; index++) {
      const socket = await dial();
      socket.on('error', () => {});
      socket.resume();
      sockets.push(socket);
      if (index >= 128) turnedAway.push(new Promise((done) => socket.once('close', () => done())));
    }
    await Promise.all(turnedAway);
    expect(sockets.filter((socket) => !socket.destroyed).length).toBe(128);
    for (const socket of sockets) socket.destroy();
    const other = await open();
    expect(
      status(await other.talk(`GET http://site.test:${port}/ HTTP/1.1\r\nConnection: close\r\n\r\n`)),
    ).toBe(200);
    for (const each of [outlet, other.outlet]) each.close();
    // Its listener is gone with it.
    await expect(talk('GET / HTTP/1.1\r\n\r\n')).rejects.toThrow(/ECONNREFUSED/);
  });

  test('all commands together open so many connections, and no more', async () => {
    const options = { entries: [`127.0.0.2:${port}`], resolve, connectionsAtOnce: 3 };
    const first = await openLocalOutlet(options);
    const proxy = createProxy({ ...options, key: 'process.network' });
    const outlets = [await lendOutlet(proxy), await lendOutlet(proxy)] as const;
    const sockets = await Promise.all([outlets[0].dial(), outlets[0].dial(), outlets[1].dial()]);
    for (const socket of sockets) socket.on('error', () => {});
    const request = `GET http://127.0.0.2:${port}/ HTTP/1.1\r\nConnection: close\r\n\r\n`;
    expect(await outlets[1].talk(request)).toBe('');
    // Another list is another's.
    expect(status(await first.talk(request))).toBe(200);
    outlets[0].outlet.close();
    await expect.poll(() => outlets[1].talk(request)).toMatch(/^HTTP\/1\.1 200/);
    for (const { outlet } of [first, outlets[1]]) outlet.close();
  });

  test.each([
    ['a request', 'GET http://site.test/ HTTP/1.1\r\nX: '],
    ['the greeting of TLS in a tunnel', '\x16\x03\x01\x02\x00\x01\x00'],
  ])('%s that comes a byte at a time is not waited for', async (_, start) => {
    const { dial, outlet } = await openLocalOutlet({
      entries: [`127.0.0.2:${port}`, `site.test:${port}`],
      resolve,
      patienceMs: 500,
    });
    const socket = await dial();
    socket.on('error', () => {});
    socket.resume();
    if (start.startsWith('\x16')) {
      socket.write(`CONNECT site.test:${port} HTTP/1.1\r\n\r\n`);
      await new Promise<void>((done) => socket.once('data', () => done()));
    }
    socket.write(Buffer.from(start, 'latin1'));
    const dripping = setInterval(() => socket.write('a'), 50);
    await new Promise<void>((done) => {
      socket.once('end', () => socket.destroy());
      socket.once('close', () => done());
    });
    clearInterval(dripping);
    outlet.close();
  });

  test('a client that never reads costs no memory', async () => {
    const source = createServer((socket) => {
      socket.on('error', () => {});
      const chunk = Buffer.alloc(1024 * 1024, 97);
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const pour = () => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on('drain', pour);
      socket.once('data', pour);
    });
    const sourcePort = await listen(source, '127.0.0.2');
    const { dial, outlet } = await open([`source.test:${sourcePort}`, `127.0.0.2:${sourcePort}`]);
    const socket = await dial();
    socket.pause();
    socket.write(`GET http://source.test:${sourcePort}/ HTTP/1.1\r\n\r\n`);
    let received = -1;
    // Until nothing more comes in.
    for (;;) {
      await sleep(200);
      const now = outlet.contacts()[0]?.receivedBytes ?? 0;
      if (now > 0 && now === received) break;
      received = now;
    }
    expect(received).toBeLessThan(32 * 1024 * 1024);
    outlet.close();
    socket.destroy();
    source.close();
  });

  test('whoever breaks off, and wherever, the server lives on', async () => {
    let turn = 0;
    const answers = [
      '',
      'HTTP/1.1 200 OK\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf',
      'nonsense\r\n\r\n',
    ];
    const unreliable = createServer((socket) => {
      const mine = turn++;
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write(answers[mine % 4] ?? '');
        const leave = () => (mine % 3 === 0 ? socket.resetAndDestroy() : socket.destroy());
        if (mine % 5 === 0) leave();
        else setTimeout(leave, mine % 7);
      });
    });
    const hostPort = await listen(unreliable, '127.0.0.2');
    const { dial, talk, outlet } = await open([`127.0.0.2:${hostPort}`]);
    const host = `127.0.0.2:${hostPort}`;
    const requests = [
      `GET http://${host}/ HTTP/1.1\r\n\r\n`,
      `POST http://${host}/ HTTP/1.1\r\nContent-Length: 100000\r\n\r\npart`,
      `POST http://${host}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab`,
      `CONNECT ${host} HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
      `CONNECT ${host} HTTP/1.1\r\n\r\n\x16\x03\x01`,
      `CONNECT ${host} HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nHost: ${host}\r\n\r\nGET http://x`,
    ];
    const rounds = process.env.SEKISHO_HAMMER ? 20_000 : 600;
    for (let round = 0; round < rounds; round += 30) {
      await Promise.all(
        Array.from({ length: 30 }, async (_, index) => {
          const socket = await dial();
          socket.on('error', () => {});
          socket.resume();
          const closed = new Promise<void>((done) => socket.once('close', () => done()));
          socket.write(Buffer.from(requests[(round + index) % requests.length] ?? '', 'latin1'));
          setTimeout(() => (index % 2 ? socket.resetAndDestroy() : socket.destroy()), index % 11);
          await closed;
        }),
      );
    }
    expect(status(await talk(`GET http://site.test:${port}/ HTTP/1.1\r\nConnection: close\r\n\r\n`))).toBe(
      200,
    );
    outlet.close();
    unreliable.close();
  });

  test('connections end with their command', async () => {
    const { dial, outlet } = await open();
    const socket = await dial();
    socket.write(`CONNECT site.test:${port} HTTP/1.1\r\n\r\n`);
    await new Promise<void>((done) => socket.once('data', () => done()));
    const closed = new Promise<void>((done) => socket.once('close', () => done()));
    socket.on('error', () => {});
    socket.resume();
    outlet.close();
    await closed;
    expect(outlet.contacts()).toMatchObject([{ host: `site.test:${port}`, outcome: 'reached' }]);
  });

  test('names without end do not fill the record', async () => {
    const { talk, outlet } = await open();
    for (let index = 0; index < 100; index++) await talk(`CONNECT h${index}.test:443 HTTP/1.1\r\n\r\n`);
    const contacts = outlet.contacts();
    expect(contacts.length).toBe(33);
    expect(contacts.at(-1)).toMatchObject({ host: '*', outcome: 'unlisted', times: 68 });
    outlet.close();
  });
});

test.each([
  '',
  '*',
  '*.',
  'http://example.com',
  'example.com/path',
  'user@example.com',
  'example.com:0',
  'example.com:65536',
  'example.com:https',
  'a b',
  'ex*mple.com',
  '10.1.2.3',
  '127.0.0.1',
  'localhost',
  '2130706433',
  '[::1]',
  '[fd00::1]',
  '*.10.1.2.3',
  '*.localhost:80',
])('the entry %j stops start-up', (entry) => {
  expect(() => createProxyRules(['fine.example', entry], 'process.network')).toThrow(
    /^process\.network\[1\] must/,
  );
});

test('an entry opens its port, or those of the web, and a wildcard what is below it', () => {
  const rules = createProxyRules(['a.example', '*.b.example', 'c.example:8443'], 'process.network');
  const open = [
    'a.example',
    'x.a.example',
    'b.example',
    'x.b.example',
    'x.y.b.example',
    'xb.example',
    'c.example',
  ].flatMap((host) =>
    [22, 80, 443, 8080, 8443].filter((port) => rules.allows({ host, port })).map((port) => `${host}:${port}`),
  );
  expect(open).toEqual([
    ...['a.example:80', 'a.example:443', 'x.b.example:80', 'x.b.example:443'],
    ...['x.y.b.example:80', 'x.y.b.example:443', 'c.example:8443'],
  ]);
});

test('a rule that denies a host to everybody wins over the list', () => {
  const rules = createProxyRules(['*.example.com', '10.1.2.3:80'], 'process.network', [
    'evil.example.com',
    '10.1.2.3',
  ]);
  expect(rules.allows({ host: 'good.example.com', port: 443 })).toBe(true);
  expect(rules.allows({ host: 'evil.example.com', port: 443 })).toBe(false);
  expect(rules.mayConnect({ host: '10.1.2.3', port: 80 }, ['10.1.2.3'])).toBe(false);
});
