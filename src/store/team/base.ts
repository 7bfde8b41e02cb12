import type { Kysely, Transaction } from 'kysely';
import type { AgentCaller } from '../../contract/caller.ts';
import type { Locale } from '../../contract/text/text.ts';
import type { Clock, Engine, OpenEngine } from '../engine.ts';
import type { Tables } from '../tables/tables.ts';
import type { AgentRow, SessionRow } from '../tables/team.ts';
import type { QuickMember, QuickTeam } from './quick.ts';
import { noSession } from './refusals.ts';

export type Reader = Kysely<Tables>;
export type Tx = Transaction<Tables>;

/** What every part of the team's records is made from. */
export interface TeamBase {
  readonly openEngine: OpenEngine;
  readonly clock: Clock;
  /** The language of instructions. */
  readonly locale: Locale;
}

/** Whoever takes part in conversations of a project: an agent, or the person who looks after them. */
export interface Speaker {
  readonly agent: { readonly id: string };
  readonly projectId: string;
  readonly nowMs: number;
  readonly engine: Engine;
  readonly locale: Locale;
}

/** The calling agent in its session, as they are in the database at this moment. */
export interface Member extends Speaker {
  readonly session: SessionRow;
  readonly agent: AgentRow;
}

/** Reads and changes of one agent, inside its session's project and nowhere else. */
export interface Membership {
  readonly projectId: string;
  readonly locale: Locale;
  read<T>(work: (db: Reader, me: Member) => Promise<T>): Promise<T>;
  /** One transaction, durable when its call is answered; whoever waits for the project wakes after it. */
  change<T>(work: (tx: Tx, me: Member) => Promise<T>): Promise<T>;
  /** The same in one trip, where the engine has such a way and the case is plain; absent otherwise, and nothing happened. */
  quickly<T>(work: (team: QuickTeam, me: QuickMember) => Promise<T | undefined>): Promise<T | undefined>;
  /** Reads until `isDone` says so or the time is over; woken by changes of the project, not by a clock. */
  until<T>(
    read: () => Promise<T>,
    isDone: (value: T) => boolean,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<T>;
}

export function createMembership({ openEngine, clock, locale }: TeamBase, caller: AgentCaller): Membership {
  const { id, projectId } = caller.session;
  const topic = topicOf(projectId);

  async function load(db: Reader, engine: Engine, isLocked: boolean): Promise<Member> {
    const nowMs = clock();
    const query = db.selectFrom('agent_sessions').selectAll().where('id', '=', id);
    const session = await (isLocked ? engine.lock(query) : query).executeTakeFirst();
    if (!session || session.expires_at_ms <= nowMs) throw noSession();
    const agent = await db
      .selectFrom('agents')
      .selectAll()
      .where('id', '=', session.agent_id)
      .executeTakeFirst();
    if (!agent) throw noSession();
    return { session, agent, projectId, nowMs, engine, locale };
  }

  return {
    projectId,
    locale,
    async read(work) {
      const engine = await openEngine();
      // One moment for all of it: a step that is decided on tasks before a change and counts after it never was.
      return engine.read(async (tx) => work(tx, await load(tx, engine, false)));
    },
    async change(work) {
      const engine = await openEngine();
      const value = await engine.write(
        async (tx) => work(tx, await load(tx, engine, true)),
        // Where records have transactions of their own, the call's makes this one durable too, before its reply. What a
        // reading call leaves, such as that a task was read, may be lost with the database, and is done again.
        { durable: !engine.commitsTogether },
      );
      engine.changes.tell(topic);
      return value;
    },
    async quickly(work) {
      const { quickTeam, changes } = await openEngine();
      const me = { sessionId: id, agentId: caller.session.agentId, projectId, nowMs: clock() };
      const value = quickTeam && (await work(quickTeam, me));
      if (value !== undefined) changes.tell(topic);
      return value;
    },
    async until(read, isDone, timeoutMs, signal) {
      const { changes } = await openEngine();
      const waiting = { nextChange: (ms: number, stop: AbortSignal) => changes.next(topic, ms, stop) };
      return readUntil(read, isDone, { ...waiting, timeoutMs, signal });
    },
  };
}

interface Waiting {
  readonly nextChange: (timeoutMs: number, signal: AbortSignal) => Promise<unknown>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Reads again after each change, until `isDone` says so or the time is over; the last value then. */
export async function readUntil<T>(
  read: () => Promise<T>,
  isDone: (value: T) => boolean,
  { nextChange, timeoutMs, signal }: Waiting,
): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const leftMs = end - performance.now();
    const stop = new AbortController();
    // Asked for before the rows are read, so that no change falls between reading and waiting.
    const changed = nextChange(leftMs, AbortSignal.any([signal, stop.signal]));
    try {
      const value = await read();
      if (leftMs <= 0 || signal.aborted || isDone(value)) return value;
      await changed;
    } finally {
      stop.abort();
    }
  }
}

/** The person who looks after a team, where agents talk. No agent can have this id. */
export const personId = '@person';

/** The topic that tells of changes in a project. */
export function topicOf(projectId: string): string {
  return `team/${projectId}`;
}

/** A view of a row: what is null is left out. */
export function view<T extends object>(fields: { [K in keyof T]: T[K] | null | undefined }): T {
  const kept = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(kept) as T;
}

export function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}
