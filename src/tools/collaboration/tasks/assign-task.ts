import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { id, task } from '../shapes.ts';

export const assignTask = defineTool({
  name: 'assign_task',
  category: 'management',
  title: text('Assign a task', 'タスクの割り当て'),
  description: text(
    'Give a task to yourself or an agent below you, or take it back with null.',
    'タスクを自分か配下に割り当てます。null で取り消します。',
  ),
  permission: 'manager_only',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    task_id: id.describe('tsk_….'),
    assignee_id: id.nullable().describe('e.g. "worker-1"; null for nobody.'),
  }),
  output: z.object({ task }),
  ja: {
    task_id: 'タスク。例: "tsk_7k2m9q4x3v5w"。',
    assignee_id: 'エージェント。例: "worker-1"。null で担当なし。',
  },
  example: { task_id: 'tsk_7k2m9q4x3v5w', assignee_id: 'worker-1' },

  run: (input, { team }) => team.assignTask(input),
});
