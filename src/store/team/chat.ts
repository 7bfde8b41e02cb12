import type { DelegationView, MessageView, Sent } from '../../contract/team-chat.ts';
import { text } from '../../contract/text.ts';
import { randomId } from '../random-id.ts';
import type { ConversationRow, DelegationRow, MessageRow } from '../tables-team.ts';
import { readColleague } from './authority.ts';
import { isoTime, type Member, type Membership, type Tx, view } from './base.ts';
import {
  conversationView,
  expireStale,
  lockConversation,
  openConversation,
  otherThan,
  statusAt,
  writeIn,
} from './conversations.ts';
import { lockDelegation } from './delegations.ts';
import { conflict, invalid } from './refusals.ts';
import { notify } from './transition.ts';

/** What a chat session does: hear, answer, begin and end conversations. */
export function createChat(membership: Membership) {
  return {
    pendingMessages: ({ ack }: { readonly ack?: readonly string[] | undefined }) =>
      membership.change(async (tx, me) => {
        await expireStale(tx, me);
        if (ack && ack.length > 0) await markRead(tx, me, (query) => query.where('id', 'in', ack));
        const rows = await tx
          .selectFrom('messages')
          .selectAll()
          .where('to_id', '=', me.agent.id)
          .where('project_id', '=', me.projectId)
          .where('read_at_ms', 'is', null)
          .orderBy('seq')
          .limit(shownPending + 1)
          .execute();
        const pending = rows.slice(0, shownPending);
        if (pending.length > 0) {
          const ids = pending.map((row) => row.id);
          await tx
            .updateTable('messages')
            .set({ delivered_at_ms: me.nowMs })
            .where('id', 'in', ids)
            .execute();
        }
        await join(tx, me);
        return {
          messages: pending.map(messageView),
          more: rows.length > shownPending,
          context: (await contextOf(tx, me, pending)).map(messageView),
          conversations: (await openOf(tx, me)).map((row) => conversationView(row, me.agent.id, me.nowMs)),
          delegations: (await takeErrands(tx, me)).map(delegationView),
        };
      }),

    respond: (input: {
      readonly content: string;
      readonly conversation_id?: string | undefined;
    }): Promise<Sent> =>
      membership.change(async (tx, me) => {
        const row = await lockConversation(tx, me, input.conversation_id ?? (await lastHeard(tx, me)));
        const sent = await writeIn(tx, me, row, input.content);
        await markRead(tx, me, (query) =>
          query.where('conversation_id', '=', row.id).where('delivered_at_ms', 'is not', null),
        );
        return sent;
      }),

    send: (input: { readonly target_agent_id: string; readonly content: string }): Promise<Sent> =>
      membership.change(async (tx, me) => {
        await readColleague(tx, me.projectId, input.target_agent_id);
        const open = (await openOf(tx, me)).find(
          (row) => otherThan(row, me.agent.id) === input.target_agent_id && row.status !== 'terminating',
        );
        if (!open) {
          throw conflict(
            `You have no open conversation with agent ${input.target_agent_id}.`,
            `${input.target_agent_id} との会話は開かれていません。`,
            text('Begin one with start_conversation.', 'start_conversation で始めてください。'),
          );
        }
        return writeIn(tx, me, await lockConversation(tx, me, open.id), input.content);
      }),

    startConversation: (input: {
      readonly participant_agent_id: string;
      readonly purpose: string;
      readonly message?: string | undefined;
      readonly max_turns: number;
      readonly delegation_id?: string | undefined;
    }) =>
      membership.change(async (tx, me) => {
        const other = await readColleague(tx, me.projectId, input.participant_agent_id);
        if (other.id === me.agent.id) {
          throw invalid('participant_agent_id', 'is yourself', 'が自分自身です');
        }
        await expireStale(tx, me);
        const open = (await openOf(tx, me)).find((row) => otherThan(row, me.agent.id) === other.id);
        if (open) {
          throw conflict(
            `Conversation ${open.id} with agent ${other.id} is ${open.status} already.`,
            `${other.id} との会話 ${open.id} がすでに ${open.status} です。`,
            text('Go on in it, or end it first.', 'それを続けるか、先に終了してください。'),
            { conversation_id: open.id },
          );
        }
        const errand =
          input.delegation_id === undefined ? undefined : await lockDelegation(tx, me, input.delegation_id);
        if (errand) await beginErrand(tx, me, errand);
        const row: ConversationRow = {
          id: randomId('cnv_', 12),
          project_id: me.projectId,
          initiator_id: me.agent.id,
          participant_id: other.id,
          purpose: input.purpose,
          status: 'pending',
          turns: 0,
          max_turns: input.max_turns,
          delegation_id: errand?.id ?? null,
          ended_by: null,
          outcome: null,
          created_at_ms: me.nowMs,
          changed_at_ms: me.nowMs,
        };
        await tx.insertInto('conversations').values(row).execute();
        const sent = input.message === undefined ? undefined : await writeIn(tx, me, row, input.message);
        return {
          conversation_id: row.id,
          status: row.status,
          ...(sent ? { message_id: sent.message_id } : {}),
        };
      }),

    endConversation: (input: { readonly conversation_id: string; readonly summary?: string | undefined }) =>
      membership.change(async (tx, me) => {
        const row = await lockConversation(tx, me, input.conversation_id);
        if (row.status === 'ended' || row.status === 'expired') return { success: true, status: row.status };
        // The first who ends it leaves the other time to hear the last words; the other's end is final.
        const isSecond = row.status === 'terminating' && row.ended_by !== me.agent.id;
        const status = row.status === 'pending' || isSecond ? 'ended' : 'terminating';
        await tx
          .updateTable('conversations')
          .set({
            status,
            ended_by: row.ended_by ?? me.agent.id,
            outcome: row.outcome ?? input.summary ?? null,
            changed_at_ms: me.nowMs,
          })
          .where('id', '=', row.id)
          .execute();
        if (row.status !== 'terminating') {
          await notify(tx, {
            agentId: otherThan(row, me.agent.id),
            projectId: me.projectId,
            kind: 'conversation_ended',
            message: input.summary ?? row.purpose,
            nowMs: me.nowMs,
          });
        }
        return { success: true, status };
      }),
  };
}

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

