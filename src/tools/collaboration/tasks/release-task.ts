import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { id, reason } from '../shapes.ts';

export const releaseTask = defineTool({
  name: 'release_task',
  category: 'tasks',
  title: text('Release a task', 'タスクの返却'),
  description: text(
    'Return a task: it is todo and free again.',
    'タスクを返します。todo に戻り、誰でも取れます。',
  ),
  permission: 'authenticated',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    task_id: id.optional().describe("tsk_…. Default: this session's."),
    reason: reason.optional().describe('Why.'),
  }),
  output: z.object({ success: z.boolean() }),
  ja: {
    task_id: 'タスク。例: "tsk_7k2m9q4x3v5w"。省略時はこのセッションのもの。',
    reason: '理由。例: "API キーがない"。',
  },
  example: { reason: 'Needs another skill.' },

  run: (input, { team }) => team.releaseTask(input),
});
