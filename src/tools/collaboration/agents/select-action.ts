import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { reason } from '../shapes.ts';

export const selectAction = defineTool({
  name: 'select_action',
  category: 'management',
  title: text('Choose the next action', '次の行動の選択'),
  description: text(
    'Choose what to do next after looking at the situation; after wait, get_next_action waits for a change.',
    '状況を見て次の行動を選びます。wait の後の get_next_action は変化を待ちます。',
  ),
  permission: 'manager_only',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    action: z.enum(['dispatch', 'adjust', 'wait', 'complete']).describe('e.g. "wait".'),
    reason: reason.optional().describe('Why.'),
  }),
  output: z.object({ success: z.boolean(), instruction: z.string() }),
  ja: { action: '行動。例: "wait"。', reason: '理由。例: "API キーがない"。' },
  example: { action: 'wait' },

  run: (input, { team }) => team.selectAction(input),
});
