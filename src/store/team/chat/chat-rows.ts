import type { DelegationView, MessageView } from '../../../contract/team/team.ts';
import { listRows, type Match, selectRows, updateRows } from '../../rows.ts';
import type { ConversationRow, DelegationRow, MessageRow } from '../../tables/team.ts';
import { isoTime, type Reader, type Speaker, type Tx, view } from '../base.ts';
import { openConversation, statusAt } from './conversations.ts';

export function messageView(row: MessageRow): MessageView {
  return {
    message_id: row.id,
    conversation_id: row.conversation_id,
    from: row.from_id,
    to: row.to_id,
    content: row.content,
    sent_at: isoTime(row.sent_at_ms),
  };
}

export function delegationView(row: DelegationRow): DelegationView {
  return view<DelegationView>({
    delegation_id: row.id,
    target_agent_id: row.target_id,
    purpose: row.purpose,
    status: row.status,
    context: row.context,
    result: row.result,
  });
}

/** The calling agent's open conversations, oldest first. */
export async function openOf(db: Reader, me: Speaker): Promise<readonly ConversationRow[]> {
  const rows = await selectRows(db, 'conversations', { project_id: me.projectId, status: openConversation })
    .where(({ or, eb }) => or([eb('initiator_id', '=', me.agent.id), eb('participant_id', '=', me.agent.id)]))
    .orderBy('created_at_ms')
    .orderBy('id')
    .limit(50)
    .execute();
  return rows.filter((row) => openConversation.includes(statusAt(row, me.nowMs)));
}

/** The `most` oldest errands of the calling agent that wait or are unreported. */
export async function errandsOf(db: Reader, me: Speaker, most: number): Promise<readonly DelegationRow[]> {
  const open = { agent_id: me.agent.id, project_id: me.projectId, status: ['pending', 'processing'] };
  return listRows(db, 'delegations', open, { by: ['created_at_ms', 'id'], limit: most });
}

/** The messages that the calling agent has not read. */
export function unread(me: Speaker) {
  return { to_id: me.agent.id, project_id: me.projectId, read_at_ms: null };
}

/** Marks those of the calling agent's unread messages as read. */
export async function markRead(tx: Tx, me: Speaker, those: Match<'messages'>): Promise<void> {
  await updateRows(tx, 'messages', { ...unread(me), ...those }, { read_at_ms: me.nowMs });
}
