import * as z from 'zod';
import { taskStatuses } from '../../../contract/team/tasks.ts';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { description, id, title } from '../shapes.ts';

export const createTask = defineTool({
  name: 'create_task',
  category: 'tasks',
  title: text('Create a task', 'タスクの作成'),
  description: text(
    'Create one task; if the same parent has an open one with this title, you get that one, unchanged.',
    'タスクを 1 つ作成します。同じ親に同じタイトルの未完了のものがあれば、それを変更せずに返します。',
  ),
  permission: 'authenticated',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    title: title.describe('e.g. "Write the tests".'),
    description: description.optional().describe('What to do.'),
    parent_task_id: id.optional().describe('Task to divide, tsk_….'),
    depends_on: z.array(id).max(50).optional().describe('Tasks to be done first, ["tsk_…"].'),
    assignee_id: id.optional().describe('e.g. "worker-1".'),
    status: z.enum(['backlog', 'todo']).optional().describe('Default: todo.'),
  }),
  output: z.object({
    task_id: z.string(),
    existed: z.boolean().optional(),
    status: z.enum(taskStatuses).optional(),
  }),
  ja: {
    title: '短いタイトル。例: "テストを書く"。',
    description: '内容。例: "空の場合も確認する"。',
    parent_task_id: '分割するタスク。例: "tsk_7k2m9q4x3v5w"。',
    depends_on: '先に終えるタスク。例: ["tsk_7k2m9q4x3v5w"]。',
    assignee_id: 'エージェント。例: "worker-1"。',
    status: '例: "backlog"。省略時は todo。',
  },
  example: { title: 'Write the tests', depends_on: ['tsk_7k2m9q4x3v5w'] },

  run: (input, { team }) => team.createTask(input),
});
