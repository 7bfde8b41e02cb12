import type { Arrival } from '../contract/call.ts';
import type { Params, RequestId } from './jsonrpc.ts';
import type { Era } from './revision.ts';

/** One request while it is processed: its content, its sender, and the way back. */
export interface Exchange {
  readonly era: Era;
  readonly id?: RequestId | undefined;
  readonly params: Params;
  /** For the record of its call. Undefined: any. */
  readonly auditId?: string | undefined;
  readonly arrival: Arrival;
  /** When the request arrived, by `performance.now()`. */
  readonly beganAt?: number | undefined;
  /** The capabilities of the client: from the handshake, or from the request's envelope. */
  readonly clientCapabilities: Params;
  /** Aborts when the client cancels the request or hangs up. */
  readonly signal: AbortSignal;
  /** Sends a notification that belongs to this request; ignored once the request was answered. */
  notify(method: string, params: Params): void;
  /** Asks the client while the request waits; undefined if protocol or transport cannot. */
  readonly ask?: ((method: string, params: Params) => Promise<unknown>) | undefined;
  /** Keeps something until the connection ends (`resources/subscribe`); undefined without a connection. */
  readonly connection?: ConnectionScope | undefined;
}

/** Things that live as long as the connection, not the request. */
export interface ConnectionScope {
  /** Ends the earlier one with the same key. */
  keep(key: string, end: () => void): void;
  drop(key: string): void;
  /** Sends a notification that belongs to no request. */
  announce(method: string, params?: Params): void;
}

/** Answers one method: an object gets its revision's members of every result; a string is an encoded result. */
export type Method = (exchange: Exchange) => Promise<Params | string>;
export type MethodTable = Readonly<Record<string, Method>>;
