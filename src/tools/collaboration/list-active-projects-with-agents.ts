import * as z from 'zod';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';

export const listActiveProjectsWithAgents = defineTool({
  name: 'list_active_projects_with_agents',
  category: 'coordination',
  title: text('List active projects', '有効なプロジェクト一覧'),
  description: text(
    'Active projects and the agents assigned to each.',
    '有効なプロジェクトと、割り当てられたエージェント。',
  ),
  permission: 'coordinator_only',
  agentsOnly: true,
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({}),
  output: z.object({
    projects: z.array(
      z.object({
        project_id: z.string(),
        name: z.string(),
        working_directory: z.string().optional(),
        agents: z.array(z.string()),
      }),
    ),
  }),
  ja: {},
  example: {},

  run: (_, { team }) => team.activeProjects(),
});
