import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { id, reason } from '../shapes.ts';

export const endConversation = defineTool({
  name: 'end_conversation',
  category: 'chat',
  title: text('End a conversation', '会話の終了'),
  description: text(
    'End a conversation; messages sent before are still delivered.',
    '会話を終えます。相手は最後の発言まで読めます。',
  ),
  permission: 'chat_only',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    conversation_id: id.describe('cnv_….'),
    summary: reason.optional().describe('The outcome.'),
  }),
  output: z.object({ success: z.boolean(), status: z.string() }),
  ja: { conversation_id: '会話。例: "cnv_7k2m9q4x3v5w"。', summary: '結果。例: "スキーマは確定"。' },
  example: { conversation_id: 'cnv_7k2m9q4x3v5w', summary: 'The schema is final.' },

  run: (input, { team }) => team.endConversation(input),
});
