import type { Answered } from '../../../contract/team/team.ts';
import { randomId } from '../../random-id.ts';
import { insertRow, listRows, lockRow, updateRows } from '../../rows.ts';
import type { RequestRow } from '../../tables/team.ts';
import { ancestorsOf, readColleague } from '../authority.ts';
import type { Act, Member, Reader, Tx } from '../base.ts';
import { conflict, kinds, unknown } from '../refusals.ts';
import { assertMayAssign, insertTask } from './create-tasks.ts';
import { notify } from './transition.ts';

export const requestTask: Act<'requestTask'> = async (tx, me, input) => {
  const assigneeId = input.assignee_id ?? me.agent.id;
  await readColleague(tx, me.projectId, assigneeId);
  const above = await ancestorsOf(tx, assigneeId);
  const isAgreed = above.includes(me.agent.id);
  const row: RequestRow = {
    id: randomId('req_', 12),
    project_id: me.projectId,
    requester_id: me.agent.id,
    assignee_id: assigneeId,
    title: input.title,
    description: input.description ?? '',
    status: isAgreed ? 'approved' : 'pending',
    decided_by: isAgreed ? me.agent.id : null,
    reason: null,
    task_id: null,
    created_at_ms: me.nowMs,
  };
  const task = isAgreed ? await taskOf(tx, me, row, assigneeId) : undefined;
  await insertRow(tx, 'task_requests', { ...row, task_id: task?.id ?? null });
  if (!task) {
    for (const agentId of above) await notify(tx, me, agentId, 'request_pending', row.title);
  }
  return { request_id: row.id, status: row.status, ...(task ? { task_id: task.id } : {}) };
};

export const approveRequest: Act<'approveRequest'> = async (tx, me, input) => {
  const request = await lockRequest(tx, me, input.request_id);
  if (request.status === 'approved' && request.task_id) return { success: true, task_id: request.task_id };
  assertPending(request);
  const assigneeId = input.assignee_id ?? request.assignee_id;
  await assertMayAssign(tx, me, assigneeId);
  const task = await taskOf(tx, me, request, assigneeId);
  await decide(tx, me, request, 'approved', { task_id: task.id });
  return { success: true, task_id: task.id };
};

export const rejectRequest: Act<'rejectRequest'> = async (tx, me, input) => {
  const request = await lockRequest(tx, me, input.request_id);
  if (request.status === 'rejected') return { success: true };
  assertPending(request);
  await decide(tx, me, request, 'rejected', { reason: input.reason ?? null });
  return { success: true };
};

/** Requests that wait for this manager or another above the assignee. */
export async function pendingRequests(
  db: Reader,
  projectId: string,
  belowIds: readonly string[],
): Promise<Answered<'subordinates'>['pending_requests'][number][]> {
  if (belowIds.length === 0) return [];
  const pending = { project_id: projectId, status: 'pending', assignee_id: belowIds };
  const rows = await listRows(db, 'task_requests', pending, { by: 'created_at_ms', limit: 50 });
  return rows.map(({ id, requester_id, assignee_id, title }) => ({
    request_id: id,
    requester_id,
    assignee_id,
    title,
  }));
}

/** Only managers above the assignee may decide; for others the request does not exist. */
async function lockRequest(tx: Tx, me: Member, id: string): Promise<RequestRow> {
  const row = await lockRow(me.engine, tx, 'task_requests', { id, project_id: me.projectId });
  if (!row || !(await ancestorsOf(tx, row.assignee_id)).includes(me.agent.id))
    throw unknown(kinds.request, id);
  return row;
}

function assertPending(request: RequestRow): void {
  if (request.status === 'pending') return;
  throw conflict(
    `Request ${request.id} was ${request.status} by ${request.decided_by ?? 'somebody'}.`,
    `依頼 ${request.id} はすでに ${request.status} です。`,
  );
}

async function decide(
  tx: Tx,
  me: Member,
  request: RequestRow,
  status: 'approved' | 'rejected',
  set: Partial<RequestRow>,
): Promise<void> {
  await updateRows(tx, 'task_requests', { id: request.id }, { status, decided_by: me.agent.id, ...set });
  const message = set.reason ? `${request.title}: ${set.reason}` : request.title;
  await notify(tx, me, request.requester_id, `request_${status}`, message, set.task_id);
}

function taskOf(tx: Tx, { projectId, nowMs }: Member, request: RequestRow, assigneeId: string) {
  const { requester_id: by, title, description } = request;
  return insertTask(tx, { by, nowMs, projectId }, { title, description, assigneeId });
}
