import { Buffer } from 'node:buffer';
import { execFile } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { connect } from 'node:tls';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Opening, readOpening } from './hello.ts';

/** The first bytes that a client of TLS sends, whole. */
function greetingOf(start: (port: number) => void): Promise<Buffer> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (chunk: Buffer) => {
        bytes = Buffer.concat([bytes, chunk]);
        if (readOpening(bytes).kind === 'incomplete') return;
        socket.destroy();
        server.close(() => resolve(bytes));
      });
    });
    server.listen(0, '127.0.0.1', () => start((server.address() as AddressInfo).port));
  });
}

const byNode = (servername?: string, more: object = {}) =>
  greetingOf((port) => {
    connect({ host: '127.0.0.1', port, ...(servername && { servername }), ...more }).on('error', () => {});
  });

const greeting = await byNode('api.example.com', { ALPNProtocols: ['h2', 'http/1.1'] });

test.each([
  ['its name', await byNode('api.example.com'), 'api.example.com'],
  ['a name in capitals', await byNode('API.Example.COM'), 'api.example.com'],
  ['no name', await byNode(), undefined],
  ['an old version', await byNode('old.example.com', { maxVersion: 'TLSv1.2' }), 'old.example.com'],
])('a greeting of Node with %s', (_, bytes, serverName) => {
  expect(readOpening(bytes)).toEqual({ kind: 'tls', serverName, hidesName: false });
});

test.each([
  ['curl', (port: number) => ['-sk', '--connect-to', `::127.0.0.1:${port}`, 'https://curl.example/']],
  [
    'python3',
    (port: number) => [
      '-c',
      `import ssl,socket
ssl.create_default_context().wrap_socket(socket.create_connection(("127.0.0.1",${port})),server_hostname="curl.example")`,
    ],
  ],
  ['openssl', (port: number) => ['s_client', '-connect', `127.0.0.1:${port}`, '-servername', 'curl.example']],
])('a greeting of %s, where it is there', async (program, args) => {
  const isThere = await new Promise((done) =>
    execFile(program, ['--help'], (error) => done(error?.code !== 'ENOENT')),
  );
  if (!isThere) return;
  const bytes = await greetingOf((port) => execFile(program, args(port), () => {}).stdin?.end());
  expect(readOpening(bytes)).toEqual({ kind: 'tls', serverName: 'curl.example', hidesName: false });
});

test('until it is whole it is not judged', () => {
  for (let length = 0; length < greeting.length; length++) {
    expect(readOpening(greeting.subarray(0, length))).toEqual({ kind: 'incomplete' });
  }
});

/** The same message in records of these lengths. */
function inRecords(bytes: Buffer, lengths: readonly number[]): Buffer {
  let message = bytes.subarray(5);
  const records: Buffer[] = [];
  for (let index = 0; message.length > 0; index++) {
    const part = message.subarray(0, lengths[index % lengths.length]);
    message = message.subarray(part.length);
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part);
  }
  return Buffer.concat(records);
}

test('however a greeting is cut into records, the name is found', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 20 }), (lengths) => {
      expect(readOpening(inRecords(greeting, lengths))).toEqual(readOpening(greeting));
    }),
    { seed: 7, numRuns: 200 },
  );
});

/** A greeting with these extensions in place of its own. */
function withExtensions(...extensions: readonly (readonly [type: number, body: Buffer])[]): Buffer {
  const list = Buffer.concat(
    extensions.map(([type, body]) => Buffer.concat([sixteen(type), sixteen(body.length), body])),
  );
  const hello = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32),
    Buffer.from([0, 0, 2, 0x13, 0x01, 1, 0]),
    sixteen(list.length),
    list,
  ]);
  const message = Buffer.concat([Buffer.from([1, 0]), sixteen(hello.length), hello]);
  return Buffer.concat([Buffer.from([22, 3, 1]), sixteen(message.length), message]);
}

const sixteen = (value: number) => Buffer.from([value >> 8, value & 255]);
const name = (text: string, kind = 0): readonly [number, Buffer] => [
  0,
  Buffer.concat([
    sixteen(text.length + 3),
    Buffer.from([kind]),
    sixteen(text.length),
    Buffer.from(text, 'latin1'),
  ]),
];

test('a hidden name is seen to be hidden', () => {
  for (const type of [0xfe0d, 0xffce]) {
    expect(readOpening(withExtensions(name('front.example'), [type, Buffer.alloc(40)]))).toEqual({
      kind: 'tls',
      serverName: 'front.example',
      hidesName: true,
    });
  }
});

test.each([
  ['two names in two extensions', withExtensions(name('a.example'), name('b.example'))],
  [
    'two names in one',
    withExtensions([
      0,
      Buffer.concat([sixteen(24), name('a.example')[1].subarray(2), name('b.example')[1].subarray(2)]),
    ]),
  ],
  ['an empty list', withExtensions([0, Buffer.alloc(0)])],
  ['an empty name', withExtensions(name(''))],
  ['another kind of name', withExtensions(name('a.example', 1))],
  ['a NUL in the name', withExtensions(name('a.example\0.evil'))],
  ['a space in the name', withExtensions(name('a.example evil'))],
  ['a longer list than there is', withExtensions([0, Buffer.from([0, 99, 0, 0, 1, 97])])],
  ['a record of no length', Buffer.from([22, 3, 1, 0, 0])],
  ['another record first', Buffer.from([23, 3, 3, 0, 1, 0])],
  ['another message first', Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0])],
  ['the hello of SSL 2', Buffer.from([0x80, 0x2e, 1, 0, 2])],
  ['an answer of SSH', Buffer.from('\x00SSH-2.0')],
  ['small letters', Buffer.from('get / http/1.1')],
])('%s is broken', (_, bytes) => {
  expect(readOpening(bytes)).toEqual({ kind: 'broken' });
});

test.each(['GET / HTTP/1.1\r\n', 'POST', 'M-SEARCH * HTTP/1.1', 'PRI * HTTP/2.0'])('%j is plain', (text) => {
  expect(readOpening(Buffer.from(text))).toEqual({ kind: 'plain' });
});

test('whatever the bytes are, an answer comes, and a name is a name', () => {
  fc.assert(
    fc.property(
      fc.nat(greeting.length - 1),
      fc.nat(255),
      fc.uint8Array({ maxLength: 300 }),
      (at, value, noise) => {
        const changed = Buffer.from(greeting);
        changed[at] = value;
        const openings: Opening[] = [
          changed,
          Buffer.from(noise),
          Buffer.concat([greeting.subarray(0, at), noise]),
        ].map(readOpening);
        for (const opening of openings) {
          expect(['incomplete', 'plain', 'broken', 'tls']).toContain(opening.kind);
          if (opening.kind === 'tls' && opening.serverName !== undefined)
            expect(opening.serverName).toMatch(/^[a-z0-9._-]+$/);
        }
      },
    ),
    { seed: 11, numRuns: 2000 },
  );
});
