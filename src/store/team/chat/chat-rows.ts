import type { DelegationView, MessageView } from '../../../contract/team/team.ts';
import { selectRows } from '../../rows.ts';
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
  return selectRows(db, 'delegations', {
    agent_id: me.agent.id,
    project_id: me.projectId,
    status: ['pending', 'processing'],
  })
    .orderBy('created_at_ms')
    .orderBy('id')
    .limit(most)
    .execute();
}

type Unread = ReturnType<typeof unreadOf>;

function unreadOf(tx: Tx, me: Speaker) {
  return tx
    .updateTable('messages')
    .set({ read_at_ms: me.nowMs })
    .where('to_id', '=', me.agent.id)
    .where('project_id', '=', me.projectId)
    .where('read_at_ms', 'is', null);
}

/** Marks the calling agent's unread messages as read, as far as `narrow` selects them. */
export async function markRead(tx: Tx, me: Speaker, narrow: (query: Unread) => Unread): Promise<void> {
  await narrow(unreadOf(tx, me)).execute();
}
