import type { Arrival } from '../contract/call.ts';
import type { Params, RequestId } from './jsonrpc.ts';
import type { Era } from './revision.ts';

/** One request while it is being answered: what it asks, who sent it, and the way back to its sender. */
export interface Exchange {
  readonly era: Era;
  readonly id?: RequestId | undefined;
  readonly params: Params;
  readonly arrival: Arrival;
  /** What the client says it can do: from the handshake, or from the request's own envelope. */
  readonly clientCapabilities: Params;
  /** Aborts when the client cancels the request or hangs up. */
  readonly signal: AbortSignal;
  /** Sends a notification that belongs to this request; does nothing once it has been answered. */
  notify(method: string, params: Params): void;
  /** Asks the client something while the request waits. Absent where the protocol or transport cannot. */
  readonly ask?: ((method: string, params: Params) => Promise<unknown>) | undefined;
  /** Keeps something until the connection ends (`resources/subscribe`); absent where there is no connection. */
  readonly connection?: ConnectionScope | undefined;
}

/** What outlives a request on a connection. */
export interface ConnectionScope {
  /** Ends what was kept under the same key before. */
  keep(key: string, end: () => void): void;
  drop(key: string): void;
  /** Sends a notification that belongs to no request. */
  announce(method: string, params?: Params): void;
}

/**
 * Answers one method. An object is stamped with what its revision requires of every result; a string is a result
 * already encoded.
 */
export type Method = (exchange: Exchange) => Promise<Params | string>;
export type MethodTable = Readonly<Record<string, Method>>;
