import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Arrival } from '../../contract/call.ts';
import { isRecord } from '../../ground/is-record.ts';
import type { Params } from '../jsonrpc.ts';
import { type ClientInfo, readClientInfo } from '../revision.ts';

/** The results of a handshake that later requests need. */
export interface Ticket {
  readonly connectionId: string;
  readonly client: ClientInfo | undefined;
  readonly revision: string;
  readonly clientCapabilities: Params;
  readonly issuedAtMs: number;
  /** The holder of the token that made the handshake, or a digest of the token. */
  readonly owner: string;
}

const maxIdChars = 4096;

/**
 * Session ids that contain their session, sealed. A server that never saw the handshake, or has dropped the session,
 * can restore it: older clients survive a restart or a load balancer without noticing.
 */
export function createTickets(key: Uint8Array) {
  const macOf = (body: string) => createHmac('sha256', key).update(`mcp-session ${body}`).digest();
  return {
    write(ticket: Ticket) {
      const body = Buffer.from(JSON.stringify(ticket)).toString('base64url');
      return `${body}.${macOf(body).toString('base64url')}`;
    },
    read(id: string): Ticket | undefined {
      const [body = '', mac = '', ...rest] = id.length > maxIdChars ? [] : id.split('.');
      const given = Buffer.from(mac, 'base64url');
      const expected = macOf(body);
      if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected))
        return undefined;
      // We sealed it, so it has our format.
      const ticket = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Ticket;
      return { ...ticket, client: readClientInfo(ticket.client) };
    },
  };
}

/** The holder if tokens change, else the token's digest. */
export function ownerOf({ holder, bearer }: Pick<Arrival, 'holder' | 'bearer'>): string {
  if (holder !== undefined) return `holder ${holder}`;
  return bearer === undefined ? '' : createHash('sha256').update(bearer).digest('base64url');
}

/** The capabilities that we read, without anything else that a client may have sent. */
export function essentialCapabilities(capabilities: Params): Params {
  const essential: Record<string, Params> = {};
  for (const [name, modes] of Object.entries(knownCapabilities)) {
    const declared = capabilities[name];
    if (!isRecord(declared)) continue;
    essential[name] = Object.fromEntries(
      modes.filter((mode) => declared[mode] !== undefined).map((mode) => [mode, {}]),
    );
  }
  return essential;
}

const knownCapabilities = { elicitation: ['form', 'url'], sampling: ['tools'], roots: [] };
