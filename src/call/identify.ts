import type { Arrival, Call } from '../contract/call.ts';
import type { Caller } from '../contract/caller.ts';
import type { Identified } from './slips.ts';

/** Looks up callers' proofs. Each method returns a caller; none throws for a bad proof. */
export interface Credentials {
  /** The person at this machine (stdio, the command line), or an anonymous caller over HTTP. */
  unproven(arrival: Arrival): Caller;
  bearer(token: string, arrival: Arrival): Promise<Caller>;
  session(token: string, arrival: Arrival): Promise<Caller>;
  coordinator(token: string, arrival: Arrival): Promise<Caller>;
  /** The session that `authenticate` bound to this connection, if it did (document 002, over stdio). */
  bound(arrival: Arrival): Promise<Caller | undefined>;
}

/**
 * Identifies the caller. Document 002: the coordinator's token comes first, and a wrong one is refused, never skipped;
 * then the session's; as arguments or headers. They are removed from the arguments here, so that no later stop, tool or
 * record sees them.
 */
export async function identify(call: Call, credentials: Credentials): Promise<Identified> {
  const { tokens, input } = takeTokens(call.input);
  const caller = await identifyArrival(call.arrival, tokens, credentials);
  return { call, caller, input } as unknown as Identified;
}

/** The same for requests that are not calls, such as tools/list. */
export async function identifyArrival(
  arrival: Arrival,
  tokens: { readonly session?: string | undefined; readonly coordinator?: string | undefined },
  credentials: Credentials,
): Promise<Caller> {
  const coordinator = tokens.coordinator ?? arrival.coordinatorToken;
  if (coordinator !== undefined) return credentials.coordinator(coordinator, arrival);
  const session = tokens.session ?? arrival.sessionToken;
  if (session !== undefined) return credentials.session(session, arrival);
  const bound = await credentials.bound(arrival);
  if (bound) return bound;
  if (arrival.bearer !== undefined) return credentials.bearer(arrival.bearer, arrival);
  return credentials.unproven(arrival);
}

function takeTokens(input: unknown): {
  tokens: { session?: string; coordinator?: string };
  input: unknown;
} {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return { tokens: {}, input };
  if (!Object.hasOwn(input, 'session_token') && !Object.hasOwn(input, 'coordinator_token'))
    return { tokens: {}, input };
  const { session_token, coordinator_token, ...rest } = input as Record<string, unknown>;
  const tokens: { session?: string; coordinator?: string } = {};
  // A token that is not a string proves nothing, and must not fall through to a weaker proof.
  if (session_token !== undefined && session_token !== null) {
    tokens.session = typeof session_token === 'string' ? session_token : '';
  }
  if (coordinator_token !== undefined && coordinator_token !== null) {
    tokens.coordinator = typeof coordinator_token === 'string' ? coordinator_token : '';
  }
  return { tokens, input: rest };
}
