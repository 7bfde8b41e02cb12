import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loginFailed } from './errors.ts';

/** Returns whether the answer belongs to the current login. */
type Accept = (params: URLSearchParams) => boolean;

/** The browser's redirect target: a loopback port that listens for one answer (RFC 8252). Port 0 takes a free one. */
export async function openCallback(port: number) {
  let accept: Accept = () => false;
  const server = createServer({ maxHeaderSize: 16 * 1024, headersTimeout: 10_000 }, (request, response) => {
    request.resume();
    // The Host header reveals DNS rebinding: a page whose name points to this machine.
    if (request.headers.host !== host) return reply(response, 403, words.foreign);
    const address = `http://${host}${request.url ?? '/'}`;
    // Any page that guesses the port may send anything.
    if (!URL.canParse(address)) return reply(response, 404, words.missing);
    const { pathname, searchParams } = new URL(address);
    if (request.method !== 'GET' || pathname !== '/callback') return reply(response, 404, words.missing);
    if (!accept(searchParams)) return reply(response, 400, words.nobodys);
    reply(response, 200, words.taken);
  });
  await once(server.listen(port, '127.0.0.1'), 'listening').catch((error: unknown) => {
    throw loginFailed(`Port ${port} is in use.`, `ポート ${port} は使用中です。`, error);
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    redirectUrl: `http://${host}/callback`,
    /** The parameters of the redirect with this state. Rejects when `signal` aborts. */
    answer: (state: string, signal: AbortSignal): Promise<URLSearchParams> =>
      new Promise((resolve, reject) => {
        const giveUp = () => reject(loginFailed('Nobody logged in.', 'ログインされませんでした。'));
        if (signal.aborted) giveUp();
        signal.addEventListener('abort', giveUp, { once: true });
        accept = (params) => {
          // A request without the state is not of this login: it neither completes nor ends it.
          if (!isSame(params.getAll('state'), state)) return false;
          resolve(params);
          return true;
        };
      }),
    /** The same from an address that a person copied from another browser. False if it is not of this login. */
    take: (address: string) => URL.canParse(address.trim()) && accept(new URL(address.trim()).searchParams),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** In both languages, because the language of the browser's user is unknown. */
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
