import type { Socket } from 'node:net';
import { nameOf, type Target } from './rules.ts';

/** A refusal by the proxy in HTTP: the status, a short reason that tools show, and a sentence for the body. */
export interface Refusal {
  readonly status: number;
  readonly reason: string;
  readonly sentence: string;
}

/** The proxy's refusals. `key` names the list in the operator's configuration. */
export function createRefusals(key: string) {
  return {
    notListed: (target: Target): Refusal => ({
      status: 403,
      reason: `${nameOf(target)} is not in ${key}`,
      sentence:
        `${nameOf(target)} is not among the hosts that may be reached from here. The operator can add it to ${key}.\n` +
        `${nameOf(target)} への接続は許可されていません。運用者は ${key} に追加できます。`,
    }),
    inner: (target: Target): Refusal => ({
      status: 403,
      reason: `${nameOf(target)} is not a public address`,
      sentence:
        `${nameOf(target)} does not lead to a public internet address. The operator can list the address itself, with its port, in ${key}.\n` +
        `${nameOf(target)} は公開されたアドレスではありません。運用者はアドレスをポート付きで ${key} に追加できます。`,
    }),
    unreachable: (target: Target): Refusal => ({
      status: 502,
      reason: `${nameOf(target)} did not answer`,
      sentence:
        `${nameOf(target)} is allowed and could not be reached.\n` +
        `${nameOf(target)} は許可されていますが、接続できませんでした。`,
    }),
    unverified: (target: Target): Refusal => ({
      status: 502,
      reason: `${nameOf(target)} could not prove who it is`,
      sentence:
        `${nameOf(target)} is inspected, and its certificate could not be verified.\n` +
        `${nameOf(target)} は検査の対象ですが、証明書を検証できませんでした。`,
    }),
    unsigned: {
      status: 403,
      reason: 'Not signed with the stand-in',
      sentence:
        'The request names the stand-in of a key of AWS, and is not signed with it, or its body of more than 17 MB has no declared hash.\n' +
        'リクエストは AWS のキーの代わりの値を含みますが、それで署名されていないか、17 MB を超える本文のハッシュが宣言されていません。',
    } satisfies Refusal,
    astray: (target: Target): Refusal => ({
      status: 400,
      reason: `Not a request for ${nameOf(target)}`,
      sentence:
        `This connection leads to ${nameOf(target)}; a request over it must name that host once, and a path.\n` +
        `この接続の宛先は ${nameOf(target)} です。リクエストにはこのホストを一度だけ、そしてパスを指定してください。`,
    }),
    unclear: {
      status: 400,
      reason: 'Not a request that all servers read alike',
      sentence:
        'The request is malformed, or servers could read it in different ways. It was not passed on.\n' +
        'リクエストの形式が正しくないか、サーバーによって読み方が異なるため、送信しませんでした。',
    } satisfies Refusal,
    noProxyRequest: {
      status: 400,
      reason: 'Not a request for a proxy',
      sentence:
        'This is a proxy: ask it by CONNECT host:port, or for a whole http:// address.\n' +
        'これはプロキシです。CONNECT host:port、または http:// で始まるアドレスで要求してください。',
    } satisfies Refusal,
  };
}

export type Refusals = ReturnType<typeof createRefusals>;

/** Answers on a connection that none of our parsers handles any more, and waits until the client has read it. */
export function dismiss(client: Socket, answer: string | Buffer): void {
  if (client.destroyed || client.writableEnded) return;
  client.setTimeout(lingerMs, () => client.destroy());
  client.end(answer);
  // Closing with unread bytes would reset the connection and lose the reply.
  client.resume();
}

const lingerMs = 2000;

export function rawAnswer({ status, reason, sentence }: Refusal): string {
  const body = `Sekisho: ${sentence}\n`;
  return [
    `HTTP/1.1 ${status} ${reason}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
