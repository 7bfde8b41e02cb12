import { randomUUID } from 'node:crypto';
import type { Arrival } from '../../contract/call.ts';
import type { EndedSessions, NodeStore, Relay } from '../../contract/nodes.ts';
import type { Asks } from '../asks.ts';
import { createAsks } from '../asks.ts';
import { changeNotification } from '../changes.ts';
import type { Params, RequestId } from '../jsonrpc.ts';
import { notificationFrame } from '../jsonrpc.ts';
import type { Keeper } from '../keeper.ts';
import { createKeeper } from '../keeper.ts';
import type { Handshake, Mcp } from '../mcp.ts';
import { cancelRun, type Run } from '../run.ts';
import type { Outlet } from './outlet.ts';
import type { Ticket } from './tickets.ts';
import { createTickets, essentialCapabilities, ownerOf } from './tickets.ts';

/** A client of an older revision, from its handshake on. */
export interface Session {
  readonly id: string;
  readonly bearer: string | undefined;
  /** The caller that made the handshake; only they may use the session. */
  readonly owner: string;
  readonly connectionId: string;
  readonly client: Handshake['client'];
  readonly revision: string;
  readonly clientCapabilities: Params;
  readonly running: Map<RequestId, Run>;
  readonly asks: Asks;
  readonly keeper: Keeper;
  /** The client's open stream for messages that belong to no request. */
  stream: Outlet | undefined;
  usedAtMs: number;
  /** When another server last confirmed that the session is open. */
  lookedAtMs: number;
  announce(method: string, params?: Params): void;
}

/**
 * The open sessions: at most `max`, none idle for longer than `idleMs`. One that was closed to make room, or by another
 * server with the same key, is restored when its client returns.
 */
export interface Sessions {
  open(hands: Handshake, arrival: Arrival): Session | undefined;
  /** The session, if it is open and belongs to this caller. */
  find(id: string, arrival: Arrival): Promise<Session | undefined>;
  /** Cancels a request of the session, at whichever server it runs; no effect if it is over. Never throws. */
  cancel(session: Session, requestId: RequestId): void;
  /** Ends it for good, because the client said that it is done. */
  end(session: Session): Promise<void>;
  /** Closes idle sessions, and those that ended at another server. */
  closeIdle(nowMs: number): Promise<void>;
  closeAll(): Promise<void>;
  readonly size: number;
  all(): Iterable<Session>;
}

