import { ConfigError } from '../../../contract/error.ts';
import type { TeamAdmin } from '../../../contract/team/admin.ts';
import { teamLimits } from '../../../contract/team/tasks.ts';
import { text } from '../../../contract/text/text.ts';
import { readUntil } from '../../changes.ts';
import { listRows, selectRows } from '../../rows.ts';
import type { ConversationRow } from '../../tables/team.ts';
import { personId, type Speaker, type TeamBase, type Tx, topicOf } from '../base.ts';
import { markRead } from '../chat/chat-rows.ts';
import { beginConversation, expireStale, openConversation, writeIn } from '../chat/conversations.ts';
import { hasSession } from '../coordination.ts';
import { assertAssigned, assertThere } from './checks.ts';

/** Talking with agents, for a person. */
export function createChatAdmin({
  openEngine,
  clock,
  locale,
}: TeamBase): Pick<TeamAdmin, 'writeTo' | 'talkWith'> {
  return {
    async writeTo(agentId, projectId, content) {
      if (content.trim() === '' || content.length > teamLimits.messageChars) throw badMessage();
      const engine = await openEngine();
      const sent = await engine.write(async (tx) => {
        await assertThere(tx, 'agents', agentId);
        await assertThere(tx, 'projects', projectId);
        await assertAssigned(tx, agentId, projectId);
        // Two terminals that write at the same moment must begin only one conversation.
        await engine.lock(tx.selectFrom('agents').select('id').where('id', '=', agentId)).executeTakeFirst();
        const me: Speaker = { agent: { id: personId }, projectId, nowMs: clock(), engine, locale };
        await expireStale(tx, me);
        const row =
          (await openWith(tx, projectId, agentId)) ??
          (await beginConversation(tx, me, { participantId: agentId, purpose: purpose[locale], maxTurns }));
        const { message_id } = await writeIn(tx, me, row, content.trim());
        return tx.selectFrom('messages').select('seq').where('id', '=', message_id).executeTakeFirstOrThrow();
      });
      engine.changes.tell(topicOf(projectId));
      return sent;
    },

    async talkWith(agentId, projectId, { afterSeq, waitMs, signal }) {
      const engine = await openEngine();
      const read = () =>
        engine.read(async (tx) => {
          const pair = [agentId, personId];
          const between = { project_id: projectId, from_id: pair, to_id: pair, 'seq >': afterSeq ?? 0 };
          const by = afterSeq === undefined ? 'seq desc' : 'seq';
          const rows = await listRows(tx, 'messages', between, { by, limit: shown });
          const isThere = await hasSession(tx, agentId, projectId, 'chat', clock());
          const oldestFirst = afterSeq === undefined ? rows.toReversed() : rows;
          const messages = oldestFirst.map(({ seq, from_id, content, sent_at_ms }) => ({
            seq,
            isAgents: from_id === agentId,
            content,
            atMs: sent_at_ms,
          }));
          return { messages, isThere };
        });
      const talk = await readUntil(read, ({ messages }) => messages.some(({ isAgents }) => isAgents), {
        changes: engine.changes,
        topic: topicOf(projectId),
        timeoutMs: waitMs,
        signal,
      });
      const heard = talk.messages.filter(({ isAgents }) => isAgents).map(({ seq }) => seq);
      if (heard.length > 0) {
        const me: Speaker = { agent: { id: personId }, projectId, nowMs: clock(), engine, locale };
        await engine.write((tx) => markRead(tx, me, { seq: heard }));
      }
      return talk;
    },
  };
}

/** The person's open conversation with the agent, if it has room for a message and an answer. */
async function openWith(tx: Tx, projectId: string, agentId: string): Promise<ConversationRow | undefined> {
  return selectRows(tx, 'conversations', {
    project_id: projectId,
    initiator_id: personId,
    participant_id: agentId,
    status: openConversation.filter((status) => status !== 'terminating'),
  })
    .whereRef('turns', '<', ({ eb }) => eb('max_turns', '-', 1))
    .orderBy('created_at_ms', 'desc')
    .limit(1)
    .executeTakeFirst();
}

function badMessage(): ConfigError {
  const most = teamLimits.messageChars;
  return new ConfigError(
    `A message must be 1 to ${most} characters long.`,
    `メッセージは 1～${most} 文字で指定してください。`,
  );
}

const purpose = text(
  'The person in charge of this team writes to you.',
  'このチームの担当者からのメッセージです。',
);
/** A person ends by leaving; this only limits the length of a conversation. */
const maxTurns = 1000;
const shown = 20;
