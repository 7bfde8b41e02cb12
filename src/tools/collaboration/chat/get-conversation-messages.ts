import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { conversation, id, message } from '../shapes.ts';

export const getConversationMessages = defineTool({
  name: 'get_conversation_messages',
  category: 'delegation',
  title: text('Messages of a conversation', '会話のメッセージ'),
  description: text(
    'Messages of one of your conversations, 20 at a time.',
    '自分の会話のメッセージを 20 件ずつ。',
  ),
  permission: 'task_only',
  agentsOnly: true,
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    conversation_id: id.describe('cnv_….'),
    cursor: z.string().max(20).optional().describe('next_cursor.'),
  }),
  output: z.object({ conversation, messages: z.array(message), next_cursor: z.string().optional() }),
  ja: { conversation_id: '会話。例: "cnv_7k2m9q4x3v5w"。', cursor: '前のページの next_cursor。例: "42"。' },
  example: { conversation_id: 'cnv_7k2m9q4x3v5w' },

  run: (input, { team }) => team.conversationMessages(input),
});
