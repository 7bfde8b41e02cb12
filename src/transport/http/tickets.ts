import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Arrival } from '../../contract/call.ts';
import type { Params } from '../jsonrpc.ts';
import { isObject } from '../jsonrpc.ts';
import type { ClientInfo } from '../revision.ts';
import { readClientInfo } from '../revision.ts';

/** What a handshake settled, as far as later requests need it. */
export interface Ticket {
  readonly connectionId: string;
  readonly client: ClientInfo | undefined;
  readonly revision: string;
  readonly clientCapabilities: Params;
  readonly issuedAtMs: number;
  /** The holder of the token that made the handshake, or a digest of the token. */
  readonly owner: string;
}

/**
 * Session ids that carry their session, sealed. A server that never saw the handshake, or has let the session go,
 * can take it up again: older clients survive a restart and a load balancer without noticing.
 */
export interface Tickets {
  write(ticket: Ticket): string;
  read(id: string): Ticket | undefined;
}

const maxIdChars = 4096;

export function createTickets(key: Uint8Array): Tickets {
  const macOf = (body: string) => createHmac('sha256', key).update(`mcp-session ${body}`).digest();
  return {
    write(ticket) {
      const body = Buffer.from(JSON.stringify(ticket)).toString('base64url');
      return `${body}.${macOf(body).toString('base64url')}`;
    },
    read(id) {
      const [body = '', mac = '', ...rest] = id.length > maxIdChars ? [] : id.split('.');
      const given = Buffer.from(mac, 'base64url');
      const expected = macOf(body);
      if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected))
        return undefined;
      // Sealed by us, so it has the shape that we gave it.
      const ticket = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Ticket;
      return { ...ticket, client: readClientInfo(ticket.client) };
    },
  };
}

/** The holder where tokens come and go, else the token itself. */
export function ownerOf({ holder, bearer }: Pick<Arrival, 'holder' | 'bearer'>): string {
  if (holder !== undefined) return `holder ${holder}`;
  return bearer === undefined ? '' : createHash('sha256').update(bearer).digest('base64url');
}

/** The capabilities that are ever looked at, without what a client may have piled into them. */
export function essentialCapabilities(capabilities: Params): Params {
  const essential: Record<string, Params> = {};
  for (const [name, modes] of Object.entries(knownCapabilities)) {
    const declared = capabilities[name];
    if (!isObject(declared)) continue;
    essential[name] = Object.fromEntries(
      modes.filter((mode) => declared[mode] !== undefined).map((mode) => [mode, {}]),
    );
  }
  return essential;
}

const knownCapabilities = { elicitation: ['form', 'url'], sampling: ['tools'], roots: [] };
