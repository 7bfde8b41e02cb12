import * as z from 'zod';
import { teamLimits } from '../../../contract/team/tasks.ts';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { id, status, task } from '../shapes.ts';

export const listTasks = defineTool({
  name: 'list_tasks',
  category: 'tasks',
  title: text('List tasks', 'タスク一覧'),
  description: text(
    'Tasks of the project, oldest first, by status, assignee or parent.',
    'プロジェクトのタスク。状態、担当者、親で絞れます。',
  ),
  permission: 'authenticated',
  agentsOnly: true,
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    status: status.optional().describe('e.g. "todo".'),
    assignee_id: id.optional().describe('e.g. "worker-1".'),
    parent_task_id: id.optional().describe('Only subtasks of this task, tsk_….'),
    cursor: z.string().max(20).optional().describe('next_cursor.'),
    limit: z.number().int().min(1).max(teamLimits.listTasks).default(50).describe('e.g. 20.'),
  }),
  output: z.object({ tasks: z.array(task), next_cursor: z.string().optional() }),
  ja: {
    status: '状態。例: "todo"。',
    assignee_id: 'エージェント。例: "worker-1"。',
    parent_task_id: 'このタスクのサブタスクだけ。例: "tsk_7k2m9q4x3v5w"。',
    cursor: '前のページの next_cursor。例: "42"。',
    limit: '件数。例: 20。',
  },
  example: { status: 'todo' },

  run: (input, { team }) => team.listTasks(input),
});
