import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { id, reason } from '../shapes.ts';

export const reportExecutionComplete = defineTool({
  name: 'report_execution_complete',
  category: 'execution',
  title: text('Report an end', '実行終了の報告'),
  description: text(
    'Report how an execution ended. The task itself ends with report_completed.',
    '実行の結果を報告します。タスク自体の完了は report_completed です。',
  ),
  permission: 'worker_only',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    execution_id: id.describe('exe_….'),
    status: z.enum(['success', 'failed']).describe('How it ended.'),
    summary: reason.optional().describe('What happened.'),
  }),
  output: z.object({ success: z.boolean() }),
  ja: {
    execution_id: '実行。例: "exe_7k2m9q4x3v5w"。',
    status: '結果。例: "success"。',
    summary: '内容。例: "12件のテストが成功"。',
  },
  example: { execution_id: 'exe_7k2m9q4x3v5w', status: 'success' },

  run: (input, { team }) => team.completeExecution(input),
});
