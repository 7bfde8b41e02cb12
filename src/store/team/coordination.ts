import type { Answered, Team } from '../../contract/team/team.ts';
import { randomId } from '../random-id.ts';
import { deleteRows, findRow, lockRow, putRow, selectRows, takeRow } from '../rows.ts';
import type { AgentRow, ProjectRow } from '../tables/team.ts';
import { type Reader, type TeamBase, type Tx, topicOf } from './base.ts';
import { kinds, unknownAnywhere } from './refusals.ts';
import { endSession } from './sessions.ts';
import { leaseMs } from './tasks/free-tasks.ts';
import { readSubtasks } from './tasks/subtasks.ts';
import { notify } from './tasks/transition.ts';
import { findWork, type Work } from './tasks/work.ts';

/** Actions for the program that starts agents. */
export function createCoordination({
  openEngine,
  clock,
}: TeamBase): Pick<Team, 'agentAction' | 'processExit' | 'agentError'> {
  return {
    async agentAction(input) {
      const engine = await openEngine();
      return engine.write(async (tx) => {
        const nowMs = clock();
        const agent = await lockRow(engine, tx, 'agents', { id: input.agent_id });
        if (!agent) throw unknownAnywhere(kinds.agent, input.agent_id);
        const project = await findRow(tx, 'projects', { id: input.project_id });
        if (!project) throw unknownAnywhere(kinds.project, input.project_id);
        const held = await reasonToHold(tx, agent, project, nowMs);
        if (held !== undefined) return { action: 'hold', reason: held };
        const work = await workToStart(tx, agent, project.id, nowMs);
        if (typeof work === 'string') return { action: 'hold', reason: work };
        return startOf(agent, project, work, await leaseSpawn(tx, agent, project, nowMs));
      });
    },

    async processExit(input) {
      const engine = await openEngine();
      const ended = await engine.write(async (tx) => {
        const spawn = await takeRow(tx, 'spawn_leases', { id: input.session_id });
        const session = await tx
          .selectFrom('agent_sessions')
          .select('id')
          .where(({ or, eb }) => or([eb('id', '=', input.session_id), eb('spawn_id', '=', input.session_id)]))
          .limit(1)
          .executeTakeFirst();
        if (!session && !spawn) throw unknownAnywhere(kinds.session, input.session_id);
        return session ? endSession(tx, session.id, clock()) : undefined;
      });
      if (ended) engine.changes.tell(topicOf(ended.project_id));
      return { success: true, ...(ended?.task_id ? { task_id: ended.task_id } : {}) };
    },

    async agentError(input) {
      const engine = await openEngine();
      await engine.write(async (tx) => {
        const agent = await findRow(tx, 'agents', { id: input.agent_id });
        if (!agent) throw unknownAnywhere(kinds.agent, input.agent_id);
        const project = await findRow(tx, 'projects', { id: input.project_id });
        if (!project) throw unknownAnywhere(kinds.project, input.project_id);
        await deleteRows(tx, 'spawn_leases', { agent_id: agent.id, project_id: input.project_id });
        if (agent.parent_id === null) return;
        const here = { projectId: input.project_id, nowMs: clock() };
        await notify(tx, here, agent.parent_id, 'agent_error', `${agent.id}: ${input.message}`);
      });
      engine.changes.tell(topicOf(input.project_id));
      return { success: true };
    },
  };
}

async function reasonToHold(
  tx: Tx,
  agent: AgentRow,
  project: ProjectRow,
  nowMs: number,
): Promise<string | undefined> {
  const assignment = await findRow(tx, 'assignments', { agent_id: agent.id, project_id: project.id });
  if (!assignment || agent.status !== 'active') return 'agent_not_assigned';
  if (project.status !== 'active') return 'project_paused';
  const spawn = await findRow(tx, 'spawn_leases', {
    agent_id: agent.id,
    project_id: project.id,
    'expires_at_ms >': nowMs,
    // No lease is longer; a longer one is from before the clock was set back.
    'expires_at_ms <=': nowMs + spawnLeaseMs,
  });
  return spawn && 'spawn_in_progress';
}

/** The work to start the agent for, or why there is none. A live session does the work of its purpose itself. */
async function workToStart(
  db: Reader,
  agent: AgentRow,
  projectId: string,
  nowMs: number,
): Promise<Work | string> {
  const task = await findWork(db, agent, projectId, nowMs, 'task');
  if (task?.purpose === 'task') {
    if (task.task === undefined) {
      if (!(await hasSession(db, agent.id, projectId, 'task', nowMs))) return task;
    } else if (!(await waitsForWorkers(db, agent, task.task.id))) {
      return task;
    }
  }
  const chat = await findWork(db, agent, projectId, nowMs, 'chat');
  if (chat && !(await hasSession(db, agent.id, projectId, 'chat', nowMs))) return chat;
  if (task?.purpose === 'task' && task.task) return 'waiting_for_workers';
  const waiting = await findRow(db, 'tasks', {
    assignee_id: agent.id,
    project_id: projectId,
    status: ['todo', 'blocked'],
  });
  return waiting && !(await hasSession(db, agent.id, projectId, 'task', nowMs)) ? 'blocked' : 'no_work';
}

/** Whether a manager has nothing to do because others have all its subtasks, and none is stuck. */
async function waitsForWorkers(db: Reader, agent: AgentRow, taskId: string): Promise<boolean> {
  if (agent.hierarchy !== 'manager') return false;
  const task = await selectRows(db, 'tasks', { id: taskId }).executeTakeFirstOrThrow();
  const { open, ready, blocked, deadlocked } = await readSubtasks(db, task);
  if (open.length === 0 || blocked.length + deadlocked.length > 0) return false;
  if (ready.some((one) => one.assignee_id === null)) return false;
  return open.some((one) => one.assignee_id !== null && one.assignee_id !== agent.id);
}

/** Whether a session of this purpose is alive and has called recently. */
export async function hasSession(
  db: Reader,
  agentId: string,
  projectId: string,
  purpose: 'task' | 'chat',
  nowMs: number,
): Promise<boolean> {
  const row = await findRow(db, 'agent_sessions', {
    agent_id: agentId,
    project_id: projectId,
    purpose,
    'expires_at_ms >': nowMs,
    'used_at_ms >': nowMs - leaseMs,
  });
  return row !== undefined;
}

async function leaseSpawn(tx: Tx, agent: AgentRow, project: ProjectRow, nowMs: number) {
  const lease = {
    agent_id: agent.id,
    project_id: project.id,
    id: randomId('spn_', 12),
    expires_at_ms: nowMs + spawnLeaseMs,
  };
  await putRow(tx, 'spawn_leases', ['agent_id', 'project_id'], lease);
  return lease;
}

function startOf(
  agent: AgentRow,
  project: ProjectRow,
  work: Work,
  lease: { id: string },
): Answered<'agentAction'> {
  const task = work.purpose === 'task' ? work.task : undefined;
  return {
    action: 'start',
    reason: work.purpose === 'task' ? 'has_task_work' : 'has_chat_work',
    spawn_id: lease.id,
    expires_in: spawnLeaseMs / 1000,
    start: {
      agent_id: agent.id,
      name: agent.name,
      hierarchy: agent.hierarchy,
      project_id: project.id,
      purpose: work.purpose,
      ...(project.working_directory === null ? {} : { working_directory: project.working_directory }),
      ...(task ? { task_id: task.id } : {}),
    },
  };
}

/** The time for a started agent to authenticate before it is started again. */
const spawnLeaseMs = 120_000;
