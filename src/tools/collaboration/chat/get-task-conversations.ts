import * as z from 'zod';
import { teamLimits } from '../../../contract/team/tasks.ts';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { conversation, delegation, id } from '../shapes.ts';

export const getTaskConversations = defineTool({
  name: 'get_task_conversations',
  category: 'delegation',
  title: text('Delegations of the task', 'タスクの委任'),
  description: text(
    "States and results of this task's delegations. wait_seconds waits for a change.",
    'このタスクの委任の状態と結果。wait_seconds で変化を待ちます。',
  ),
  permission: 'task_only',
  agentsOnly: true,
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    wait_seconds: z.number().min(0).max(teamLimits.waitSeconds).default(0).describe('e.g. 30.'),
    delegation_id: id.optional().describe('Only this one, dlg_….'),
  }),
  output: z.object({ delegations: z.array(delegation.extend({ conversations: z.array(conversation) })) }),
  ja: { wait_seconds: '待つ秒数。50 まで。例: 30。', delegation_id: 'これだけ。例: "dlg_7k2m9q4x3v5w"。' },
  example: { wait_seconds: 30 },

  run: (input, { team, signal }) => team.taskConversations(input, signal),
});
