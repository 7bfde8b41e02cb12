import * as z from 'zod';
import { text } from '../../../contract/text/text.ts';
import { defineTool } from '../../../contract/tool/define-tool.ts';
import { id } from '../shapes.ts';

export const reportProcessExit = defineTool({
  name: 'report_process_exit',
  category: 'coordination',
  title: text('Report a process exit', 'プロセス終了の報告'),
  description: text(
    'Report that the process behind a session ended; this ends the session.',
    'セッションのプロセスが終わったことを報告します。セッションも終わります。',
  ),
  permission: 'coordinator_only',
  agentsOnly: true,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  uses: ['team'],
  input: z.object({
    session_id: id.describe('Session, or the spawn_id of get_agent_action, spn_….'),
    exit_code: z.number().int().optional().describe('e.g. 1.'),
  }),
  output: z.object({ success: z.boolean(), task_id: z.string().optional() }),
  ja: {
    session_id: 'セッション、または get_agent_action の spawn_id。例: "spn_7k2m9q4x3v5w"。',
    exit_code: '終了コード。例: 1。',
  },
  example: { session_id: 'spn_7k2m9q4x3v5w', exit_code: 0 },

  run: (input, { team }) => team.processExit(input),
});
