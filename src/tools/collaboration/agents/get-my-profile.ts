import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { profile } from '../shapes.ts';

export const getMyProfile = defineTool({
  name: 'get_my_profile',
  category: 'profile',
  title: text('My profile', '自分の情報'),
  description: text(
    'Who you are: hierarchy, parent, projects, slots.',
    '自分の階層、上司、プロジェクト、同時実行数。',
  ),
  permission: 'authenticated',
  agentsOnly: true,
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({}),
  output: profile,
  ja: {},
  example: {},

  run: (_, { team }) => team.profile(),
});
