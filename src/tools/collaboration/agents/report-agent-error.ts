import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { id, reason } from '../shapes.ts';

export const reportAgentError = defineTool({
  name: 'report_agent_error',
  category: 'coordination',
  title: text('Report an agent error', 'エラーの報告'),
  description: text(
    'Report that an agent failed or could not start; its manager is notified.',
    'エージェントの起動失敗や異常を報告します。上司に通知されます。',
  ),
  permission: 'coordinator_only',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  uses: ['team'],
  input: z.object({
    agent_id: id.describe('e.g. "worker-1".'),
    project_id: id.describe('e.g. "shop".'),
    message: reason.describe('What happened.'),
  }),
  output: z.object({ success: z.boolean() }),
  ja: {
    agent_id: 'エージェント。例: "worker-1"。',
    project_id: 'プロジェクト。例: "shop"。',
    message: '起きたこと。例: "モデルが応答しない"。',
  },
  example: { agent_id: 'worker-1', project_id: 'shop', message: 'The model did not answer.' },

  run: (input, { team }) => team.agentError(input),
});
