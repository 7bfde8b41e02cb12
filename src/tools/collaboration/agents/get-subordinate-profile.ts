import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { id, profile, task } from '../shapes.ts';

export const getSubordinateProfile = defineTool({
  name: 'get_subordinate_profile',
  category: 'management',
  title: text('Subordinate profile', '配下の詳細'),
  description: text(
    'One agent below you, with its open tasks.',
    '配下の 1 つのエージェントと、その未完了のタスク。',
  ),
  permission: 'manager_only',
  agentsOnly: true,
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    agent_id: id.describe('e.g. "worker-1".'),
  }),
  output: profile.extend({ tasks: z.array(task) }),
  ja: { agent_id: 'エージェント。例: "worker-1"。' },
  example: { agent_id: 'worker-1' },

  run: (input, { team }) => team.subordinate(input),
});
