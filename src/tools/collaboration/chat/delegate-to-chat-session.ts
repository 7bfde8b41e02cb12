import * as z from 'zod';
import { teamLimits } from '../../../contract/team/tasks.ts';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { id, reason } from '../shapes.ts';

export const delegateToChatSession = defineTool({
  name: 'delegate_to_chat_session',
  category: 'delegation',
  title: text('Delegate a talk', '会話の委任'),
  description: text(
    'Let your chat session talk to an agent about this task; get_task_conversations has the result.',
    'このタスクについての会話をチャットセッションに任せます。結果は get_task_conversations で得られます。',
  ),
  permission: 'task_only',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  uses: ['team'],
  input: z.object({
    target_agent_id: id.describe('e.g. "worker-1".'),
    purpose: reason.describe('e.g. "Is the schema final?"'),
    context: z.string().max(teamLimits.messageChars).optional().describe('What your chat session must know.'),
  }),
  output: z.object({ delegation_id: z.string(), status: z.string() }),
  ja: {
    target_agent_id: 'エージェント。例: "worker-1"。',
    purpose: '目的。例: "スキーマは確定か"。',
    context: '背景。例: "金曜に出荷"。',
  },
  example: { target_agent_id: 'worker-2', purpose: 'Is the schema final?' },

  run: (input, { team }) => team.delegate(input),
});
