import { text } from '../../contract/text/text.ts';
import { changes, reads, settles, teamTools } from './team-tool.ts';

/** The program that starts agents. */
export const coordinationTools = teamTools(
  { category: 'coordination', permission: 'coordinator_only', annotations: reads },
  {
    health: {
      name: 'health_check',
      title: text('Health check', '稼働確認'),
      description: text(
        'Counts of agents, projects, sessions and tasks.',
        'エージェント、プロジェクト、セッション、タスクの数。',
      ),
    },
    managedAgents: {
      name: 'list_managed_agents',
      title: text('List agents', 'エージェント一覧'),
      description: text(
        'All agents with their projects and live sessions.',
        '全エージェントと、そのプロジェクトと有効なセッション。',
      ),
    },
    activeProjects: {
      name: 'list_active_projects_with_agents',
      title: text('List active projects', '有効なプロジェクト一覧'),
      description: text(
        'Active projects and the agents assigned to each.',
        '有効なプロジェクトと、割り当てられたエージェント。',
      ),
    },
    agentAction: {
      name: 'get_agent_action',
      title: text('Start or hold an agent', '起動の判断'),
      description: text(
        'Say whether to start an agent now, and for what. A start is leased for 120 s.',
        'エージェントを今起動すべきかと、その目的を返します。起動は 120 秒間予約されます。',
      ),
      annotations: changes,
      ja: { agent_id: 'エージェント。例: "worker-1"。', project_id: 'プロジェクト。例: "shop"。' },
      example: { agent_id: 'worker-1', project_id: 'shop' },
    },
    processExit: {
      name: 'report_process_exit',
      title: text('Report a process exit', 'プロセス終了の報告'),
      description: text(
        'Report that the process behind a session ended; this ends the session.',
        'セッションのプロセスが終わったことを報告します。セッションも終わります。',
      ),
      annotations: settles,
      ja: {
        session_id: 'セッション、または get_agent_action の spawn_id。例: "spn_7k2m9q4x3v5w"。',
        exit_code: '終了コード。例: 1。',
      },
      example: { session_id: 'spn_7k2m9q4x3v5w', exit_code: 0 },
    },
    agentError: {
      name: 'report_agent_error',
      title: text('Report an agent error', 'エラーの報告'),
      description: text(
        'Report that an agent failed or could not start; its manager is notified.',
        'エージェントの起動失敗や異常を報告します。上司に通知されます。',
      ),
      annotations: changes,
      ja: {
        agent_id: 'エージェント。例: "worker-1"。',
        project_id: 'プロジェクト。例: "shop"。',
        message: '起きたこと。例: "モデルが応答しない"。',
      },
      example: { agent_id: 'worker-1', project_id: 'shop', message: 'The model did not answer.' },
    },
  },
);
