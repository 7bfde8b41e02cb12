import * as z from 'zod';
import { teamLimits } from '../../../contract/team/tasks.ts';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { id, sent } from '../shapes.ts';

export const sendMessage = defineTool({
  name: 'send_message',
  category: 'chat',
  title: text('Send a message', 'メッセージ送信'),
  description: text(
    'Say something in your open conversation with an agent.',
    '開いている会話の相手にメッセージを送ります。',
  ),
  permission: 'chat_only',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  uses: ['team'],
  input: z.object({
    target_agent_id: id.describe('e.g. "worker-1".'),
    content: z.string().trim().min(1).max(teamLimits.messageChars).describe('At most 4000 characters.'),
  }),
  output: sent,
  ja: {
    target_agent_id: 'エージェント。例: "worker-1"。',
    content: 'メッセージ。4000 文字まで。例: "スキーマは確定ですか"。',
  },
  example: { target_agent_id: 'worker-2', content: 'Is the schema final?' },

  run: (input, { team }) => team.send(input),
});
