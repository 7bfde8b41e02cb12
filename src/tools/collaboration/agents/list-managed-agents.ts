import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';

export const listManagedAgents = defineTool({
  name: 'list_managed_agents',
  category: 'coordination',
  title: text('List agents', 'エージェント一覧'),
  description: text(
    'All agents with their projects and live sessions.',
    '全エージェントと、そのプロジェクトと有効なセッション。',
  ),
  permission: 'coordinator_only',
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
        status: z.string(),
        projects: z.array(z.string()),
        sessions: z.array(
          z.object({
            session_id: z.string(),
            project_id: z.string(),
            purpose: z.string(),
            task_id: z.string().optional(),
          }),
        ),
      }),
    ),
  }),
  ja: {},
  example: {},

  run: (_, { team }) => team.managedAgents(),
});
