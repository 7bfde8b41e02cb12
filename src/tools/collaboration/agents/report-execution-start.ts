import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { id } from '../shapes.ts';

export const reportExecutionStart = defineTool({
  name: 'report_execution_start',
  category: 'execution',
  title: text('Report a start', '実行開始の報告'),
  description: text('Report that you start executing a task.', 'タスクの実行開始を報告します。'),
  permission: 'worker_only',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  uses: ['team'],
  input: z.object({
    task_id: id.optional().describe("tsk_…. Default: this session's."),
  }),
  output: z.object({ execution_id: z.string(), task_id: z.string() }),
  ja: { task_id: 'タスク。例: "tsk_7k2m9q4x3v5w"。省略時はこのセッションのもの。' },
  example: {},

  run: (input, { team }) => team.startExecution(input),
});
