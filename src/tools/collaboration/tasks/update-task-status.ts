import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { id, reason, status, task } from '../shapes.ts';

export const updateTaskStatus = defineTool({
  name: 'update_task_status',
  category: 'tasks',
  title: text('Change a status', '状態の変更'),
  description: text(
    'Move a task to another status. Use report_completed for the task of this session.',
    'タスクの状態を変えます。このセッションのタスクの完了には report_completed を使います。',
  ),
  permission: 'authenticated',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    task_id: id.describe('tsk_….'),
    status: status.describe('e.g. "in_progress".'),
    reason: reason.optional().describe('Why.'),
  }),
  output: z.object({ task }),
  ja: {
    task_id: 'タスク。例: "tsk_7k2m9q4x3v5w"。',
    status: '新しい状態。例: "in_progress"。',
    reason: '理由。例: "API キーがない"。',
  },
  example: { task_id: 'tsk_7k2m9q4x3v5w', status: 'in_progress' },

  run: (input, { team }) => team.updateTaskStatus(input),
});
