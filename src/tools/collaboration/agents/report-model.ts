import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';

export const reportModel = defineTool({
  name: 'report_model',
  category: 'profile',
  title: text('Report the model', 'モデルの報告'),
  description: text('Report which model you run on.', '使用しているモデルを報告します。'),
  permission: 'authenticated',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    model: z.string().min(1).max(200).describe('e.g. "glm-4.7".'),
  }),
  output: z.object({ success: z.boolean() }),
  ja: { model: 'モデル。例: "glm-4.7"。' },
  example: { model: 'glm-4.7' },

  run: (input, { team }) => team.reportModel(input),
});
