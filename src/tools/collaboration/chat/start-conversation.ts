import * as z from 'zod';
import { teamLimits } from '../../../contract/team/tasks.ts';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { id, reason } from '../shapes.ts';

export const startConversation = defineTool({
  name: 'start_conversation',
  category: 'chat',
  title: text('Start a conversation', '会話の開始'),
  description: text(
    'Invite an agent of the project to talk. It expires if not joined in 5 minutes.',
    'プロジェクトのエージェントを会話に招待します。5 分以内に参加がなければ失効します。',
  ),
  permission: 'chat_only',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  uses: ['team'],
  input: z.object({
    participant_agent_id: id.describe('e.g. "worker-1".'),
    purpose: reason.describe('e.g. "Agree on the schema."'),
    message: z.string().trim().min(1).max(teamLimits.messageChars).optional().describe('The first message.'),
    max_turns: z
      .number()
      .int()
      .min(teamLimits.minTurns)
      .max(teamLimits.maxTurns)
      .default(20)
      .describe('e.g. 10.'),
    delegation_id: id.optional().describe('Delegation that it serves, dlg_….'),
  }),
  output: z.object({ conversation_id: z.string(), status: z.string(), message_id: z.string().optional() }),
  ja: {
    participant_agent_id: 'エージェント。例: "worker-1"。',
    purpose: '目的。例: "スキーマの合意"。',
    message: '最初のメッセージ。例: "スキーマは確定ですか"。',
    max_turns: '最大ターン数。2〜40。例: 10。',
    delegation_id: '対応する委任。例: "dlg_7k2m9q4x3v5w"。',
  },
  example: { participant_agent_id: 'worker-2', purpose: 'Agree on the schema.', message: 'Is it final?' },

  run: (input, { team }) => team.startConversation(input),
});
