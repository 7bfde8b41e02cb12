import { randomBytes } from 'node:crypto';
import type { Arrival } from '../../contract/call.ts';
import type { AgentCaller, CoordinatorCaller, Purpose } from '../../contract/caller.ts';
import { ToolError } from '../../contract/error.ts';
import type { Entry } from '../../contract/team.ts';
import { text } from '../../contract/text.ts';
import { randomId } from '../random-id.ts';
import type { AgentRow, SessionRow } from '../tables-team.ts';
import { type TeamBase, type Tx, topicOf } from './base.ts';
import { leaseMs } from './free-tasks.ts';
import { words } from './instructions.ts';
import { countAttempt, hashToken, isPasskeyOf } from './passkeys.ts';
import { forbidden } from './refusals.ts';
import { findWork } from './work.ts';

export interface Sessions {
  session(token: string, arrival: Arrival): Promise<AgentCaller | undefined>;
  coordinator(token: string, arrival: Arrival): Promise<CoordinatorCaller | undefined>;
  bound(arrival: Arrival): Promise<AgentCaller | undefined>;
  authenticate(
    input: {
      readonly agent_id: string;
      readonly passkey: string;
      readonly project_id: string;
      readonly purpose?: Purpose | undefined;
    },
    arrival: Arrival,
  ): Promise<Entry>;
  /** Ends this session and no other of the agent. */
  logout(sessionId: string): Promise<boolean>;
  /** The connection is gone for good. */
  unbind(connectionId: string): Promise<void>;
}

