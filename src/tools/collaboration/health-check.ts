import * as z from 'zod';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { counts } from './shapes.ts';

export const healthCheck = defineTool({
  name: 'health_check',
  category: 'coordination',
  title: text('Health check', '稼働確認'),
  description: text(
    'Counts of agents, projects, sessions and tasks.',
    'エージェント、プロジェクト、セッション、タスクの数。',
  ),
  permission: 'coordinator_only',
  agentsOnly: true,
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({}),
  output: z.object({
    status: z.string(),
    agents: z.number(),
    projects: z.number(),
    sessions: z.number(),
    tasks: counts,
  }),
  ja: {},
  example: {},

  run: (_, { team }) => team.health(),
});
