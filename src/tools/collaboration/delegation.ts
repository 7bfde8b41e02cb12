import * as z from 'zod';
import { teamLimits } from '../../contract/team/tasks.ts';
import { text } from '../../contract/text/text.ts';
import { conversation, delegation, id, message, reason } from './shapes.ts';
import { changes, reads, teamTool } from './team-tool.ts';

/** A task session's errands for the chat session of its agent. */
export const delegationTools = [
  teamTool({
    name: 'delegate_to_chat_session',
    category: 'delegation',
    title: text('Delegate a talk', '会話の委任'),
    description: text(
      'Let your chat session talk to an agent about this task; get_task_conversations has the result.',
      'このタスクについての会話をチャットセッションに任せます。結果は get_task_conversations で得られます。',
    ),
    permission: 'task_only',
    annotations: changes,
    input: z.object({
      target_agent_id: id.describe('e.g. "worker-1".'),
      purpose: reason.describe('e.g. "Is the schema final?"'),
      context: z
        .string()
        .max(teamLimits.messageChars)
        .optional()
        .describe('What your chat session must know.'),
    }),
    output: z.object({ delegation_id: z.string(), status: z.string() }),
    ja: {
      target_agent_id: 'エージェント。例: "worker-1"。',
      purpose: '目的。例: "スキーマは確定か"。',
      context: '背景。例: "金曜に出荷"。',
    },
    example: { target_agent_id: 'worker-2', purpose: 'Is the schema final?' },

    run: (input, { team }) => team.delegate(input),
  }),
  teamTool({
    name: 'get_task_conversations',
    category: 'delegation',
    title: text('Delegations of the task', 'タスクの委任'),
    description: text(
      "States and results of this task's delegations. wait_seconds waits for a change.",
      'このタスクの委任の状態と結果。wait_seconds で変化を待ちます。',
    ),
    permission: 'task_only',
    annotations: reads,
    input: z.object({
      wait_seconds: z.number().min(0).max(teamLimits.waitSeconds).default(0).describe('e.g. 30.'),
      delegation_id: id.optional().describe('Only this one, dlg_….'),
    }),
    output: z.object({ delegations: z.array(delegation.extend({ conversations: z.array(conversation) })) }),
    ja: { wait_seconds: '待つ秒数。50 まで。例: 30。', delegation_id: 'これだけ。例: "dlg_7k2m9q4x3v5w"。' },
    example: { wait_seconds: 30 },

    run: (input, { team, signal }) => team.taskConversations(input, signal),
  }),
  teamTool({
    name: 'get_conversation_messages',
    category: 'delegation',
    title: text('Messages of a conversation', '会話のメッセージ'),
    description: text(
      'Messages of one of your conversations, 20 at a time.',
      '自分の会話のメッセージを 20 件ずつ。',
    ),
    permission: 'task_only',
    annotations: reads,
    input: z.object({
      conversation_id: id.describe('cnv_….'),
      cursor: z.string().max(20).optional().describe('next_cursor.'),
    }),
    output: z.object({ conversation, messages: z.array(message), next_cursor: z.string().optional() }),
    ja: { conversation_id: '会話。例: "cnv_7k2m9q4x3v5w"。', cursor: '前のページの next_cursor。例: "42"。' },
    example: { conversation_id: 'cnv_7k2m9q4x3v5w' },

    run: (input, { team }) => team.conversationMessages(input),
  }),
];
