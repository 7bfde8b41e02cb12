import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { id, reason } from '../shapes.ts';

export const rejectTaskRequest = defineTool({
  name: 'reject_task_request',
  category: 'management',
  title: text('Reject a request', '依頼の却下'),
  description: text('Decline a task request of list_subordinates.', 'list_subordinates の依頼を却下します。'),
  permission: 'manager_only',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    request_id: id.describe('req_….'),
    reason: reason.optional().describe('Why.'),
  }),
  output: z.object({ success: z.boolean() }),
  ja: { request_id: '依頼。例: "req_7k2m9q4x3v5w"。', reason: '理由。例: "API キーがない"。' },
  example: { request_id: 'req_7k2m9q4x3v5w', reason: 'Out of scope.' },

  run: (input, { team }) => team.rejectRequest(input),
});
