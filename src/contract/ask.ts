import type { Arrival } from './call.ts';
import type { Locale } from './text/text.ts';

/** A model that answers over the network: what stands behind `POST /ask`. */
export interface AskService {
  /**
   * Answers one question. Throws `ToolError` for a question that cannot be taken; whatever happens later is told by
   * events and by the answer.
   */
  ask(input: unknown, hands: AskHands): Promise<AskAnswer>;
  /** Forgets a conversation. Says whether the caller had one of this id. */
  forget(session: string, arrival: Arrival): Promise<boolean>;
}

export interface AskHands {
  readonly arrival: Arrival;
  readonly locale: Locale;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** One event as a line of JSON. */
  onEvent(line: string): void;
}

/** What a question came to, as JSON that any terminal may show. `failure` is also part of it. */
export interface AskAnswer {
  readonly json: string;
  readonly failure?: { readonly code: string; readonly retryAfterMs?: number | undefined } | undefined;
}

/** Conversations over the network, kept between questions. Each is its owner's alone. */
export interface AskSessionStore {
  /** Takes a conversation for one question until then, or says that there is none or that it is taken. */
  take(key: AskSessionKey, untilMs: number, nowMs: number): Promise<AskSessionTaken>;
  /** Holds it for longer. */
  hold(key: AskSessionKey, untilMs: number): Promise<void>;
  /** Keeps a new one; the owner's oldest make room. */
  create(principal: string, id: string, body: string, nowMs: number): Promise<void>;
  /** Keeps what it came to, and lets it go. One that was removed meanwhile stays removed. */
  save(key: AskSessionKey, body: string, nowMs: number): Promise<void>;
  /** Lets it go as it was. */
  release(key: AskSessionKey): Promise<void>;
  remove(principal: string, id: string): Promise<boolean>;
}

export interface AskSessionKey {
  readonly principal: string;
  readonly id: string;
  /** The question that holds it. */
  readonly holder: string;
}

export type AskSessionTaken =
  | { readonly kind: 'taken'; readonly body: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'busy' };
