/**
 * Words that nobody agreed to, by every way of passing the edge that is in a table: no byte of them arrives at a host, and
 * nothing inside is touched.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, createSecureContext, createServer, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuthority } from '../../src/network/edge/authority.ts';
import { leading, type Try, tries } from './tries/table.ts';
import { no, openWorld, type World, yes } from './world.ts';

/** A host that takes everything for a request, and notes it. */
const arrived: string[] = [];
const { certificate, credentialsFor } = createAuthority();
const origin = createServer(
  { SNICallback: (name, done) => done(null, createSecureContext(credentialsFor(name))) },
  (socket) => {
    socket
      .on('error', () => {})
      .on('data', (chunk: Buffer) => {
        arrived.push(chunk.toString('latin1'));
        socket.write(
          'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'.repeat(
            chunk.toString().split('\r\n\r\n').length - 1,
          ),
        );
      });
  },
);
/** Stands for all that is inside. */
let touched = 0;
const inside = createTcpServer((socket) => {
  touched++;
  socket.destroy();
});

let world: World;
let port = 0;
let innerPort = 0;

beforeAll(async () => {
  port = await listen(origin, '127.0.0.2');
  innerPort = await listen(inside, '127.0.0.1');
  world = await openWorld({
    trusted: () => certificate,
    entries: [
      ...['api.test', 'other.test', 'api.github.com', '127.0.0.2'].map((name) => `${name}:${port}`),
      `*.lead.test:${innerPort}`,
    ],
    resolve: async (name) => {
      const [, isMixed, at] = /^(and-public-)?(\d+)\.lead\.test$/.exec(name) ?? [];
      if (at === undefined) return ['127.0.0.2'];
      return [...(isMixed ? ['93.184.216.34'] : []), leading[Number(at)] ?? ''];
    },
  });
  world.answers(async ({ kind, pathPattern, bodyStart }) => {
    const isAgreed = kind === 'send' && pathPattern === '/granted/a';
    return isAgreed && !/Q[\da-z]{3}/.test(Buffer.from(bodyStart).toString('latin1')) ? yes : no;
  });
});
afterAll(() => {
  world.close();
  origin.close();
  inside.close();
});

test('nothing passes that nobody agreed to, and nothing inside is reached', async () => {
  expect(tries.length).toBeGreaterThanOrEqual(200);
  await Promise.all(
    Array.from({ length: 48 }, async (_, first) => {
      for (let at = first; at < tries.length; at += 48) await attempt(tries[at] as Try, at);
    }),
  );
  const all = arrived.join('');
  expect(tries.flatMap(({ name }, at) => (all.includes(markOf(at)) ? [name] : []))).toEqual([]);
  expect(touched).toBe(0);
  // Those that are allowed have arrived: the others did not fail for another reason.
  expect(all).toContain('GET /read HTTP/1.1');
  expect(all).toContain('POST /granted/a HTTP/1.1');
  expect(all).toContain('POST /a.git/git-upload-pack HTTP/1.1');
  process.stdout.write(`${tries.length} tries to pass the edge: 0 past, 0 inside\n`);
});

/** No other word of a try looks like it. */
function markOf(at: number): string {
  return `Q${at.toString(36).padStart(3, '0')}`;
}

async function attempt(one: Try, at: number): Promise<void> {
  const host = one.host ?? 'api.test';
  const fill = (words: string) =>
    words
      .replaceAll('PAST', markOf(at))
      .replaceAll('HOST', `${host}:${port}`)
      .replaceAll('PORT', String(port))
      .replaceAll('INNER', String(innerPort));
  const socket = await world.dial();
  socket.on('error', () => {});
  if ('bytes' in one && one.isToProxy) return say(socket, Buffer.from(fill(one.bytes)));
  socket.write(`CONNECT ${host}:${port} HTTP/1.1\r\n\r\n`);
  await once(socket, 'data');
  const servername = one.greets === undefined ? host : (one.greets ?? '');
  const client: TLSSocket = connect({
    socket,
    servername,
    ca: readFileSync(world.bundle),
    checkServerIdentity: () => undefined,
    ALPNProtocols: ['bytes' in one ? 'http/1.1' : 'h2'],
  });
  client.on('error', () => {});
  if ('bytes' in one) {
    const filled = fill(one.bytes);
    const body = filled.slice(filled.indexOf('\r\n\r\n') + 4);
    return say(client, Buffer.from(filled.replaceAll('LENGTH', String(body.length)), 'latin1'));
  }
  const block = one.fields.flatMap(([name, value]) => [Buffer.of(0), sized(fill(name)), sized(fill(value))]);
  return say(
    client,
    Buffer.concat([
      Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      frame(4, 0, 0, Buffer.alloc(0)),
      frame(1, one.body === undefined ? 5 : 4, 1, Buffer.concat(block)),
      ...(one.body === undefined ? [] : [frame(0, 1, 1, Buffer.from(fill(one.body)))]),
    ]),
  );
}

/** Sends and waits, as long as an answer could still set off something. */
async function say(client: Socket, bytes: Buffer): Promise<void> {
  client.resume();
  client.write(bytes);
  await Promise.race([once(client, 'close').catch(() => {}), sleep(700)]);
  client.destroy();
}

/** A string of HPACK, in clear and shorter than 127 bytes. */
function sized(words: string): Buffer {
  const bytes = Buffer.from(words, 'latin1');
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0, 0, payload.length, type, flags, 0, 0, 0, stream), payload]);
}

function listen(server: Server, host: string): Promise<number> {
  return new Promise((resolve) =>
    server.listen(0, host, () => resolve((server.address() as AddressInfo).port)),
  );
}