/** Sessions of agents: 256 random bits, of which only the SHA-256 is kept; they slide with use, and end after a day. */
export function createSessions(base: TeamBase): Sessions {
  const { openEngine, clock, locale } = base;

  /** Counts as use: the session slides on, and so does the lease of its task. */
  async function use(
    found: SessionRow & { hierarchy: string },
    arrival: Arrival,
  ): Promise<AgentCaller | undefined> {
    const nowMs = clock();
    if (found.expires_at_ms <= nowMs) return undefined;
    if (nowMs - found.used_at_ms >= touchEveryMs) await touch(found, nowMs);
    return {
      kind: found.hierarchy === 'manager' ? 'manager' : 'worker',
      principal: `agent:${found.agent_id}`,
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

  async function touch(session: SessionRow, nowMs: number): Promise<void> {
    const engine = await openEngine();
    await engine.write(
      async (tx) => {
        await tx
          .updateTable('agent_sessions')
          .set({ used_at_ms: nowMs, expires_at_ms: Math.min(nowMs + slidesMs, session.ends_at_ms) })
          .where('id', '=', session.id)
          .execute();
        // Whoever works at a part holds the whole as well. Another owner has another session in this column.
        await tx
          .updateTable('tasks')
          .set({ lease_expires_at_ms: nowMs + leaseMs })
          .where('assignee_id', '=', session.agent_id)
          .where('project_id', '=', session.project_id)
          .where('status', '=', 'in_progress')
          .where('lease_session_id', '=', session.id)
          .execute();
      },
      { durable: false },
    );
  }

  return {
    async session(token, arrival) {
      // Whatever a stranger sends is hashed, so its length must be bounded first.
      if (!token.startsWith('sess_') || token.length > 100) return undefined;
      const { db } = await openEngine();
      const found = await db
        .selectFrom('agent_sessions')
        .innerJoin('agents', 'agents.id', 'agent_sessions.agent_id')
        .selectAll('agent_sessions')
        .select('agents.hierarchy')
        .where('agent_sessions.hash', '=', hashToken(token))
        .executeTakeFirst();
      return found && use(found, arrival);
    },

    async coordinator(token, arrival) {
      if (token === '' || token.length > 1000) return undefined;
      const { db } = await openEngine();
      const found = await db
        .selectFrom('coordinator_tokens')
        .select('hash')
        .where('hash', '=', hashToken(token))
        .executeTakeFirst();
      if (!found) return undefined;
      return {
        kind: 'coordinator',
        principal: 'coordinator',
        sessionId: arrival.connectionId ?? 'coordinator',
        remote: arrival.transport === 'http',
      };
    },

    async bound(arrival) {
      if (arrival.connectionId === undefined) return undefined;
      const { db } = await openEngine();
      const found = await db
        .selectFrom('session_bindings')
        .innerJoin('agent_sessions', 'agent_sessions.id', 'session_bindings.session_id')
        .innerJoin('agents', 'agents.id', 'agent_sessions.agent_id')
        .selectAll('agent_sessions')
        .select('agents.hierarchy')
        .where('session_bindings.connection_id', '=', arrival.connectionId)
        .executeTakeFirst();
      return found && use(found, arrival);
    },

    async authenticate(input, arrival) {
      const attempt = await countAttempt(base, input.agent_id, arrival.address);
      const engine = await openEngine();
      const agent = await engine.db
        .selectFrom('agents')
        .selectAll()
        .where('id', '=', input.agent_id)
        .executeTakeFirst();
      if (!(await isPasskeyOf(agent?.passkey_hash, input.passkey)) || !agent) throw badProof();
      await attempt.forget();
      const entry = await engine.write((tx) => enter(tx, agent, input, arrival));
      if (entry.success) engine.changes.tell(topicOf(input.project_id));
      return entry;
    },

    async logout(sessionId) {
      const engine = await openEngine();
      const ended = await engine.write((tx) =>
        tx
          .deleteFrom('agent_sessions')
          .where('id', '=', sessionId)
          .returning('project_id')
          .executeTakeFirst(),
      );
      if (ended) engine.changes.tell(topicOf(ended.project_id));
      return ended !== undefined;
    },

    async unbind(connectionId) {
      const engine = await openEngine();
      await engine.write(
        (tx) => tx.deleteFrom('session_bindings').where('connection_id', '=', connectionId).execute(),
        { durable: false },
      );
    },
  };

  async function enter(
    tx: Tx,
    { id }: AgentRow,
    input: { readonly project_id: string; readonly purpose?: Purpose | undefined },
    arrival: Arrival,
  ): Promise<Entry> {
    const engine = await openEngine();
    const nowMs = clock();
    // Two that enter for one agent take turns, or both would be given the same task.
    const agent = await engine
      .lock(tx.selectFrom('agents').selectAll().where('id', '=', id))
      .executeTakeFirst();
    if (!agent) throw badProof();
    await tx.deleteFrom('agent_sessions').where('expires_at_ms', '<=', nowMs).execute();
    await assertMayEnter(tx, agent, input.project_id);
    const spawn = await tx
      .deleteFrom('spawn_leases')
      .where('agent_id', '=', id)
      .where('project_id', '=', input.project_id)
      .returning('id')
      .executeTakeFirst();
    const work = await findWork(tx, agent, input.project_id, nowMs, input.purpose);
    if (!work) {
      return {
        success: false,
        reason: 'no_work',
        agent_name: agent.name,
        instruction: words.noWork[locale],
      };
    }
    const task = work.purpose === 'task' ? work.task : undefined;
    const token = `sess_${randomBytes(32).toString('base64url')}`;
    const session: SessionRow = {
      id: randomId('ses_', 12),
      hash: hashToken(token),
      agent_id: id,
      project_id: input.project_id,
      purpose: work.purpose,
      task_id: task?.id ?? null,
      fence: task ? task.fence + 1 : 0,
      has_read_task: 0,
      selected_action: null,
      selected_at_event: 0,
      spawn_id: spawn?.id ?? null,
      created_at_ms: nowMs,
      used_at_ms: nowMs,
      expires_at_ms: nowMs + slidesMs,
      ends_at_ms: nowMs + longestMs,
    };
    await tx.insertInto('agent_sessions').values(session).execute();
    if (task) {
      await tx
        .updateTable('tasks')
        .set({ fence: session.fence, lease_session_id: session.id, lease_expires_at_ms: nowMs + leaseMs })
        .where('id', '=', task.id)
        .execute();
    }
    if (arrival.connectionId !== undefined) {
      await tx
        .insertInto('session_bindings')
        .values({ connection_id: arrival.connectionId, session_id: session.id })
        .onConflict((conflict) => conflict.column('connection_id').doUpdateSet({ session_id: session.id }))
        .execute();
    }
    return {
      success: true,
      session_token: token,
      expires_in: slidesMs / 1000,
      purpose: work.purpose,
      ...(task ? { task_id: task.id } : {}),
      agent_name: agent.name,
      instruction: words.entered[locale],
    };
  }
}

/** Ends a session; whatever it claimed may be taken by others at once. */
export async function endSession(tx: Tx, sessionId: string, nowMs: number): Promise<SessionRow | undefined> {
  const ended = await tx
    .deleteFrom('agent_sessions')
    .where('id', '=', sessionId)
    .returningAll()
    .executeTakeFirst();
  await tx
    .updateTable('tasks')
    .set({ lease_expires_at_ms: nowMs })
    .where('lease_session_id', '=', sessionId)
    .where('lease_expires_at_ms', '>', nowMs)
    .execute();
  return ended;
}

async function assertMayEnter(tx: Tx, agent: AgentRow, projectId: string): Promise<void> {
  const project = await tx
    .selectFrom('assignments')
    .innerJoin('projects', 'projects.id', 'assignments.project_id')
    .select('projects.status')
    .where('assignments.agent_id', '=', agent.id)
    .where('projects.id', '=', projectId)
    .executeTakeFirst();
  if (!project) {
    throw forbidden(
      `Agent ${agent.id} is not assigned to this project.`,
      `${agent.id} はこのプロジェクトに割り当てられていません。`,
      text(
        'Ask the operator: `sekisho project assign`.',
        '運用者に `sekisho project assign` を頼んでください。',
      ),
    );
  }
  if (project.status !== 'active' || agent.status !== 'active') {
    throw forbidden(
      `Project or agent is paused.`,
      'プロジェクトまたはエージェントは停止中です。',
      text('Exit, and come back when it was resumed.', '終了し、再開後に戻ってください。'),
    );
  }
}

function badProof(): ToolError {
  return new ToolError(
    'unauthenticated',
    text('Agent or passkey is wrong.', 'エージェントまたはパスキーが違います。'),
  );
}

const slidesMs = 3_600_000;
const longestMs = 24 * slidesMs;
/** A session that was used a moment ago is not written again. */
const touchEveryMs = 1000;
