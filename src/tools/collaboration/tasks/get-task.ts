import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { id, task } from '../shapes.ts';

export const getTask = defineTool({
  name: 'get_task',
  category: 'tasks',
  title: text('Show a task', 'タスクの詳細'),
  description: text('One task in full, with its newest events.', '1 つのタスクの全内容と最近のイベント。'),
  permission: 'authenticated',
  agentsOnly: true,
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    task_id: id.describe('tsk_….'),
  }),
  output: z.object({
    task,
    events: z.array(
      z.object({
        at: z.string(),
        by: z.string(),
        what: z.string(),
        from: z.string().optional(),
        to: z.string().optional(),
        reason: z.string().optional(),
      }),
    ),
  }),
  ja: { task_id: 'タスク。例: "tsk_7k2m9q4x3v5w"。' },
  example: { task_id: 'tsk_7k2m9q4x3v5w' },

  run: (input, { team }) => team.getTask(input),
});
