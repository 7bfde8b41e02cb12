import { randomBytes } from 'node:crypto';
import type { Arrival } from '../../contract/call.ts';
import type { Purpose } from '../../contract/caller.ts';
import { ToolError } from '../../contract/error.ts';
import type { Answered } from '../../contract/team/team.ts';
import { text } from '../../contract/text/text.ts';
import { createSemaphore } from '../../ground/waiting/semaphore.ts';
import type { Engine } from '../engine.ts';
import { randomId } from '../random-id.ts';
import { deleteRows, findRow, insertRow, lockRow, putRow, takeRow, updateRows } from '../rows.ts';
import type { AgentRow, SessionRow } from '../tables/team.ts';
import { type TeamBase, type Tx, topicOf, view } from './base.ts';
import { words } from './instructions.ts';
import { countAttempt, hashToken, isPasskeyOf } from './passkeys.ts';
import { forbidden } from './refusals.ts';
import { leaseMs } from './tasks/free-tasks.ts';
import { findWork } from './tasks/work.ts';

export type Entrance = (input: Proof, arrival: Arrival) => Promise<Answered<'authenticate'>>;

interface Proof {
  readonly agent_id: string;
  readonly passkey: string;
  readonly project_id: string;
  readonly purpose?: Purpose | undefined;
}

/** Authenticates agents: the passkey proves who it is, and waiting work determines its session. */
export function createEntrance(base: TeamBase): Entrance {
  // Proving a passkey takes CPU time, and counts as an attempt until it succeeds. The limit keeps two hundred agents
  // that start together from looking like an attack.
  const places = createSemaphore(provedAtOnce);

  return async (input, arrival) => {
    const engine = await base.openEngine();
    const leave = await places.acquire();
    const agent = await prove(base, engine, input, arrival).finally(leave);
    const entry = await engine.write((tx) => enter(tx, base, engine, agent, input, arrival));
    if (entry.success) engine.changes.tell(topicOf(input.project_id));
    return entry;
  };
}

async function prove(
  base: TeamBase,
  { db }: Engine,
  { agent_id, passkey }: Proof,
  { address }: Arrival,
): Promise<AgentRow> {
  const attempt = await countAttempt(base, agent_id, address);
  const agent = await findRow(db, 'agents', { id: agent_id });
  if (!(await isPasskeyOf(agent?.passkey_hash, passkey)) || !agent) throw badProof();
  await attempt.forget();
  return agent;
}

async function enter(
  tx: Tx,
  { clock, locale }: TeamBase,
  engine: Engine,
  { id }: AgentRow,
  { project_id, purpose }: Proof,
  { connectionId }: Arrival,
): Promise<Answered<'authenticate'>> {
  const nowMs = clock();
  // Two entries of one agent take turns, or both would get the same task.
  const agent = await lockRow(engine, tx, 'agents', { id });
  if (!agent) throw badProof();
  await deleteRows(tx, 'agent_sessions', { 'expires_at_ms <=': nowMs });
  await assertMayEnter(tx, agent, project_id);
  const spawn = await takeRow(tx, 'spawn_leases', { agent_id: id, project_id });
  const work = await findWork(tx, agent, project_id, nowMs, purpose);
  if (!work) {
    const other = await findWork(tx, agent, project_id, nowMs);
    const instruction = (other ? words.otherWork : words.noWork)[locale];
    return { success: false, reason: 'no_work', agent_name: agent.name, instruction };
  }
  const task = work.purpose === 'task' ? work.task : undefined;
  const token = `sess_${randomBytes(32).toString('base64url')}`;
  const session: SessionRow = {
    id: randomId('ses_', 12),
    hash: hashToken(token),
    agent_id: id,
    project_id,
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
  await insertRow(tx, 'agent_sessions', session);
  if (task) {
    const { id: lease_session_id, fence } = session;
    const lease = { fence, lease_session_id, lease_expires_at_ms: nowMs + leaseMs };
    await updateRows(tx, 'tasks', { id: task.id }, lease);
  }
  if (connectionId !== undefined) {
    const binding = { connection_id: connectionId, session_id: session.id };
    await putRow(tx, 'session_bindings', ['connection_id'], binding);
  }
  return view<Answered<'authenticate'>>({
    success: true,
    session_token: token,
    expires_in: slidesMs / 1000,
    purpose: work.purpose,
    task_id: task?.id,
    agent_name: agent.name,
    instruction: words.entered[locale],
  });
}

async function assertMayEnter(tx: Tx, agent: AgentRow, projectId: string): Promise<void> {
  const project = await tx
    .selectFrom('assignments')
    .innerJoin('projects', 'projects.id', 'assignments.project_id')
    .select('projects.status')
    .where('assignments.agent_id', '=', agent.id)
    .where('projects.id', '=', projectId)
    .executeTakeFirst();
  if (!project)
    throw forbidden(
      `Agent ${agent.id} is not assigned to this project.`,
      `${agent.id} はこのプロジェクトに割り当てられていません。`,
      text(
        'Ask the operator: `sekisho project assign`.',
        '運用者に `sekisho project assign` を頼んでください。',
      ),
    );
  if (project.status !== 'active' || agent.status !== 'active')
    throw forbidden(
      `Project or agent is paused.`,
      'プロジェクトまたはエージェントは停止中です。',
      text('Exit, and come back when it has been resumed.', '終了し、再開後に戻ってください。'),
    );
}

function badProof(): ToolError {
  return new ToolError(
    'unauthenticated',
    'Agent or passkey is wrong.',
    'エージェントまたはパスキーが違います。',
  );
}

export const slidesMs = 3_600_000;
const longestMs = 24 * slidesMs;
/** As many keys as Node derives at once. */
const provedAtOnce = 4;
