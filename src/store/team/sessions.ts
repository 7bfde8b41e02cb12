import { sql } from 'kysely';
import type { Arrival } from '../../contract/call.ts';
import type { AgentCaller, CoordinatorCaller } from '../../contract/caller.ts';
import type { Engine } from '../engine.ts';
import { findRow, takeRow, updateRows } from '../rows.ts';
import type { SessionRow } from '../tables/team.ts';
import { type TeamBase, type Tx, topicOf } from './base.ts';
import { createEntrance, slidesMs } from './entering.ts';
import { countAttempt, hashToken } from './passkeys.ts';
import type { FoundSession } from './quick.ts';
import { leaseMs } from './tasks/free-tasks.ts';

/** Sessions of agents: 256 random bits, of which only the SHA-256 is stored; use extends them, up to a day. */
export function createSessions(base: TeamBase) {
  const { openEngine, clock } = base;
  /** The hash of the last valid coordinator token. */
  let rightBefore: string | undefined;

  /** Notes a use: extends the session and the lease of its task. */
  async function use(found: FoundSession, arrival: Arrival): Promise<AgentCaller | undefined> {
    const nowMs = clock();
    if (found.expires_at_ms <= nowMs) return undefined;
    if (nowMs - found.used_at_ms >= touchEveryMs) await touch(await openEngine(), found, nowMs);
    return {
      kind: found.hierarchy === 'manager' ? 'manager' : 'worker',
      principal: `agent:${found.agent_id}`,
      chain: chainOf(found),
      sessionId: found.id,
      remote: arrival.transport === 'http',
      session: {
        id: found.id,
        agentId: found.agent_id,
        projectId: found.project_id,
        purpose: found.purpose === 'chat' ? 'chat' : 'task',
      },
    };
  }

  return {
    async session(token: string, arrival: Arrival): Promise<AgentCaller | undefined> {
      // The token is hashed next, so its length must be bounded first.
      if (!token.startsWith('sess_') || token.length > 100) return undefined;
      const { db, quickTeam } = await openEngine();
      const hash = hashToken(token);
      const [found] =
        (await quickTeam?.sessions(hash)) ??
        (await db
          .selectFrom('agent_sessions')
          .innerJoin('agents', 'agents.id', 'agent_sessions.agent_id')
          .selectAll('agent_sessions')
          .select(['agents.hierarchy', givenBy])
          .where('agent_sessions.hash', '=', hash)
          .execute());
      return found && use(found, arrival);
    },

    async coordinator(token: string, arrival: Arrival): Promise<CoordinatorCaller | undefined> {
      if (token === '' || token.length > 1000) return undefined;
      const { db } = await openEngine();
      // A token that was valid before is no guess; its program calls often.
      const attempt =
        hashToken(token) === rightBefore
          ? undefined
          : await countAttempt(base, undefined, arrival.address ?? 'here');
      const found = await findRow(db, 'coordinator_tokens', { hash: hashToken(token) });
      if (!found) return undefined;
      rightBefore = found.hash;
      await attempt?.forget();
      return {
        kind: 'coordinator',
        principal: 'coordinator',
        sessionId: arrival.connectionId ?? 'coordinator',
        remote: arrival.transport === 'http',
      };
    },

    async bound(arrival: Arrival): Promise<AgentCaller | undefined> {
      if (arrival.connectionId === undefined) return undefined;
      const { db } = await openEngine();
      const found = await db
        .selectFrom('session_bindings')
        .innerJoin('agent_sessions', 'agent_sessions.id', 'session_bindings.session_id')
        .innerJoin('agents', 'agents.id', 'agent_sessions.agent_id')
        .selectAll('agent_sessions')
        .select(['agents.hierarchy', givenBy])
        .where('session_bindings.connection_id', '=', arrival.connectionId)
        .executeTakeFirst();
      return found && use(found, arrival);
    },

    authenticate: createEntrance(base),

    /** Ends this session and no other of the agent. */
    async logout(sessionId: string) {
      const engine = await openEngine();
      const ended = await engine.write((tx) => takeRow(tx, 'agent_sessions', { id: sessionId }));
      if (ended) engine.changes.tell(topicOf(ended.project_id));
      return ended !== undefined;
    },

    /** The connection has ended for good. */
    async unbind(connectionId: string) {
      const engine = await openEngine();
      await engine.write((tx) => leaveUnattended(tx, connectionId), { durable: false });
    },
  };
}

async function touch(engine: Engine, session: SessionRow, nowMs: number): Promise<void> {
  const expiresAtMs = Math.min(nowMs + slidesMs, session.ends_at_ms);
  const times = { nowMs, expiresAtMs, leaseUntilMs: nowMs + leaseMs };
  if (await engine.quickTeam?.touch(session, times)) return;
  await engine.write(
    async (tx) => {
      const { id, agent_id: assignee_id, project_id } = session;
      await updateRows(tx, 'agent_sessions', { id }, { used_at_ms: nowMs, expires_at_ms: expiresAtMs });
      // A session at a part also holds the wholes. Tasks of other owners have another session in this column.
      const held = { assignee_id, project_id, status: 'in_progress', lease_session_id: id };
      await updateRows(tx, 'tasks', held, { lease_expires_at_ms: nowMs + leaseMs });
    },
    { durable: false },
  );
}

/** The task counts as unattended until the next call, so that its restarted agent can resume it. */
async function leaveUnattended(tx: Tx, connectionId: string): Promise<void> {
  const bound = await takeRow(tx, 'session_bindings', { connection_id: connectionId });
  if (bound) await updateRows(tx, 'agent_sessions', { id: bound.session_id }, { used_at_ms: 0 });
}

/** The creators of the session's task and of the tasks that contain it, outermost first. */
const givenBy = sql<string | null>`(
  with recursive up (parent_id, created_by, depth) as (
    select t.parent_id, t.created_by, 0 from tasks t where t.id = agent_sessions.task_id
    union all
    select w.parent_id, w.created_by, up.depth + 1 from tasks w join up on w.id = up.parent_id where up.depth < 16
  ) select string_agg(created_by, ' ' order by depth desc) from up)`.as('given_by');

/** Undefined for an agent without a task, or at a task that it created itself. */
function chainOf({ agent_id: agentId, given_by: givenBy }: FoundSession): readonly string[] | undefined {
  const makers = (givenBy ?? '').split(' ').filter((maker) => maker !== '');
  const all = [...makers, agentId].map((each) => (each === 'person' ? each : `agent:${each}`));
  const chain = all.filter((each, place) => each !== all[place - 1]);
  return chain.length > 1 ? chain : undefined;
}

/** Ends a session; others may take its claimed tasks at once. */
export async function endSession(tx: Tx, sessionId: string, nowMs: number): Promise<SessionRow | undefined> {
  const ended = await takeRow(tx, 'agent_sessions', { id: sessionId });
  const held = { lease_session_id: sessionId, 'lease_expires_at_ms >': nowMs };
  await updateRows(tx, 'tasks', held, { lease_expires_at_ms: nowMs });
  return ended;
}

/** A recently used session is not written again. */
const touchEveryMs = 1000;
