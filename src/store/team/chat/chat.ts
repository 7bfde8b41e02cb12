import { text } from '../../../contract/text/text.ts';
import { listRows, updateRows } from '../../rows.ts';
import type { DelegationRow } from '../../tables/team.ts';
import { readColleague } from '../authority.ts';
import { type Act, type Member, personId, type Tx } from '../base.ts';
import { conflict, invalid } from '../refusals.ts';
import { lockDelegation, reportedAlready } from '../tasks/delegations.ts';
import { notify } from '../tasks/transition.ts';
import { markRead, openOf, unread } from './chat-rows.ts';
import { beginConversation, expireStale, lockConversation, otherThan, writeIn } from './conversations.ts';

export const respond: Act<'respond'> = async (tx, me, input) => {
  const row = await lockConversation(tx, me, input.conversation_id ?? (await lastHeard(tx, me)));
  const sent = await writeIn(tx, me, row, input.content);
  await markRead(tx, me, { conversation_id: row.id, 'delivered_at_ms <>': null });
  return sent;
};

export const send: Act<'send'> = async (tx, me, input) => {
  if (input.target_agent_id !== personId) await readColleague(tx, me.projectId, input.target_agent_id);
  const open = (await openOf(tx, me)).find(
    (row) => otherThan(row, me.agent.id) === input.target_agent_id && row.status !== 'terminating',
  );
  if (!open)
    throw conflict(
      `You have no open conversation with agent ${input.target_agent_id}.`,
      `${input.target_agent_id} との会話は開かれていません。`,
      text('Start one with start_conversation.', 'start_conversation で始めてください。'),
    );
  return writeIn(tx, me, await lockConversation(tx, me, open.id), input.content);
};

export const startConversation: Act<'startConversation'> = async (tx, me, input) => {
  const other = await readColleague(tx, me.projectId, input.participant_agent_id);
  if (other.id === me.agent.id) throw invalid('participant_agent_id', text('is yourself', 'が自分自身です'));
  await lockPair(tx, me, other.id);
  await expireStale(tx, me);
  const open = (await openOf(tx, me)).find((row) => otherThan(row, me.agent.id) === other.id);
  if (open)
    throw conflict(
      `Conversation ${open.id} with agent ${other.id} is ${open.status} already.`,
      `${other.id} との会話 ${open.id} がすでに ${open.status} です。`,
      {
        suggestion: text('Continue it, or end it first.', 'その会話を続けるか、先に終了してください。'),
        details: { conversation_id: open.id },
      },
    );
  const errand =
    input.delegation_id === undefined ? undefined : await lockDelegation(tx, me, input.delegation_id);
  if (errand) await beginErrand(tx, me, errand);
  const row = await beginConversation(tx, me, {
    participantId: other.id,
    purpose: input.purpose,
    maxTurns: input.max_turns,
    delegationId: errand?.id,
  });
  const sent = input.message === undefined ? undefined : await writeIn(tx, me, row, input.message);
  return {
    conversation_id: row.id,
    status: row.status,
    ...(sent ? { message_id: sent.message_id } : {}),
  };
};

export const endConversation: Act<'endConversation'> = async (tx, me, input) => {
  const row = await lockConversation(tx, me, input.conversation_id);
  if (row.status === 'ended' || row.status === 'expired') return { success: true, status: row.status };
  // After the first ends it, the other may still read the last messages; the second ending is final.
  const isSecond = row.status === 'terminating' && row.ended_by !== me.agent.id;
  const status = row.status === 'pending' || isSecond ? 'ended' : 'terminating';
  const outcome = row.outcome ?? input.summary ?? null;
  const set = { status, ended_by: row.ended_by ?? me.agent.id, outcome, changed_at_ms: me.nowMs };
  await updateRows(tx, 'conversations', { id: row.id }, set);
  if (row.status !== 'terminating') {
    await notify(tx, me, otherThan(row, me.agent.id), 'conversation_ended', input.summary ?? row.purpose);
  }
  return { success: true, status };
};

/** Locks two agents in a fixed order, so that mutual invitations result in one conversation. */
async function lockPair(tx: Tx, me: Member, otherId: string): Promise<void> {
  for (const id of [me.agent.id, otherId].toSorted()) {
    await me.engine.lock(tx.selectFrom('agents').select('id').where('id', '=', id)).executeTakeFirst();
  }
}

async function beginErrand(tx: Tx, me: Member, errand: DelegationRow): Promise<void> {
  if (errand.status === 'completed' || errand.status === 'failed') throw reportedAlready(errand);
  if (errand.status !== 'pending') return;
  await updateRows(tx, 'delegations', { id: errand.id }, { status: 'processing', changed_at_ms: me.nowMs });
}

/** Without an id, the answer goes to the earliest unanswered conversation. */
async function lastHeard(tx: Tx, me: Member): Promise<string> {
  const heard = { ...unread(me), 'delivered_at_ms <>': null };
  const [row] = await listRows(tx, 'messages', heard, { by: 'seq', limit: 1 });
  if (row) return row.conversation_id;
  throw conflict(
    'No message waits for an answer.',
    '返信を待っているメッセージはありません。',
    text(
      'Fetch them with get_pending_messages, or pass conversation_id.',
      'get_pending_messages で取得するか、conversation_id を指定してください。',
    ),
  );
}
