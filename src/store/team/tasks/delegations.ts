import { text } from '../../../contract/text/text.ts';
import { randomId } from '../../random-id.ts';
import { findRow, given, insertRow, listRows, lockRow, updateRows } from '../../rows.ts';
import type { DelegationRow } from '../../tables/team.ts';
import { assertNotReplaced, readColleague } from '../authority.ts';
import type { Act, LongAct, Member, Tx } from '../base.ts';
import { delegationView, messageView } from '../chat/chat-rows.ts';
import { conversationsOf, conversationView, isMember } from '../chat/conversations.ts';
import { conflict, invalid, kinds, unknown } from '../refusals.ts';
import { nothingInHand } from './claim.ts';
import { lockTask } from './task-rows.ts';
import { readCursor } from './tasks.ts';
import { notify } from './transition.ts';

/** Errands from a task session to its agent's chat session, and their results. */
export const taskConversations: LongAct<'taskConversations'> = (membership, input, signal) => {
  const read = () =>
    membership.read(async (db, me) => {
      if (me.session.task_id === null) throw nothingInHand(me);
      const mine = { task_id: me.session.task_id, agent_id: me.agent.id, project_id: me.projectId };
      const wanted = { ...mine, ...given({ id: input.delegation_id }) };
      const rows = await listRows(db, 'delegations', wanted, { by: ['created_at_ms', 'id'], limit: 50 });
      if (input.delegation_id !== undefined && rows.length === 0)
        throw unknown(kinds.delegation, input.delegation_id);
      const delegations = [];
      for (const row of rows) {
        const conversations = await conversationsOf(db, row.id);
        delegations.push({
          ...delegationView(row),
          conversations: conversations.map((one) => conversationView(one, me.agent.id, me.nowMs)),
        });
      }
      return { delegations };
    });
  let first: string | undefined;
  // Waits for a change while any is under way.
  return membership.until(
    read,
    ({ delegations }) => {
      const states = JSON.stringify(delegations.map((one) => [one.delegation_id, one.status]));
      first ??= states;
      const isUnderWay = delegations.some(({ status }) => status === 'pending' || status === 'processing');
      return !isUnderWay || states !== first;
    },
    input.wait_seconds * 1000,
    signal,
  );
};

export const delegate: Act<'delegate'> = async (tx, me, input) => {
  if (me.session.task_id === null) throw nothingInHand(me);
  assertNotReplaced(me, await lockTask(tx, me.engine, me.projectId, me.session.task_id));
  const target = await readColleague(tx, me.projectId, input.target_agent_id);
  if (target.id === me.agent.id) throw invalid('target_agent_id', text('is yourself', 'が自分自身です'));
  const id = randomId('dlg_', 12);
  await insertRow(tx, 'delegations', {
    id,
    project_id: me.projectId,
    agent_id: me.agent.id,
    target_id: target.id,
    task_id: me.session.task_id,
    purpose: input.purpose,
    context: input.context ?? null,
    status: 'pending',
    result: null,
    created_at_ms: me.nowMs,
    changed_at_ms: me.nowMs,
  });
  return { delegation_id: id, status: 'pending' };
};

export const reportDelegation: Act<'reportDelegation'> = async (tx, me, input) => {
  const errand = await lockDelegation(tx, me, input.delegation_id);
  if (errand.status === input.status && errand.result === input.result) return { success: true };
  if (errand.status === 'completed' || errand.status === 'failed') throw reportedAlready(errand);
  const set = { status: input.status, result: input.result, changed_at_ms: me.nowMs };
  await updateRows(tx, 'delegations', { id: errand.id }, set);
  await notify(tx, me, me.agent.id, `delegation_${input.status}`, errand.purpose, errand.task_id);
  return { success: true };
};

export const conversationMessages: Act<'conversationMessages'> = async (db, me, input) => {
  const row = await findRow(db, 'conversations', { id: input.conversation_id, project_id: me.projectId });
  if (!row || !isMember(row, me.agent.id)) throw unknown(kinds.conversation, input.conversation_id);
  const after = input.cursor === undefined ? 0 : readCursor(input.cursor);
  const next = { by: 'seq', limit: shownMessages + 1 } as const;
  const messages = await listRows(db, 'messages', { conversation_id: row.id, 'seq >': after }, next);
  const shown = messages.slice(0, shownMessages);
  const last = shown.at(-1);
  return {
    conversation: conversationView(row, me.agent.id, me.nowMs),
    messages: shown.map(messageView),
    ...(messages.length > shown.length && last ? { next_cursor: String(last.seq) } : {}),
  };
};

/** An errand of the calling agent, locked. */
export async function lockDelegation(tx: Tx, me: Member, id: string): Promise<DelegationRow> {
  const mine = { id, project_id: me.projectId, agent_id: me.agent.id };
  const row = await lockRow(me.engine, tx, 'delegations', mine);
  if (!row) throw unknown(kinds.delegation, id);
  return row;
}

export function reportedAlready({ id, status }: DelegationRow) {
  return conflict(`Delegation ${id} is ${status} already.`, `委任 ${id} はすでに ${status} です。`);
}

const shownMessages = 20;