export interface SessionLimits {
  readonly max: number;
  readonly idleMs: number;
  readonly key: Uint8Array;
  /** Other servers that continue these sessions; undefined if there are none. */
  readonly others?:
    | {
        readonly relay: Pick<Relay, 'node' | 'hold' | 'ask'>;
        readonly ended: EndedSessions;
        readonly nodes: Pick<NodeStore, 'list'>;
      }
    | undefined;
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** A client that returns after this long must make a new handshake. */
const ticketMaxAgeMs = 24 * 60 * 60_000;
/** The number of ended sessions that are remembered, so that they are not restored. */
const maxEnded = 10_000;
/** The others only have to accept a cancellation. */
const cancelMs = 10_000;
/** A session that ended at another server may still be used here for this long. */
const endedKnownMs = 5000;

export function createSessions(mcp: Mcp, limits: SessionLimits): Sessions {
  const { max, idleMs, key, others, onFault } = limits;
  const tickets = createTickets(key);
  const ended = new Set<string>();
  // In order of use: the first has been idle longest.
  const sessions = new Map<string, Session>();

  async function close(session: Session): Promise<void> {
    if (!sessions.delete(session.id)) return;
    for (const run of session.running.values()) run.cancel.abort();
    session.keeper.dropAll();
    session.stream?.end();
    await mcp.gateway.leave({
      transport: 'http',
      connectionId: session.connectionId,
      bearer: session.bearer,
    });
  }

  function makeRoom(): boolean {
    if (sessions.size < max) return true;
    for (const session of sessions.values()) {
      if (isBusy(session)) continue;
      void close(session);
      return true;
    }
    return false;
  }

  function takeUp(id: string, ticket: Ticket, arrival: Arrival): Session | undefined {
    if (!makeRoom()) return undefined;
    const session = createSession(mcp, id, ticket, arrival, limits);
    sessions.set(id, session);
    return session;
  }

  /** Whether its client ended it, at any server. */
  async function hasEnded(connectionId: string): Promise<boolean> {
    return (await others?.ended.among([connectionId]))?.has(connectionId) ?? false;
  }

  async function comeBack(id: string, arrival: Arrival): Promise<Session | undefined> {
    const ticket = ended.has(id) ? undefined : tickets.read(id);
    if (!ticket || ticket.owner !== ownerOf(arrival)) return undefined;
    if (Date.now() - ticket.issuedAtMs > ticketMaxAgeMs || (await hasEnded(ticket.connectionId)))
      return undefined;
    // Two of its requests may have arrived together.
    return sessions.get(id) ?? takeUp(id, ticket, arrival);
  }

  async function isOver(session: Session): Promise<boolean> {
    if (!others || Date.now() - session.lookedAtMs < endedKnownMs) return false;
    session.lookedAtMs = Date.now();
    if (!(await hasEnded(session.connectionId))) return false;
    await close(session);
    return true;
  }

  function cancelHere(connectionId: string, requestId: RequestId): boolean {
    for (const session of sessions.values()) {
      const run = session.connectionId === connectionId ? session.running.get(requestId) : undefined;
      if (!run) continue;
      cancelRun(run);
      return true;
    }
    return false;
  }

  const keyAt = (node: string) => `cancel ${node}`;

  const letGo = others?.relay
    .hold(keyAt(others.relay.node), async (body) => {
      const { connectionId, requestId } = JSON.parse(body) as { connectionId: string; requestId: RequestId };
      cancelHere(connectionId, requestId);
      return '';
    })
    .catch((error) => void onFault?.(error));

  async function cancelElsewhere(connectionId: string, requestId: RequestId): Promise<void> {
    if (!others) return;
    const { relay, nodes } = others;
    const body = JSON.stringify({ connectionId, requestId });
    const living = (await nodes.list()).filter(({ id, state }) => state !== 'lost' && id !== relay.node);
    await Promise.all(living.map(({ id }) => relay.ask(keyAt(id), body, AbortSignal.timeout(cancelMs))));
  }

  return {
    cancel({ connectionId }, requestId) {
      if (cancelHere(connectionId, requestId)) return;
      cancelElsewhere(connectionId, requestId).catch((error) => onFault?.(error));
    },
    open(hands, arrival) {
      const ticket: Ticket = {
        connectionId: randomUUID(),
        client: hands.client,
        revision: hands.revision,
        clientCapabilities: essentialCapabilities(hands.clientCapabilities),
        issuedAtMs: Date.now(),
        owner: ownerOf(arrival),
      };
      return takeUp(tickets.write(ticket), ticket, arrival);
    },
    async find(id, arrival) {
      const session = sessions.get(id) ?? (await comeBack(id, arrival));
      if (!session || session.owner !== ownerOf(arrival) || (await isOver(session))) return undefined;
      session.usedAtMs = Date.now();
      sessions.delete(id);
      sessions.set(id, session);
      return session;
    },
    async end(session) {
      ended.add(session.id);
      const [oldest] = ended;
      if (ended.size > maxEnded && oldest !== undefined) ended.delete(oldest);
      await others?.ended.add(session.connectionId);
      await close(session);
    },
    async closeIdle(nowMs) {
      const known = [...sessions.values()];
      const over = await others?.ended.among(known.map(({ connectionId }) => connectionId));
      if (over?.size) await Promise.all(known.filter((each) => over.has(each.connectionId)).map(close));
      for (const session of [...sessions.values()]) {
        if (nowMs - session.usedAtMs < idleMs) break;
        if (!isBusy(session)) await close(session);
      }
    },
    async closeAll() {
      await Promise.all([...sessions.values()].map(close));
      (await letGo)?.();
    },
    get size() {
      return sessions.size;
    },
    all: () => sessions.values(),
  };
}

function createSession(
  mcp: Mcp,
  id: string,
  ticket: Ticket,
  arrival: Arrival,
  { others, onFault }: SessionLimits,
): Session {
  const { connectionId, client, revision, clientCapabilities } = ticket;
  const keeper = createKeeper();
  const session: Session = {
    id,
    bearer: arrival.bearer,
    owner: ticket.owner,
    connectionId,
    client,
    revision,
    clientCapabilities,
    running: new Map(),
    asks: createAsks(others && { relay: others.relay, connectionId, onFault }),
    keeper,
    stream: undefined,
    usedAtMs: Date.now(),
    lookedAtMs: Date.now(),
    announce(method, params) {
      const { stream } = session;
      if (stream && !stream.isCongested()) stream.event(notificationFrame(method, params));
    },
  };
  keeper.keep(
    'changes',
    mcp.changes((change) => {
      const concerned = change.connectionId === undefined || change.connectionId === connectionId;
      if (concerned) session.announce(changeNotification[change.what]);
    }),
  );
  return session;
}

function isBusy(session: Session): boolean {
  return session.running.size > 0 || session.stream !== undefined;
}
