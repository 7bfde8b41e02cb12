import * as z from 'zod';
import { taskStatuses, teamLimits } from '../../../contract/team/tasks.ts';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { description, id, title } from '../shapes.ts';

export const createTasksBatch = defineTool({
  name: 'create_tasks_batch',
  category: 'tasks',
  title: text('Create tasks', 'タスクの一括作成'),
  description: text(
    'Create all of these tasks or none. They may depend on each other by local_id.',
    'すべて作成するか、1 つも作成しません。local_id で互いに依存させられます。',
  ),
  permission: 'authenticated',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    parent_task_id: id.optional().describe('Task to divide, tsk_….'),
    tasks: z
      .array(
        z
          .object({
            local_id: z.string().min(1).max(64).describe('Name within this batch, e.g. "a".'),
            title: title.describe('e.g. "Write the tests".'),
            description: description.optional().describe('What to do.'),
            depends_on: z.array(id).max(50).optional().describe('local_ids or task ids, e.g. ["a"].'),
            assignee_id: id.optional().describe('e.g. "worker-1".'),
          })
          .strict(),
      )
      .min(1)
      .max(teamLimits.batchTasks)
      .describe('[{"local_id": "a", "title": "Design"}]'),
  }),
  output: z.object({
    tasks: z.array(
      z.object({
        local_id: z.string(),
        task_id: z.string(),
        existed: z.boolean().optional(),
        status: z.enum(taskStatuses).optional(),
      }),
    ),
  }),
  ja: {
    parent_task_id: '分割するタスク。例: "tsk_7k2m9q4x3v5w"。',
    tasks: 'タスク。例: [{"local_id": "a", "title": "設計"}]。',
    'tasks.local_id': 'この一括内の名前。例: "a"。',
    'tasks.title': '例: "テストを書く"。',
    'tasks.description': '内容。',
    'tasks.depends_on': 'local_id かタスク ID。例: ["a"]。',
    'tasks.assignee_id': '例: "worker-1"。',
  },
  example: {
    tasks: [
      { local_id: 'a', title: 'Design' },
      { local_id: 'b', title: 'Build', depends_on: ['a'] },
    ],
  },

  run: (input, { team }) => team.createTasks(input),
});
