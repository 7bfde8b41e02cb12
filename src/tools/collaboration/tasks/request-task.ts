import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { description, id, title } from '../shapes.ts';

export const requestTask = defineTool({
  name: 'request_task',
  category: 'tasks',
  title: text('Request a task', 'タスクの依頼'),
  description: text(
    'Request a task for another agent or yourself; an agent above it must approve.',
    'ほかのエージェントや自分へのタスクを依頼します。上司の承認が必要です。',
  ),
  permission: 'authenticated',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  uses: ['team'],
  input: z.object({
    title: title.describe('e.g. "Write the tests".'),
    description: description.optional().describe('What to do.'),
    assignee_id: id.optional().describe('Who is to do it; default: you.'),
  }),
  output: z.object({ request_id: z.string(), status: z.string(), task_id: z.string().optional() }),
  ja: {
    title: '短いタイトル。例: "テストを書く"。',
    description: '内容。例: "空の場合も確認する"。',
    assignee_id: '担当者。例: "worker-2"。省略時は自分。',
  },
  example: { title: 'Review the API', assignee_id: 'worker-2' },

  run: (input, { team }) => team.requestTask(input),
});
