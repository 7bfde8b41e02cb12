import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';

export const logout = defineTool({
  name: 'logout',
  category: 'session',
  title: text('Log out', 'ログアウト'),
  description: text(
    'End this session; your other sessions continue.',
    'このセッションを終了します。ほかのセッションは続きます。',
  ),
  permission: 'authenticated',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({}),
  output: z.object({ success: z.boolean() }),
  ja: {},
  example: {},

  run: (_, { team }) => team.logout(),
});
