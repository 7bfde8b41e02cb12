import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';

export const getMyExecutionHistory = defineTool({
  name: 'get_my_execution_history',
  category: 'execution',
  title: text('My executions', '実行履歴'),
  description: text('Your newest executions.', '自分の最近の実行。'),
  permission: 'authenticated',
  agentsOnly: true,
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    limit: z.number().int().min(1).max(100).default(20).describe('e.g. 20.'),
  }),
  output: z.object({
    executions: z.array(
      z.object({
        execution_id: z.string(),
        task_id: z.string(),
        status: z.string(),
        summary: z.string().optional(),
        model: z.string().optional(),
        started_at: z.string(),
        ended_at: z.string().optional(),
      }),
    ),
  }),
  ja: { limit: '件数。例: 20。' },
  example: { limit: 5 },

  run: (input, { team }) => team.history(input),
});
