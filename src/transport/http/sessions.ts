import { randomUUID } from 'node:crypto';
import type { Arrival } from '../../contract/call.ts';
import type { EndedSessions, NodeStore, Relay } from '../../contract/nodes.ts';
import { type Asks, createAsks } from '../asks.ts';
import { changeNotification } from '../changes.ts';
import { notificationFrame, type Params, type RequestId } from '../jsonrpc.ts';
import { createKeeper, type Keeper } from '../keeper.ts';
import type { Handshake, Mcp } from '../mcp.ts';
import { cancelRun, type Run } from '../run.ts';
import type { Outlet } from './outlet.ts';
import { createTickets, essentialCapabilities, ownerOf, type Ticket } from './tickets.ts';

/** A client of an older revision, from its handshake on. */
export interface Session extends Omit<Ticket, 'issuedAtMs'> {
  readonly id: string;
  readonly bearer: string | undefined;
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
const keyAt = (node: string) => `cancel ${node}`;

/**
 * The open sessions: at most `max`, none idle for longer than `idleMs`. One that was closed to make room, or by another
 * server with the same key, is restored when its client returns.
 */
export class Sessions {
  readonly #mcp: Mcp;
  readonly #limits: SessionLimits;
  readonly #tickets: ReturnType<typeof createTickets>;
  readonly #ended = new Set<string>();
  // In order of use: the first has been idle longest.
  readonly #sessions = new Map<string, Session>();
  readonly #letGo: Promise<(() => void) | undefined> | undefined;

  constructor(mcp: Mcp, limits: SessionLimits) {
    this.#mcp = mcp;
    this.#limits = limits;
    this.#tickets = createTickets(limits.key);
    this.#letGo = limits.others?.relay
      .hold(keyAt(limits.others.relay.node), async (body) => {
        const asked = JSON.parse(body) as { connectionId: string; requestId: RequestId };
        this.#cancelHere(asked.connectionId, asked.requestId);
        return '';
      })
      .catch((error) => void limits.onFault?.(error));
  }

  /** Cancels a request of the session, at whichever server it runs; no effect if it is over. Never throws. */
  cancel({ connectionId }: Session, requestId: RequestId): void {
    if (this.#cancelHere(connectionId, requestId)) return;
    this.#cancelElsewhere(connectionId, requestId).catch((error) => this.#limits.onFault?.(error));
  }

  open(hands: Handshake, arrival: Arrival): Session | undefined {
    const ticket: Ticket = {
      connectionId: randomUUID(),
      client: hands.client,
      revision: hands.revision,
      clientCapabilities: essentialCapabilities(hands.clientCapabilities),
      issuedAtMs: Date.now(),
      owner: ownerOf(arrival),
    };
    return this.#takeUp(this.#tickets.write(ticket), ticket, arrival);
  }

  /** The session, if it is open and belongs to this caller. */
  async find(id: string, arrival: Arrival): Promise<Session | undefined> {
    const session = this.#sessions.get(id) ?? (await this.#comeBack(id, arrival));
    if (!session || session.owner !== ownerOf(arrival) || (await this.#isOver(session))) return undefined;
    session.usedAtMs = Date.now();
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return session;
  }

  /** Ends it for good, because the client said that it is done. */
  async end(session: Session): Promise<void> {
    this.#ended.add(session.id);
    const [oldest] = this.#ended;
    if (this.#ended.size > maxEnded && oldest !== undefined) this.#ended.delete(oldest);
    await this.#limits.others?.ended.add(session.connectionId);
    await this.#close(session);
  }

  /** Closes idle sessions, and those that ended at another server. */
  async closeIdle(nowMs: number): Promise<void> {
    const known = [...this.#sessions.values()];
    const over = await this.#limits.others?.ended.among(known.map(({ connectionId }) => connectionId));
    if (over?.size)
      await Promise.all(known.filter((each) => over.has(each.connectionId)).map((each) => this.#close(each)));
    for (const session of [...this.#sessions.values()]) {
      if (nowMs - session.usedAtMs < this.#limits.idleMs) break;
      if (!isBusy(session)) await this.#close(session);
    }
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((each) => this.#close(each)));
    (await this.#letGo)?.();
  }

  get size(): number {
    return this.#sessions.size;
  }

  all(): Iterable<Session> {
    return this.#sessions.values();
  }

  async #close(session: Session): Promise<void> {
    if (!this.#sessions.delete(session.id)) return;
    for (const run of session.running.values()) run.cancel.abort();
    session.keeper.dropAll();
    session.stream?.end();
    await this.#mcp.gateway.leave({
      transport: 'http',
      connectionId: session.connectionId,
      bearer: session.bearer,
    });
  }

  #makeRoom(): boolean {
    if (this.#sessions.size < this.#limits.max) return true;
    for (const session of this.#sessions.values()) {
      if (isBusy(session)) continue;
      void this.#close(session);
      return true;
    }
    return false;
  }

  #takeUp(id: string, ticket: Ticket, arrival: Arrival): Session | undefined {
    if (!this.#makeRoom()) return undefined;
    const session = createSession(this.#mcp, id, ticket, arrival, this.#limits);
    this.#sessions.set(id, session);
    return session;
  }

  /** Whether its client ended it, at any server. */
  async #hasEnded(connectionId: string): Promise<boolean> {
    return (await this.#limits.others?.ended.among([connectionId]))?.has(connectionId) ?? false;
  }

  async #comeBack(id: string, arrival: Arrival): Promise<Session | undefined> {
    const ticket = this.#ended.has(id) ? undefined : this.#tickets.read(id);
    if (!ticket || ticket.owner !== ownerOf(arrival)) return undefined;
    if (Date.now() - ticket.issuedAtMs > ticketMaxAgeMs || (await this.#hasEnded(ticket.connectionId)))
      return undefined;
    // Two of its requests may have arrived together.
    return this.#sessions.get(id) ?? this.#takeUp(id, ticket, arrival);
  }

  async #isOver(session: Session): Promise<boolean> {
    if (!this.#limits.others || Date.now() - session.lookedAtMs < endedKnownMs) return false;
    session.lookedAtMs = Date.now();
    if (!(await this.#hasEnded(session.connectionId))) return false;
    await this.#close(session);
    return true;
  }

  #cancelHere(connectionId: string, requestId: RequestId): boolean {
    for (const session of this.#sessions.values()) {
      const run = session.connectionId === connectionId ? session.running.get(requestId) : undefined;
      if (!run) continue;
      cancelRun(run);
      return true;
    }
    return false;
  }

  async #cancelElsewhere(connectionId: string, requestId: RequestId): Promise<void> {
    if (!this.#limits.others) return;
    const { relay, nodes } = this.#limits.others;
    const body = JSON.stringify({ connectionId, requestId });
    const living = (await nodes.list()).filter(({ id, state }) => state !== 'lost' && id !== relay.node);
    await Promise.all(living.map(({ id }) => relay.ask(keyAt(id), body, AbortSignal.timeout(cancelMs))));
  }
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
