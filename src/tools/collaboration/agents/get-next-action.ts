import * as z from 'zod';
import { teamLimits } from '../../../contract/team/tasks.ts';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';

export const getNextAction = defineTool({
  name: 'get_next_action',
  category: 'tasks',
  title: text('Next action', '次の行動'),
  description: text(
    'The next step. With timeout_seconds, waits for a change while there is nothing to do.',
    '次に実行すべきアクションの指示を取得します。timeout_seconds を指定すると、することがない間は変化を待ちます。',
  ),
  permission: 'authenticated',
  agentsOnly: true,
  everyday: true,
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    timeout_seconds: z.number().min(0).max(teamLimits.waitSeconds).default(0).describe('e.g. 50.'),
    after_event: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe('`state.last_event` that you know: newer ends the wait.'),
  }),
  output: z.object({
    action: z.string(),
    instruction: z.string(),
    tool: z.string().optional(),
    task_id: z.string().optional(),
    needs: z.record(z.string(), z.array(z.string())).optional(),
    state: z.record(z.string(), z.union([z.number(), z.string()])),
  }),
  ja: {
    timeout_seconds: '待つ秒数。50 まで。例: 50。',
    after_event: '既知の state.last_event。より新しい変化で待機を終えます。例: 42。',
  },
  example: { timeout_seconds: 50 },

  run: (input, { team, signal }) => team.nextAction(input, signal),
});
