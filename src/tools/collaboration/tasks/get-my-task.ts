import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { task } from '../shapes.ts';

export const getMyTask = defineTool({
  name: 'get_my_task',
  category: 'tasks',
  title: text('My task', '自分のタスク'),
  description: text('The task of this session in full.', '自分に割り当てられた実行中のタスクを取得します。'),
  permission: 'authenticated',
  agentsOnly: true,
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({}),
  output: z.object({ task: task.optional(), instruction: z.string() }),
  ja: {},
  example: {},

  run: (_, { team }) => team.myTask(),
});