/** Invitations are accepted by hearing of them; what the other ended is over once this side has heard it. */
async function join(tx: Tx, me: Member): Promise<void> {
  await tx
    .updateTable('conversations')
    .set({ status: 'active', changed_at_ms: me.nowMs })
    .where('participant_id', '=', me.agent.id)
    .where('project_id', '=', me.projectId)
    .where('status', '=', 'pending')
    .execute();
  await tx
    .updateTable('conversations')
    .set({ status: 'ended' })
    .where('project_id', '=', me.projectId)
    .where('status', '=', 'terminating')
    .where('ended_by', '<>', me.agent.id)
    .where(({ or, eb }) => or([eb('initiator_id', '=', me.agent.id), eb('participant_id', '=', me.agent.id)]))
    .execute();
}

async function openOf(tx: Tx, me: Member): Promise<readonly ConversationRow[]> {
  const rows = await tx
    .selectFrom('conversations')
    .selectAll()
    .where('project_id', '=', me.projectId)
    .where('status', 'in', openConversation)
    .where(({ or, eb }) => or([eb('initiator_id', '=', me.agent.id), eb('participant_id', '=', me.agent.id)]))
    .orderBy('created_at_ms')
    .orderBy('id')
    .limit(50)
    .execute();
  return rows.filter((row) => openConversation.includes(statusAt(row, me.nowMs)));
}

/** Errands that wait, and those that were begun: each is shown until it is reported. */
async function takeErrands(tx: Tx, me: Member): Promise<readonly DelegationRow[]> {
  return tx
    .selectFrom('delegations')
    .selectAll()
    .where('agent_id', '=', me.agent.id)
    .where('project_id', '=', me.projectId)
    .where('status', 'in', ['pending', 'processing'])
    .orderBy('created_at_ms')
    .orderBy('id')
    .limit(shownPending)
    .execute();
}

async function beginErrand(tx: Tx, me: Member, errand: DelegationRow): Promise<void> {
  if (errand.status !== 'pending') return;
  await tx
    .updateTable('delegations')
    .set({ status: 'processing', changed_at_ms: me.nowMs })
    .where('id', '=', errand.id)
    .execute();
}

type Unread = ReturnType<typeof unreadOf>;

function unreadOf(tx: Tx, me: Member) {
  return tx
    .updateTable('messages')
    .set({ read_at_ms: me.nowMs })
    .where('to_id', '=', me.agent.id)
    .where('project_id', '=', me.projectId)
    .where('read_at_ms', 'is', null);
}

async function markRead(tx: Tx, me: Member, narrow: (query: Unread) => Unread): Promise<void> {
  await narrow(unreadOf(tx, me)).execute();
}

/** Without a name the answer goes to whoever was heard first and not answered. */
async function lastHeard(tx: Tx, me: Member): Promise<string> {
  const row = await tx
    .selectFrom('messages')
    .select('conversation_id')
    .where('to_id', '=', me.agent.id)
    .where('project_id', '=', me.projectId)
    .where('read_at_ms', 'is', null)
    .where('delivered_at_ms', 'is not', null)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
  if (row) return row.conversation_id;
  throw conflict(
    'No message waits for an answer.',
    '返信を待っているメッセージはありません。',
    text(
      'Fetch them with get_pending_messages, or name conversation_id.',
      'get_pending_messages で取得するか、conversation_id を指定してください。',
    ),
  );
}

/** What was said before the pending messages, in the same conversations. */
async function contextOf(tx: Tx, me: Member, pending: readonly MessageRow[]): Promise<readonly MessageRow[]> {
  const conversations = [...new Set(pending.map((row) => row.conversation_id))];
  if (conversations.length === 0) return [];
  const shown = new Set(pending.map((row) => row.id));
  const rows = await tx
    .selectFrom('messages')
    .selectAll()
    .where('conversation_id', 'in', conversations)
    .where('project_id', '=', me.projectId)
    .where('seq', '<', Math.max(...pending.map((row) => row.seq)))
    .orderBy('seq', 'desc')
    .limit(shownContext + shownPending)
    .execute();
  return rows
    .filter((row) => !shown.has(row.id))
    .slice(0, shownContext)
    .toReversed();
}

const shownPending = 10;
const shownContext = 20;
