import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';

export const listSubordinates = defineTool({
  name: 'list_subordinates',
  category: 'management',
  title: text('List subordinates', '配下の一覧'),
  description: text(
    'Agents below you, and task requests that wait for your answer.',
    '配下のエージェントと、判断を待つ依頼。',
  ),
  permission: 'manager_only',
  agentsOnly: true,
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({}),
  output: z.object({
    agents: z.array(
      z.object({
        agent_id: z.string(),
        name: z.string(),
        hierarchy: z.string(),
        parent_id: z.string().optional(),
        tasks_in_progress: z.number(),
        max_parallel_tasks: z.number(),
      }),
    ),
    pending_requests: z.array(
      z.object({
        request_id: z.string(),
        requester_id: z.string(),
        assignee_id: z.string(),
        title: z.string(),
      }),
    ),
  }),
  ja: {},
  example: {},

  run: (_, { team }) => team.subordinates(),
});
