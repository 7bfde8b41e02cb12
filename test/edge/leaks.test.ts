import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { text as readAll } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canary, forms, places, sendings, shownIn } from './tries/leaks.ts';
import { openWorld, type World, yes } from './world.ts';

let world: World;
const standIn = () => world.proxy.environment.GITHUB_KEY ?? '';

beforeAll(async () => {
  world = await openWorld((port) => ({
    secrets: {
      rules: [
        {
          name: 'github',
          hosts: [`api.test:${port}`],
          as: ['bearer'],
          variable: 'GITHUB_KEY',
          username: 'x',
        },
      ],
      valueOf: () => canary,
      whyNone: () => undefined,
      refresh: () => undefined,
    },
  }));
  world.answers(async () => yes);
});
afterAll(() => world.close());

/** TLS to the host through the proxy, as a program of the sandbox opens it. */
async function open(protocol: 'h2' | 'http/1.1'): Promise<TLSSocket> {
  const socket = await world.dial();
  socket.write(`CONNECT api.test:${world.originPort} HTTP/1.1\r\n\r\n`);
  await once(socket, 'data');
  const secured = connect({
    socket,
    servername: 'api.test',
    ca: world.proxy.authority,
    ALPNProtocols: [protocol],
  });
  await once(secured, 'secureConnect');
  return secured;
}

/** Everything that comes back. */
async function talk(bytes: string): Promise<string> {
  const socket = await open('http/1.1');
  socket.on('error', () => {});
  socket.setTimeout(10_000, () => socket.destroy());
  const answer: string[] = [];
  socket.on('data', (chunk: Buffer) => answer.push(chunk.toString('latin1')));
  socket.write(bytes, 'latin1');
  await once(socket, 'close');
  return answer.join('');
}

const ask = (more = '') =>
  talk(
    `GET /a HTTP/1.1\r\nHost: api.test:${world.originPort}\r\nAuthorization: Bearer ${standIn()}\r\n${more}Accept-Encoding: gzip, br, deflate, zstd\r\nTE: trailers\r\nConnection: close\r\n\r\n`,
  );

async function askByHttp2(): Promise<string> {
  const socket = await open('h2');
  const session = connectHttp2(`https://api.test:${world.originPort}`, { createConnection: () => socket });
  const seen: unknown[] = [];
  session.on('error', () => {});
  const request = session.request({ ':path': '/a', authorization: `Bearer ${standIn()}`, te: 'trailers' });
  for (const event of ['headers', 'response', 'trailers']) request.on(event, (fields) => seen.push(fields));
  request.setEncoding('latin1');
  const body = await readAll(request).catch(String);
  session.destroy();
  return JSON.stringify(seen) + body;
}

function answer(by: (response: ServerResponse, request: IncomingMessage) => void): void {
  world.origin.server.removeAllListeners('request');
  world.origin.server.on('request', (request, response) => by(response, request));
}

describe('Of the tries to see a credential', () => {
  let tries = 0;

  test.each(Object.entries(places))('none succeeds by %s, in any form', async (_name, show) => {
    for (const [form, write] of forms) {
      for (const send of [ask, askByHttp2]) {
        let got: string | undefined;
        answer((response, request) => {
          got = request.headers.authorization;
          show(response, write(canary));
        });
        const seen = await send();
        expect([form, got]).toEqual([form, `Bearer ${canary}`]);
        expect(seen.length).toBeGreaterThan(0);
        expect([form, seen, shownIn(seen)]).toEqual([form, seen, 0]);
        tries++;
      }
    }
  });

  test.each(forms)('none succeeds by a websocket: %s', async (_form, write) => {
    world.origin.server.removeAllListeners('upgrade');
    world.origin.server.once('upgrade', (_request, socket) => {
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Echo: '.concat(
          `${canary}\r\n\r\n`,
        ),
      );
      for (const char of write(canary)) socket.write(char);
      socket.end();
    });
    const seen = await talk(
      `GET /a HTTP/1.1\r\nHost: api.test:${world.originPort}\r\nAuthorization: Bearer ${standIn()}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    );
    expect(seen).toContain('101 Switching');
    expect([seen, shownIn(seen)]).toEqual([seen, 0]);
    tries++;
  });

  test.each(sendings)('none has it put where it may not go: $name', async ({ head, body = '' }) => {
    answer((response, request) => {
      arrived.push(`${request.url} ${request.rawHeaders}`);
      request.on('data', (chunk: Buffer) => arrived.push(chunk.toString('latin1')));
      response.end('got it');
    });
    const arrived: string[] = [];
    for (const [form, write] of forms.filter(([name]) => name !== 'in JSON in JSON')) {
      const key = write(standIn());
      const isInHead = head.includes('KEY');
      // Some forms cannot stand in an address.
      const written = isInHead && /^GET [^ ]*KEY/.test(head) ? key.replaceAll(/[ "\\{}]/g, '') : key;
      const chunks = [...key].map((char) => `1\r\n${char}\r\n`).join('');
      const bytes = `${head.replace('KEY', () => written).replace('LENGTH', String(key.length))}\r\nHost: api.test:${world.originPort}\r\nConnection: close\r\n\r\n`;
      const sent = body === 'CHUNKS' ? `${chunks}0\r\n\r\n` : body.replace('KEY', () => key);
      const seen = await talk(bytes + sent);
      expect([form, shownIn(seen + arrived.join(''))]).toEqual([form, 0]);
      tries++;
    }
  });

  test('there are enough, and none would have been missed', () => {
    expect(tries).toBeGreaterThan(800);
    for (const [form, write] of forms) expect([form, shownIn(write(canary))]).not.toEqual([form, 0]);
  });
});
