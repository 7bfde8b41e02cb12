import { text } from '../../contract/text/text.ts';
import { changes, reads, settles, teamTools } from './team-tool.ts';

/** An agent's profile, tasks and executions. */
export const workTools = teamTools(
  { category: 'tasks', permission: 'authenticated', annotations: settles },
  {
    profile: {
      name: 'get_my_profile',
      category: 'profile',
      title: text('My profile', '自分の情報'),
      description: text(
        'Who you are: hierarchy, parent, projects, slots.',
        '自分の階層、上司、プロジェクト、同時実行数。',
      ),
      annotations: reads,
    },
    myTask: {
      name: 'get_my_task',
      title: text('My task', '自分のタスク'),
      description: text(
        'The task of this session in full.',
        '自分に割り当てられた実行中のタスクを取得します。',
      ),
      annotations: reads,
    },
    nextAction: {
      name: 'get_next_action',
      title: text('Next action', '次の行動'),
      description: text(
        'The next step. With timeout_seconds, waits for a change while there is nothing to do.',
        '次に実行すべきアクションの指示を取得します。timeout_seconds を指定すると、することがない間は変化を待ちます。',
      ),
      everyday: true,
      annotations: reads,
      ja: {
        timeout_seconds: '待つ秒数。50 まで。例: 50。',
        after_event: '既知の state.last_event。より新しい変化で待機を終えます。例: 42。',
      },
      example: { timeout_seconds: 50 },
    },
    project: {
      name: 'get_project',
      category: 'profile',
      title: text('My project', 'プロジェクト'),
      description: text(
        'The project of this session: agents and counts of tasks.',
        'このセッションのプロジェクト、エージェント、タスク数。',
      ),
      annotations: reads,
    },
    listTasks: {
      name: 'list_tasks',
      title: text('List tasks', 'タスク一覧'),
      description: text(
        'Tasks of the project, oldest first, by status, assignee or parent.',
        'プロジェクトのタスク。状態、担当者、親で絞れます。',
      ),
      annotations: reads,
      ja: {
        status: '状態。例: "todo"。',
        assignee_id: 'エージェント。例: "worker-1"。',
        parent_task_id: 'このタスクのサブタスクだけ。例: "tsk_7k2m9q4x3v5w"。',
        cursor: '前のページの next_cursor。例: "42"。',
        limit: '件数。例: 20。',
      },
      example: { status: 'todo' },
    },
    getTask: {
      name: 'get_task',
      title: text('Show a task', 'タスクの詳細'),
      description: text(
        'One task in full, with its newest events.',
        '1 つのタスクの全内容と最近のイベント。',
      ),
      annotations: reads,
      ja: { task_id: 'タスク。例: "tsk_7k2m9q4x3v5w"。' },
      example: { task_id: 'tsk_7k2m9q4x3v5w' },
    },
    createTask: {
      name: 'create_task',
      title: text('Create a task', 'タスクの作成'),
      description: text(
        'Create one task; if the same parent has an open one with this title, you get that one, unchanged.',
        'タスクを 1 つ作成します。同じ親に同じタイトルの未完了のものがあれば、それを変更せずに返します。',
      ),
      ja: {
        title: '短いタイトル。例: "テストを書く"。',
        description: '内容。例: "空の場合も確認する"。',
        parent_task_id: '分割するタスク。例: "tsk_7k2m9q4x3v5w"。',
        depends_on: '先に終えるタスク。例: ["tsk_7k2m9q4x3v5w"]。',
        assignee_id: 'エージェント。例: "worker-1"。',
        status: '例: "backlog"。省略時は todo。',
      },
      example: { title: 'Write the tests', depends_on: ['tsk_7k2m9q4x3v5w'] },
    },
    createTasks: {
      name: 'create_tasks_batch',
      title: text('Create tasks', 'タスクの一括作成'),
      description: text(
        'Create all of these tasks or none. They may depend on each other by local_id.',
        'すべて作成するか、1 つも作成しません。local_id で互いに依存させられます。',
      ),
      ja: {
        parent_task_id: '分割するタスク。例: "tsk_7k2m9q4x3v5w"。',
        tasks: 'タスク。例: [{"local_id": "a", "title": "設計"}]。',
        'tasks.local_id': 'この一括内の名前。例: "a"。',
        'tasks.title': '例: "テストを書く"。',
        'tasks.description': '内容。',
        'tasks.depends_on': 'local_id かタスク ID。例: ["a"]。',
        'tasks.assignee_id': '例: "worker-1"。',
      },
      example: {
        tasks: [
          { local_id: 'a', title: 'Design' },
          { local_id: 'b', title: 'Build', depends_on: ['a'] },
        ],
      },
    },
    claimTask: {
      name: 'claim_task',
      title: text('Claim a task', 'タスクの取得'),
      description: text(
        'Claim a free todo task, or this one, and start it. Nobody else gets it.',
        '空いている todo タスク、または指定したタスクを取り、開始します。ほかのエージェントは取れません。',
      ),
      everyday: true,
      ja: { task_id: 'タスク。例: "tsk_7k2m9q4x3v5w"。省略時は最初に合うもの。' },
    },
    releaseTask: {
      name: 'release_task',
      title: text('Release a task', 'タスクの返却'),
      description: text(
        'Return a task: it is todo and free again.',
        'タスクを返します。todo に戻り、誰でも取れます。',
      ),
      ja: {
        task_id: 'タスク。例: "tsk_7k2m9q4x3v5w"。省略時はこのセッションのもの。',
        reason: '理由。例: "API キーがない"。',
      },
      example: { reason: 'Needs another skill.' },
    },
    updateTaskStatus: {
      name: 'update_task_status',
      title: text('Change a status', '状態の変更'),
      description: text(
        'Move a task to another status. Use report_completed for the task of this session.',
        'タスクの状態を変えます。このセッションのタスクの完了には report_completed を使います。',
      ),
      ja: {
        task_id: 'タスク。例: "tsk_7k2m9q4x3v5w"。',
        status: '新しい状態。例: "in_progress"。',
        reason: '理由。例: "API キーがない"。',
      },
      example: { task_id: 'tsk_7k2m9q4x3v5w', status: 'in_progress' },
    },
    reportCompleted: {
      name: 'report_completed',
      title: text('Report completion', '完了の報告'),
      description: text(
        'Report the end of the task of this session.',
        'タスクの完了を報告します。result引数で完了状態を指定します。',
      ),
      everyday: true,
      ja: {
        result: '完了結果: success=成功, failed=失敗, blocked=外部要因でブロック。例: "success"。',
        summary: '完了サマリー（任意）。例: "全てのサブタスクを完了しました"。',
      },
      example: { result: 'success', summary: 'All subtasks are done.' },
    },
    reportModel: {
      name: 'report_model',
      category: 'profile',
      title: text('Report the model', 'モデルの報告'),
      description: text('Report which model you run on.', '使用しているモデルを報告します。'),
      ja: { model: 'モデル。例: "glm-4.7"。' },
      example: { model: 'glm-4.7' },
    },
    requestTask: {
      name: 'request_task',
      title: text('Request a task', 'タスクの依頼'),
      description: text(
        'Request a task for another agent or yourself; an agent above it must approve.',
        'ほかのエージェントや自分へのタスクを依頼します。上司の承認が必要です。',
      ),
      annotations: changes,
      ja: {
        title: '短いタイトル。例: "テストを書く"。',
        description: '内容。例: "空の場合も確認する"。',
        assignee_id: '担当者。例: "worker-2"。省略時は自分。',
      },
      example: { title: 'Review the API', assignee_id: 'worker-2' },
    },
    notifications: {
      name: 'get_notifications',
      category: 'profile',
      title: text('Notifications', '通知'),
      description: text(
        'Unread notifications; ack those that you have read.',
        '未読の通知。読んだものは ack で既読にします。',
      ),
      ja: { ack: '既読にするもの。例: ["ntf_7k2m9q4x3v5w"]。' },
    },
    history: {
      name: 'get_my_execution_history',
      category: 'execution',
      title: text('My executions', '実行履歴'),
      description: text('Your newest executions.', '自分の最近の実行。'),
      annotations: reads,
      ja: { limit: '件数。例: 20。' },
      example: { limit: 5 },
    },
    startExecution: {
      name: 'report_execution_start',
      category: 'execution',
      title: text('Report a start', '実行開始の報告'),
      description: text('Report that you start executing a task.', 'タスクの実行開始を報告します。'),
      permission: 'worker_only',
      annotations: changes,
      ja: { task_id: 'タスク。例: "tsk_7k2m9q4x3v5w"。省略時はこのセッションのもの。' },
    },
    completeExecution: {
      name: 'report_execution_complete',
      category: 'execution',
      title: text('Report an end', '実行終了の報告'),
      description: text(
        'Report how an execution ended. The task itself ends with report_completed.',
        '実行の結果を報告します。タスク自体の完了は report_completed です。',
      ),
      permission: 'worker_only',
      ja: {
        execution_id: '実行。例: "exe_7k2m9q4x3v5w"。',
        status: '結果。例: "success"。',
        summary: '内容。例: "12件のテストが成功"。',
      },
      example: { execution_id: 'exe_7k2m9q4x3v5w', status: 'success' },
    },
  },
);
