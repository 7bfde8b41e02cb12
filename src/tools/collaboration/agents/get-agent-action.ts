import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { id } from '../shapes.ts';

export const getAgentAction = defineTool({
  name: 'get_agent_action',
  category: 'coordination',
  title: text('Start or hold an agent', '起動の判断'),
  description: text(
    'Say whether to start an agent now, and for what. A start is leased for 120 s.',
    'エージェントを今起動すべきかと、その目的を返します。起動は 120 秒間予約されます。',
  ),
  permission: 'coordinator_only',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  uses: ['team'],
  input: z.object({
    agent_id: id.describe('e.g. "worker-1".'),
    project_id: id.describe('e.g. "shop".'),
  }),
  output: z.object({
    action: z.enum(['start', 'hold']),
    reason: z.string(),
    spawn_id: z.string().optional(),
    expires_in: z.number().optional(),
    start: z
      .object({
        agent_id: z.string(),
        name: z.string(),
        hierarchy: z.string(),
        project_id: z.string(),
        purpose: z.string(),
        working_directory: z.string().optional(),
        task_id: z.string().optional(),
      })
      .optional(),
  }),
  ja: { agent_id: 'エージェント。例: "worker-1"。', project_id: 'プロジェクト。例: "shop"。' },
  example: { agent_id: 'worker-1', project_id: 'shop' },

  run: (input, { team }) => team.agentAction(input),
});
