import { timingSafeEqual } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from '../../contract/text/text.ts';
import { loginFailed } from './errors.ts';

/** Where the browser comes back to: a port of the loopback interface, open for one answer (RFC 8252). */
export interface Callback {
  readonly redirectUrl: string;
  /** What the browser brought with this state. Rejects when the time is over. */
  answer(state: string, signal: AbortSignal): Promise<URLSearchParams>;
  /** The same from an address that a person copied out of a browser elsewhere. False: it is not this login's. */
  take(address: string): boolean;
  close(): void;
}

/** Says whether the answer was of the login that is waited for. */
type Accept = (params: URLSearchParams) => boolean;

/** Listens before the address is known to anybody. Port 0 takes a free one. */
export async function openCallback(port: number): Promise<Callback> {
  let accept: Accept = () => false;
  const server = createServer({ maxHeaderSize: 16 * 1024, headersTimeout: 10_000 }, (request, response) => {
    request.resume();
    // A page that has its name pointed at this machine is betrayed by its Host.
    if (request.headers.host !== host) return reply(response, 403, words.foreign);
    const address = `http://${host}${request.url ?? '/'}`;
    // Any page that guesses the port may ask for anything.
    if (!URL.canParse(address)) return reply(response, 404, words.missing);
    const { pathname, searchParams } = new URL(address);
    if (request.method !== 'GET' || pathname !== '/callback') return reply(response, 404, words.missing);
    if (!accept(searchParams)) return reply(response, 400, words.nobodys);
    reply(response, 200, words.taken);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  }).catch((error: unknown) => {
    throw loginFailed(text(`Port ${port} is in use.`, `ポート ${port} は使用中です。`), error);
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    redirectUrl: `http://${host}/callback`,
    answer: (state, signal) =>
      new Promise((resolve, reject) => {
        const giveUp = () => reject(loginFailed(text('Nobody logged in.', 'ログインされませんでした。')));
        if (signal.aborted) giveUp();
        signal.addEventListener('abort', giveUp, { once: true });
        accept = (params) => {
          // Whoever does not know the state did not start this: they neither log in nor end the waiting.
          if (!isSame(params.getAll('state'), state)) return false;
          resolve(params);
          return true;
        };
      }),
    take: (address) => URL.canParse(address.trim()) && accept(new URL(address.trim()).searchParams),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** In both languages: whose browser it is, nobody knows here. */
const words = {
  foreign: 'This Host is not served here.\nこの Host では提供していません。',
  missing: 'There is nothing at this address.\nこのアドレスには何もありません。',
  nobodys: 'This answer belongs to no login.\nこの応答に対応するログインはありません。',
  taken:
    'Sekisho has the answer. You can close this window.\nSekisho が応答を受け取りました。このウィンドウは閉じてかまいません。',
} as const;

function isSame(given: readonly string[], state: string): boolean {
  const [only = ''] = given;
  const left = Buffer.from(only);
  const right = Buffer.from(state);
  return given.length === 1 && left.length === right.length && timingSafeEqual(left, right);
}

function reply(response: ServerResponse, status: number, words: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  response.end(`${words}\n`);
}
