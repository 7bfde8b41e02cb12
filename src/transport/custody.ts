import type { Arrival } from '../contract/call.ts';
import { type Locale, text } from '../contract/text/text.ts';
import type { Params } from './jsonrpc.ts';
import { replyFormOf } from './reply-form.ts';
import { callResult } from './results.ts';

/** Tells the holder of a client's streams what to do with a line if this server dies. */
export type Entrusted =
  /** Says these words for us: the work had begun. */
  | { readonly kind: 'say'; readonly words: string }
  /** Sends the line to the next server. */
  | { readonly kind: 'repeat' }
  /** Sends it to every next server, which does not answer it again. A later line of this name takes its place. */
  | { readonly kind: 'keep'; readonly name: string }
  /** Forgets the line of this name. */
  | { readonly kind: 'drop'; readonly name: string };

/** A process that holds the client's streams and outlives this server. */
export interface Custody {
  /** So many bytes were received. */
  readonly onReceived: (bytes: number) => void;
  /** All that was received has been looked at. */
  looked(): void;
  /** Entrusts it with the last line, before work on it begins. Returns a key for `settle`. */
  take(entrusted: Entrusted, line: string): number;
  /** The answer is among the words that are sent next, or there will be none. */
  settle(key: number): void;
}

/** The result of a call whose server died while it ran. */
export function interruptedResult(auditId: string, arrival: Arrival, locale: Locale): Params {
  const message = interrupted[locale];
  const suggestion = text(
    `Look at what is there before you repeat it. The session's shell is new. The call's record: \`sekisho audit search ${auditId}\`.`,
    `繰り返す前に現在の状態を確認してください。セッションのシェルは新しくなっています。呼び出しの記録: \`sekisho audit search ${auditId}\``,
  )[locale];
  const error = { code: 'interrupted', message, suggestion, details: { audit_id: auditId } } as const;
  const reply = {
    kind: 'error',
    code: error.code,
    text: `${message} ${suggestion}`,
    structured: { error },
  } as const;
  return callResult(reply, locale, replyFormOf(arrival));
}

const interrupted = text(
  'The server ended during this call and was started again; how far the call got is unknown.',
  'この呼び出しの途中でサーバーが終了し、起動し直されました。どこまで進んだかは分かりません。',
);
