import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { reason, status } from '../shapes.ts';

export const reportCompleted = defineTool({
  name: 'report_completed',
  category: 'tasks',
  title: text('Report completion', '完了の報告'),
  description: text(
    'Report the end of the task of this session.',
    'タスクの完了を報告します。result引数で完了状態を指定します。',
  ),
  permission: 'authenticated',
  agentsOnly: true,
  everyday: true,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    result: z
      .enum(['success', 'failed', 'blocked'])
      .describe('How it ended; failed and blocked set the task blocked.'),
    summary: reason.optional().describe('What was done, or why not.'),
  }),
  output: z.object({ success: z.boolean(), task_id: z.string(), status, instruction: z.string() }),
  ja: {
    result: '完了結果: success=成功, failed=失敗, blocked=外部要因でブロック。例: "success"。',
    summary: '完了サマリー（任意）。例: "全てのサブタスクを完了しました"。',
  },
  example: { result: 'success', summary: 'All subtasks are done.' },

  run: (input, { team }) => team.reportCompleted(input),
});
