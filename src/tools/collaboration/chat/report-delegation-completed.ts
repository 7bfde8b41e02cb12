import * as z from 'zod';
import { teamLimits } from '../../../contract/team/tasks.ts';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { id } from '../shapes.ts';

export const reportDelegationCompleted = defineTool({
  name: 'report_delegation_completed',
  category: 'chat',
  title: text('Report a delegation', '委任の報告'),
  description: text(
    'Give the result of a delegation back to your task session.',
    '委任の結果をタスクセッションに返します。',
  ),
  permission: 'chat_only',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    delegation_id: id.describe('dlg_….'),
    status: z.enum(['completed', 'failed']).default('completed').describe('How it ended.'),
    result: z.string().min(1).max(teamLimits.messageChars).describe('The outcome.'),
  }),
  output: z.object({ success: z.boolean() }),
  ja: {
    delegation_id: '委任。例: "dlg_7k2m9q4x3v5w"。',
    status: '結果の種類。例: "completed"。',
    result: '結果。例: "スキーマは確定"。',
  },
  example: { delegation_id: 'dlg_7k2m9q4x3v5w', result: 'The schema is final.' },

  run: (input, { team }) => team.reportDelegation(input),
});
