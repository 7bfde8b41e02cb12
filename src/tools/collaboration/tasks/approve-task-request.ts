import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { id } from '../shapes.ts';

export const approveTaskRequest = defineTool({
  name: 'approve_task_request',
  category: 'management',
  title: text('Approve a request', '依頼の承認'),
  description: text(
    'Approve a task request of list_subordinates; this creates the task.',
    'list_subordinates の依頼を承認し、タスクを作ります。',
  ),
  permission: 'manager_only',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    request_id: id.describe('req_….'),
    assignee_id: id.optional().describe('Another agent, e.g. "worker-2".'),
  }),
  output: z.object({ success: z.boolean(), task_id: z.string() }),
  ja: { request_id: '依頼。例: "req_7k2m9q4x3v5w"。', assignee_id: '別の担当者。例: "worker-2"。' },
  example: { request_id: 'req_7k2m9q4x3v5w' },

  run: (input, { team }) => team.approveRequest(input),
});
