import type { Kysely, Transaction } from 'kysely';
import type { AgentCaller } from '../../contract/caller.ts';
import type { Answered, Asked, Team } from '../../contract/team/team.ts';
import type { Locale } from '../../contract/text/text.ts';
import { readUntil } from '../changes.ts';
import type { Clock, Engine, OpenEngine } from '../engine.ts';
import { findRow, selectRows } from '../rows.ts';
import type { Tables } from '../tables/tables.ts';
import type { AgentRow, SessionRow } from '../tables/team.ts';
import type { QuickMember, QuickTeam } from './quick.ts';
import { noSession } from './refusals.ts';

export type Reader = Kysely<Tables>;
export type Tx = Transaction<Tables>;

/** The dependencies of all team records. */
export interface TeamBase {
  readonly openEngine: OpenEngine;
  readonly clock: Clock;
  /** The language of instructions. */
  readonly locale: Locale;
}

/** A participant in a project's conversations: an agent, or the person who manages them. */
export interface Speaker {
  readonly agent: { readonly id: string };
  readonly projectId: string;
  readonly nowMs: number;
  readonly engine: Engine;
  readonly locale: Locale;
}

/** An act of an agent in one transaction, or in one snapshot. */
export type Act<A extends keyof Team> = (tx: Tx, me: Member, input: Asked<A>) => Promise<Answered<A>>;

/** An act of several transactions, or one that waits. */
export type LongAct<A extends keyof Team> = (
  membership: Membership,
  input: Asked<A>,
  signal: AbortSignal,
) => Promise<Answered<A>>;

/** The calling agent and its session, as they are in the database now. */
export interface Member extends Speaker {
  readonly session: SessionRow;
  readonly agent: AgentRow;
}

/** Reads and changes of one agent, confined to its session's project. */
export type Membership = ReturnType<typeof createMembership>;

export function createMembership({ openEngine, clock, locale }: TeamBase, caller: AgentCaller) {
  const { id, projectId } = caller.session;
  const topic = topicOf(projectId);

  async function load(db: Reader, engine: Engine, isLocked: boolean): Promise<Member> {
    const nowMs = clock();
    const query = selectRows(db, 'agent_sessions', { id });
    const session = await (isLocked ? engine.lock(query) : query).executeTakeFirst();
    if (!session || session.expires_at_ms <= nowMs) throw noSession();
    const agent = await findRow(db, 'agents', { id: session.agent_id });
    if (!agent) throw noSession();
    return { session, agent, projectId, nowMs, engine, locale };
  }

  return {
    projectId,
    locale,
    async read<T>(work: (tx: Tx, me: Member) => Promise<T>): Promise<T> {
      const engine = await openEngine();
      // One snapshot: a step based on tasks before a change and counts after it would be inconsistent.
      return engine.read(async (tx) => work(tx, await load(tx, engine, false)));
    },
    /** One transaction, durable before its call is answered; then waiters for the project wake. */
    async change<T>(work: (tx: Tx, me: Member) => Promise<T>): Promise<T> {
      const engine = await openEngine();
      const value = await engine.write(
        async (tx) => work(tx, await load(tx, engine, true)),
        // If records commit separately, the call's record makes this durable too, before its reply. Traces of a reading
        // call, such as that a task was read, may be lost with the database and are made again.
        { durable: !engine.commitsTogether },
      );
      engine.changes.tell(topic);
      return value;
    },
    /** The same in one round trip, if the engine and the case permit; otherwise undefined, having changed nothing. */
    async quickly<T>(work: (team: QuickTeam, me: QuickMember) => Promise<T | undefined>) {
      const { quickTeam, changes } = await openEngine();
      const me = { sessionId: id, agentId: caller.session.agentId, projectId, nowMs: clock() };
      const value = quickTeam && (await work(quickTeam, me));
      if (value !== undefined) changes.tell(topic);
      return value;
    },
    /** Reads until `isDone` or the timeout; woken by changes of the project, not by a clock. */
    async until<T>(
      read: () => Promise<T>,
      isDone: (value: T) => boolean,
      timeoutMs: number,
      signal: AbortSignal,
    ): Promise<T> {
      const { changes } = await openEngine();
      return readUntil(read, isDone, { changes, topic, timeoutMs, signal });
    },
  };
}

/** The person who manages a team, in conversations. No agent can have this id. */
export const personId = '@person';

export function topicOf(projectId: string): string {
  return `team/${projectId}`;
}

/** A view of a row, without nulls. */
export function view<T extends object>(fields: { readonly [K in keyof T]: T[K] | null | undefined }): T {
  const kept = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(kept) as T;
}

/** Whose act it is, and when. */
export function doneBy({ agent, nowMs, projectId }: Speaker) {
  return { by: agent.id, nowMs, projectId };
}

export function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}
