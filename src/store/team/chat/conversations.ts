import type { Answered, ConversationView } from '../../../contract/team/team.ts';
import { text } from '../../../contract/text/text.ts';
import { randomId } from '../../random-id.ts';
import { insertRow, listRows, lockRow, selectRows, updateRows } from '../../rows.ts';
import type { ConversationRow } from '../../tables/team.ts';
import { personId, type Reader, type Speaker, type Tx, view } from '../base.ts';
import { conflict, kinds, unknown } from '../refusals.ts';
import { idleForMs, pendingForMs } from '../tasks/work.ts';

export const openConversation: readonly string[] = ['pending', 'active', 'terminating'];

/** Its current status: it may have expired before the table says so. */
export function statusAt(row: ConversationRow, nowMs: number): string {
  // A person's message can still be answered after the agent is started late, or thinks for long.
  const [joinedForMs, spokenForMs] =
    row.initiator_id === personId ? [Number.POSITIVE_INFINITY, personWaitsMs] : [pendingForMs, idleForMs];
  if (row.status === 'pending' && row.created_at_ms + joinedForMs <= nowMs) return 'expired';
  if ((row.status === 'active' || row.status === 'terminating') && row.changed_at_ms + spokenForMs <= nowMs)
    return row.status === 'active' ? 'expired' : 'ended';
  return row.status;
}

/** Stores the expiry of one agent's conversations. */
export async function expireStale(tx: Tx, me: Speaker): Promise<void> {
  const rows = await selectRows(tx, 'conversations', { project_id: me.projectId, status: openConversation })
    .where(({ or, eb }) => or([eb('initiator_id', '=', me.agent.id), eb('participant_id', '=', me.agent.id)]))
    .execute();
  for (const row of rows) {
    const status = statusAt(row, me.nowMs);
    if (status === row.status) continue;
    await updateRows(tx, 'conversations', { id: row.id, status: row.status }, { status });
  }
}

/** The conversation, locked; `not_found` for agents outside it. */
export async function lockConversation(tx: Tx, me: Speaker, id: string): Promise<ConversationRow> {
  const row = await lockRow(me.engine, tx, 'conversations', { id, project_id: me.projectId });
  if (!row || !isMember(row, me.agent.id)) throw unknown(kinds.conversation, id);
  return { ...row, status: statusAt(row, me.nowMs) };
}

export function isMember(row: ConversationRow, agentId: string): boolean {
  return row.initiator_id === agentId || row.participant_id === agentId;
}

export function otherThan(row: ConversationRow, agentId: string): string {
  return row.initiator_id === agentId ? row.participant_id : row.initiator_id;
}

/** Begins a conversation and invites the other, who joins by reading or writing. */
export async function beginConversation(
  tx: Tx,
  me: Speaker,
  begun: {
    readonly participantId: string;
    readonly purpose: string;
    readonly maxTurns: number;
    readonly delegationId?: string | undefined;
  },
): Promise<ConversationRow> {
  const row: ConversationRow = {
    id: randomId('cnv_', 12),
    project_id: me.projectId,
    initiator_id: me.agent.id,
    participant_id: begun.participantId,
    purpose: begun.purpose,
    status: 'pending',
    turns: 0,
    max_turns: begun.maxTurns,
    delegation_id: begun.delegationId ?? null,
    ended_by: null,
    outcome: null,
    created_at_ms: me.nowMs,
    changed_at_ms: me.nowMs,
  };
  await insertRow(tx, 'conversations', row);
  return row;
}

/** Writes a message in a conversation and counts the turn. */
export async function writeIn(
  tx: Tx,
  me: Speaker,
  row: ConversationRow,
  content: string,
): Promise<Answered<'send'>> {
  const isOpen = row.status === 'active' || (row.status === 'pending' && row.initiator_id === me.agent.id);
  if (!isOpen && !(row.status === 'pending' && row.participant_id === me.agent.id))
    throw conflict(
      `Conversation ${row.id} is ${row.status}; no more messages can be sent in it.`,
      `会話 ${row.id} は ${row.status} なので、これ以上発言できません。`,
      text(
        'Acknowledge its messages with get_pending_messages and ack; start_conversation begins another.',
        'メッセージは get_pending_messages の ack で既読にし、新しい会話は start_conversation で始めてください。',
      ),
    );
  const turns = row.turns + 1;
  const isLast = turns >= row.max_turns;
  // An invited agent joins by writing.
  const joined = row.status === 'pending' && row.participant_id === me.agent.id ? 'active' : row.status;
  const status = isLast ? 'ended' : joined;
  const end = isLast ? { ended_by: 'turns', outcome: row.outcome ?? 'max_turns' } : {};
  const set = { turns, status, changed_at_ms: me.nowMs, ...end };
  await updateRows(tx, 'conversations', { id: row.id }, set);
  const id = randomId('msg_', 12);
  await insertRow(tx, 'messages', {
    id,
    conversation_id: row.id,
    project_id: me.projectId,
    from_id: me.agent.id,
    to_id: otherThan(row, me.agent.id),
    content,
    sent_at_ms: me.nowMs,
    delivered_at_ms: null,
    read_at_ms: null,
  });
  return {
    message_id: id,
    conversation_id: row.id,
    status,
    turns,
    max_turns: row.max_turns,
    ...(turns % remindEvery === 0 && !isLast
      ? {
          reminder: text(
            `Turn ${turns} of ${row.max_turns}: is the purpose reached? "${row.purpose}"`,
            `${row.max_turns} ターン中 ${turns} ターン目です。目的は果たせましたか。「${row.purpose}」`,
          )[me.locale],
        }
      : {}),
  };
}

export function conversationView(row: ConversationRow, agentId: string, nowMs: number): ConversationView {
  return view<ConversationView>({
    conversation_id: row.id,
    with: otherThan(row, agentId),
    purpose: row.purpose,
    status: statusAt(row, nowMs),
    turns: row.turns,
    max_turns: row.max_turns,
    outcome: row.outcome,
  });
}

export async function conversationsOf(db: Reader, delegationId: string): Promise<readonly ConversationRow[]> {
  const all = { by: ['created_at_ms', 'id'], limit: 20 } as const;
  return listRows(db, 'conversations', { delegation_id: delegationId }, all);
}

const remindEvery = 5;
const personWaitsMs = 24 * 3_600_000;
