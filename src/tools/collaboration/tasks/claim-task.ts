import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { id, task } from '../shapes.ts';

export const claimTask = defineTool({
  name: 'claim_task',
  category: 'tasks',
  title: text('Claim a task', 'タスクの取得'),
  description: text(
    'Claim a free todo task, or this one, and start it. Nobody else gets it.',
    '空いている todo タスク、または指定したタスクを取り、開始します。ほかのエージェントは取れません。',
  ),
  permission: 'authenticated',
  agentsOnly: true,
  everyday: true,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    task_id: id.optional().describe('tsk_…. Default: the first that fits.'),
  }),
  output: z.object({ task: task.optional(), reason: z.string().optional() }),
  ja: { task_id: 'タスク。例: "tsk_7k2m9q4x3v5w"。省略時は最初に合うもの。' },
  example: {},

  run: (input, { team }) => team.claimTask(input),
});
