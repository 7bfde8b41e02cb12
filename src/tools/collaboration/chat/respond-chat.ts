import * as z from 'zod';
import { teamLimits } from '../../../contract/team/tasks.ts';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { id, sent } from '../shapes.ts';

export const respondChat = defineTool({
  name: 'respond_chat',
  category: 'chat',
  title: text('Respond', '返信'),
  description: text(
    'Answer the messages that get_pending_messages delivered, and mark them read.',
    'チャットメッセージに応答します。get_pending_messages で受け取ったものが既読になります。',
  ),
  permission: 'chat_only',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  uses: ['team'],
  input: z.object({
    content: z.string().trim().min(1).max(teamLimits.messageChars).describe('At most 4000 characters.'),
    conversation_id: id.optional().describe('cnv_…. Default: the oldest pending.'),
  }),
  output: sent,
  ja: {
    content: 'メッセージ。4000 文字まで。例: "スキーマは確定ですか"。',
    conversation_id: '会話。例: "cnv_7k2m9q4x3v5w"。省略時は最も古い未返信のもの。',
  },
  example: { content: 'Yes, it is final.' },

  run: (input, { team }) => team.respond(input),
});
