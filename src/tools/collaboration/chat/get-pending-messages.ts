import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { conversation, delegation, id, message } from '../shapes.ts';

export const getPendingMessages = defineTool({
  name: 'get_pending_messages',
  category: 'chat',
  title: text('Pending messages', '未読メッセージ'),
  description: text(
    'Messages for you, what was said before, conversations and delegations. They stay pending until you reply or ack.',
    '未読メッセージ、直前のやりとり、会話、委任。返信か ack まで残ります。',
  ),
  permission: 'chat_only',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    ack: z.array(id).max(100).optional().describe('Messages that need no reply, ["msg_…"].'),
  }),
  output: z.object({
    messages: z.array(message),
    more: z.boolean(),
    context: z.array(message),
    conversations: z.array(conversation),
    delegations: z.array(delegation),
    instruction: z.string(),
  }),
  ja: { ack: '返信不要のもの。例: ["msg_7k2m9q4x3v5w"]。' },
  example: {},

  run: (input, { team }) => team.pendingMessages(input),
});
