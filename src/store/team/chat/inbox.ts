import type { Text } from '../../../contract/text/text.ts';
import { listRows, updateRows } from '../../rows.ts';
import type { ConversationRow, MessageRow } from '../../tables/team.ts';
import type { Act, Member, Tx } from '../base.ts';
import { words } from '../instructions.ts';
import { delegationView, errandsOf, markRead, messageView, openOf, unread } from './chat-rows.ts';
import { conversationView, expireStale } from './conversations.ts';

export const pendingMessages: Act<'pendingMessages'> = async (tx, me, { ack }) => {
  await expireStale(tx, me);
  if (ack && ack.length > 0) await markRead(tx, me, { id: ack });
  const rows = await listRows(tx, 'messages', unread(me), { by: 'seq', limit: shownPending + 1 });
  const pending = rows.slice(0, shownPending);
  if (pending.length > 0) {
    const ids = pending.map((row) => row.id);
    await updateRows(tx, 'messages', { id: ids }, { delivered_at_ms: me.nowMs });
  }
  await join(tx, me);
  const open = await openOf(tx, me);
  return {
    messages: pending.map(messageView),
    more: rows.length > shownPending,
    context: (await contextOf(tx, me, pending)).map(messageView),
    conversations: open.map((row) => conversationView(row, me.agent.id, me.nowMs)),
    delegations: (await errandsOf(tx, me, shownPending)).map(delegationView),
    instruction: whatNow(pending, open)[me.locale],
  };
};

/** Says to answer if that is still possible; messages of an ended conversation can only be acknowledged. */
function whatNow(pending: readonly MessageRow[], open: readonly ConversationRow[]): Text {
  if (pending.length === 0) return words.nothingHeard;
  const answerable = new Set(open.filter(({ status }) => status !== 'terminating').map(({ id }) => id));
  return pending.some((row) => answerable.has(row.conversation_id)) ? words.heard : words.heardLast;
}

/** Reading accepts invitations, and completes conversations that the other has ended. */
async function join(tx: Tx, me: Member): Promise<void> {
  const invited = { participant_id: me.agent.id, project_id: me.projectId, status: 'pending' };
  await updateRows(tx, 'conversations', invited, { status: 'active', changed_at_ms: me.nowMs });
  await tx
    .updateTable('conversations')
    .set({ status: 'ended' })
    .where('project_id', '=', me.projectId)
    .where('status', '=', 'terminating')
    .where('ended_by', '<>', me.agent.id)
    .where(({ or, eb }) => or([eb('initiator_id', '=', me.agent.id), eb('participant_id', '=', me.agent.id)]))
    .execute();
}

/** Earlier messages of the conversations with pending ones. */
async function contextOf(tx: Tx, me: Member, pending: readonly MessageRow[]): Promise<readonly MessageRow[]> {
  const conversations = [...new Set(pending.map((row) => row.conversation_id))];
  if (conversations.length === 0) return [];
  const shown = new Set(pending.map((row) => row.id));
  const newest = Math.max(...pending.map((row) => row.seq));
  const earlier = { conversation_id: conversations, project_id: me.projectId, 'seq <': newest };
  const last = { by: 'seq desc', limit: shownContext + shownPending } as const;
  const rows = await listRows(tx, 'messages', earlier, last);
  return rows
    .filter((row) => !shown.has(row.id))
    .slice(0, shownContext)
    .toReversed();
}

const shownPending = 10;
const shownContext = 20;
