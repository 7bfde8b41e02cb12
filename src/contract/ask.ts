import type { Arrival } from './call.ts';
import type { Locale } from './text/text.ts';

/** Answers questions with a model over the network; `POST /ask` uses it. */
export interface AskService {
  /** Answers one question. Throws `ToolError` if it cannot accept it; later failures are in events and the answer. */
  ask(input: unknown, hands: AskHands): Promise<AskAnswer>;
  /** Forgets a conversation. Returns whether the caller had one with this id. */
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

/** The outcome of a question, as JSON that any terminal may show. `failure` is also part of it. */
export interface AskAnswer {
  readonly json: string;
  readonly failure?: { readonly code: string; readonly retryAfterMs?: number | undefined } | undefined;
}

/** Conversations over the network, kept between questions. Each belongs to its owner alone. */
export interface AskSessionStore {
  /** Takes a conversation for one question until `untilMs`, or says that it does not exist or is taken. */
  take(key: AskSessionKey, untilMs: number, nowMs: number): Promise<AskSessionTaken>;
  /** Extends the lease until `untilMs`. */
  hold(key: AskSessionKey, untilMs: number): Promise<void>;
  /** Stores a new conversation; if the owner has too many, their oldest are removed. */
  create(principal: string, id: string, body: string, nowMs: number): Promise<void>;
  /** Stores the conversation and releases it. One that was removed in between stays removed. */
  save(key: AskSessionKey, body: string, nowMs: number): Promise<void>;
  /** Releases it unchanged. */
  release(key: AskSessionKey): Promise<void>;
  remove(principal: string, id: string): Promise<boolean>;
}

export interface AskSessionKey {
  readonly principal: string;
  readonly id: string;
  /** The question that has the lease. */
  readonly holder: string;
}

export type AskSessionTaken =
  | { readonly kind: 'taken'; readonly body: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'busy' };
