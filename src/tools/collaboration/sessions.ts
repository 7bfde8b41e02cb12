import * as z from 'zod';
import { text } from '../../contract/text/text.ts';
import { id, purpose } from './shapes.ts';
import { changes, settles, teamTool } from './team-tool.ts';

/** Beginning and ending a session. */
export const sessionTools = [
  teamTool({
    name: 'authenticate',
    category: 'session',
    title: text('Authenticate', '認証'),
    description: text(
      'Log in and get a session for the waiting work: a task or a chat.',
      'エージェントとして認証し、待っている作業（タスクまたはチャット）のセッションを取得します。',
    ),
    permission: 'unauthenticated',
    agentsOnly: false,
    everyday: true,
    annotations: changes,
    input: z.object({
      agent_id: id.describe('e.g. "worker-1".'),
      passkey: z.string().min(1).max(1000).describe('Yours.'),
      project_id: id.describe('e.g. "shop".'),
      purpose: purpose.optional().describe('Default: what work there is.'),
    }),
    output: z.object({
      success: z.boolean(),
      session_token: z.string().optional(),
      expires_in: z.number().optional(),
      purpose: purpose.optional(),
      task_id: z.string().optional(),
      agent_name: z.string(),
      reason: z.string().optional(),
      instruction: z.string(),
    }),
    ja: {
      agent_id: 'エージェント。例: "worker-1"。',
      passkey: 'パスキー。例: "k3y…"。',
      project_id: 'プロジェクト。例: "shop"。',
      purpose: '種類の指定。例: "chat"。省略時は作業による。',
    },
    example: { agent_id: 'worker-1', passkey: 'k3y-of-worker-1', project_id: 'shop' },
    secrets: ['passkey'],

    run: (input, { team }) => team.authenticate(input),
  }),
  teamTool({
    name: 'logout',
    category: 'session',
    title: text('Log out', 'ログアウト'),
    description: text(
      'End this session; your other sessions continue.',
      'このセッションを終了します。ほかのセッションは続きます。',
    ),
    permission: 'authenticated',
    annotations: settles,
    input: z.object({}),
    output: z.object({ success: z.boolean() }),
    ja: {},
    example: {},

    run: (_, { team }) => team.logout(),
  }),
];
