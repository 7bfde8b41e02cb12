import { text } from '../../contract/text/text.ts';
import { changes, settles, teamTools } from './team-tool.ts';

/** Beginning and ending a session. */
export const sessionTools = teamTools(
  { category: 'session', permission: 'unauthenticated', annotations: changes },
  {
    authenticate: {
      name: 'authenticate',
      title: text('Authenticate', '認証'),
      description: text(
        'Log in and get a session for the waiting work: a task or a chat.',
        'エージェントとして認証し、待っている作業（タスクまたはチャット）のセッションを取得します。',
      ),
      agentsOnly: false,
      everyday: true,
      ja: {
        agent_id: 'エージェント。例: "worker-1"。',
        passkey: 'パスキー。例: "k3y…"。',
        project_id: 'プロジェクト。例: "shop"。',
        purpose: '種類の指定。例: "chat"。省略時は作業による。',
      },
      example: { agent_id: 'worker-1', passkey: 'k3y-of-worker-1', project_id: 'shop' },
      secrets: ['passkey'],
    },
    logout: {
      name: 'logout',
      title: text('Log out', 'ログアウト'),
      description: text(
        'End this session; your other sessions continue.',
        'このセッションを終了します。ほかのセッションは続きます。',
      ),
      permission: 'authenticated',
      annotations: settles,
    },
  },
);
