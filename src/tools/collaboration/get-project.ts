import * as z from 'zod';
import { text } from '../../contract/text/text.ts';
import { defineTool } from '../../contract/tool/define-tool.ts';
import { counts } from './shapes.ts';

export const getProject = defineTool({
  name: 'get_project',
  category: 'profile',
  title: text('My project', 'プロジェクト'),
  description: text(
    'The project of this session: agents and counts of tasks.',
    'このセッションのプロジェクト、エージェント、タスク数。',
  ),
  permission: 'authenticated',
  agentsOnly: true,
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({}),
  output: z.object({
    project_id: z.string(),
    name: z.string(),
    status: z.string(),
    working_directory: z.string().optional(),
    agents: z.array(z.string()),
    tasks: counts,
  }),
  ja: {},
  example: {},

  run: (_, { team }) => team.project(),
});
