import * as z from 'zod';
import { taskStatuses, teamLimits } from '../../contract/team/tasks.ts';
import { text } from '../../contract/text/text.ts';
import { counts, description, id, profile, reason, status, task, title } from './shapes.ts';
import { changes, reads, settles, teamTool } from './team-tool.ts';

/** An agent's profile, tasks and executions. */
export const workTools = [
  teamTool({
    name: 'get_my_profile',
    category: 'profile',
    title: text('My profile', '自分の情報'),
    description: text(
      'Who you are: hierarchy, parent, projects, slots.',
      '自分の階層、上司、プロジェクト、同時実行数。',
    ),
    permission: 'authenticated',
    annotations: reads,
    input: z.object({}),
    output: profile,
    ja: {},
    example: {},

    run: (_, { team }) => team.profile(),
  }),
  teamTool({
    name: 'get_my_task',
    category: 'tasks',
    title: text('My task', '自分のタスク'),
    description: text(
      'The task of this session in full.',
      '自分に割り当てられた実行中のタスクを取得します。',
    ),
    permission: 'authenticated',
    annotations: reads,
    input: z.object({}),
    output: z.object({ task: task.optional(), instruction: z.string() }),
    ja: {},
    example: {},

    run: (_, { team }) => team.myTask(),
  }),
  teamTool({
    name: 'get_next_action',
    category: 'tasks',
    title: text('Next action', '次の行動'),
    description: text(
      'The next step. With timeout_seconds, waits for a change while there is nothing to do.',
      '次に実行すべきアクションの指示を取得します。timeout_seconds を指定すると、することがない間は変化を待ちます。',
    ),
    permission: 'authenticated',
    everyday: true,
    annotations: reads,
    input: z.object({
      timeout_seconds: z.number().min(0).max(teamLimits.waitSeconds).default(0).describe('e.g. 50.'),
      after_event: z
        .number()
        .int()
        .min(0)
        .optional()
        .describe('`state.last_event` that you know: newer ends the wait.'),
    }),
    output: z.object({
      action: z.string(),
      instruction: z.string(),
      tool: z.string().optional(),
      task_id: z.string().optional(),
      needs: z.record(z.string(), z.array(z.string())).optional(),
      state: z.record(z.string(), z.union([z.number(), z.string()])),
    }),
    ja: {
      timeout_seconds: '待つ秒数。50 まで。例: 50。',
      after_event: '既知の state.last_event。より新しい変化で待機を終えます。例: 42。',
    },
    example: { timeout_seconds: 50 },

    run: (input, { team, signal }) => team.nextAction(input, signal),
  }),
  teamTool({
    name: 'get_project',
    category: 'profile',
    title: text('My project', 'プロジェクト'),
    description: text(
      'The project of this session: agents and counts of tasks.',
      'このセッションのプロジェクト、エージェント、タスク数。',
    ),
    permission: 'authenticated',
    annotations: reads,
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
  }),
  teamTool({
    name: 'list_tasks',
    category: 'tasks',
    title: text('List tasks', 'タスク一覧'),
    description: text(
      'Tasks of the project, oldest first, by status, assignee or parent.',
      'プロジェクトのタスク。状態、担当者、親で絞れます。',
    ),
    permission: 'authenticated',
    annotations: reads,
    input: z.object({
      status: status.optional().describe('e.g. "todo".'),
      assignee_id: id.optional().describe('e.g. "worker-1".'),
      parent_task_id: id.optional().describe('Only subtasks of this task, tsk_….'),
      cursor: z.string().max(20).optional().describe('next_cursor.'),
      limit: z.number().int().min(1).max(teamLimits.listTasks).default(50).describe('e.g. 20.'),
    }),
    output: z.object({ tasks: z.array(task), next_cursor: z.string().optional() }),
    ja: {
      status: '状態。例: "todo"。',
      assignee_id: 'エージェント。例: "worker-1"。',
      parent_task_id: 'このタスクのサブタスクだけ。例: "tsk_7k2m9q4x3v5w"。',
      cursor: '前のページの next_cursor。例: "42"。',
      limit: '件数。例: 20。',
    },
    example: { status: 'todo' },

    run: (input, { team }) => team.listTasks(input),
  }),
  teamTool({
    name: 'get_task',
    category: 'tasks',
    title: text('Show a task', 'タスクの詳細'),
    description: text('One task in full, with its newest events.', '1 つのタスクの全内容と最近のイベント。'),
    permission: 'authenticated',
    annotations: reads,
    input: z.object({
      task_id: id.describe('tsk_….'),
    }),
    output: z.object({
      task,
      events: z.array(
        z.object({
          at: z.string(),
          by: z.string(),
          what: z.string(),
          from: z.string().optional(),
          to: z.string().optional(),
          reason: z.string().optional(),
        }),
      ),
    }),
    ja: { task_id: 'タスク。例: "tsk_7k2m9q4x3v5w"。' },
    example: { task_id: 'tsk_7k2m9q4x3v5w' },

    run: (input, { team }) => team.getTask(input),
  }),
  teamTool({
    name: 'create_task',
    category: 'tasks',
    title: text('Create a task', 'タスクの作成'),
    description: text(
      'Create one task; if the same parent has an open one with this title, you get that one, unchanged.',
      'タスクを 1 つ作成します。同じ親に同じタイトルの未完了のものがあれば、それを変更せずに返します。',
    ),
    permission: 'authenticated',
    annotations: settles,
    input: z.object({
      title: title.describe('e.g. "Write the tests".'),
      description: description.optional().describe('What to do.'),
      parent_task_id: id.optional().describe('Task to divide, tsk_….'),
      depends_on: z.array(id).max(50).optional().describe('Tasks to be done first, ["tsk_…"].'),
      assignee_id: id.optional().describe('e.g. "worker-1".'),
      status: z.enum(['backlog', 'todo']).optional().describe('Default: todo.'),
    }),
    output: z.object({
      task_id: z.string(),
      existed: z.boolean().optional(),
      status: z.enum(taskStatuses).optional(),
    }),
    ja: {
      title: '短いタイトル。例: "テストを書く"。',
      description: '内容。例: "空の場合も確認する"。',
      parent_task_id: '分割するタスク。例: "tsk_7k2m9q4x3v5w"。',
      depends_on: '先に終えるタスク。例: ["tsk_7k2m9q4x3v5w"]。',
      assignee_id: 'エージェント。例: "worker-1"。',
      status: '例: "backlog"。省略時は todo。',
    },
    example: { title: 'Write the tests', depends_on: ['tsk_7k2m9q4x3v5w'] },

    run: (input, { team }) => team.createTask(input),
  }),
  teamTool({
    name: 'create_tasks_batch',
    category: 'tasks',
    title: text('Create tasks', 'タスクの一括作成'),
    description: text(
      'Create all of these tasks or none. They may depend on each other by local_id.',
      'すべて作成するか、1 つも作成しません。local_id で互いに依存させられます。',
    ),
    permission: 'authenticated',
    annotations: settles,
    input: z.object({
      parent_task_id: id.optional().describe('Task to divide, tsk_….'),
      tasks: z
        .array(
          z
            .object({
              local_id: z.string().min(1).max(64).describe('Name within this batch, e.g. "a".'),
              title: title.describe('e.g. "Write the tests".'),
              description: description.optional().describe('What to do.'),
              depends_on: z.array(id).max(50).optional().describe('local_ids or task ids, e.g. ["a"].'),
              assignee_id: id.optional().describe('e.g. "worker-1".'),
            })
            .strict(),
        )
        .min(1)
        .max(teamLimits.batchTasks)
        .describe('[{"local_id": "a", "title": "Design"}]'),
    }),
    output: z.object({
      tasks: z.array(
        z.object({
          local_id: z.string(),
          task_id: z.string(),
          existed: z.boolean().optional(),
          status: z.enum(taskStatuses).optional(),
        }),
      ),
    }),
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

    run: (input, { team }) => team.createTasks(input),
  }),
  teamTool({
    name: 'claim_task',
    category: 'tasks',
    title: text('Claim a task', 'タスクの取得'),
    description: text(
      'Claim a free todo task, or this one, and start it. Nobody else gets it.',
      '空いている todo タスク、または指定したタスクを取り、開始します。ほかのエージェントは取れません。',
    ),
    permission: 'authenticated',
    everyday: true,
    annotations: settles,
    input: z.object({
      task_id: id.optional().describe('tsk_…. Default: the first that fits.'),
    }),
    output: z.object({ task: task.optional(), reason: z.string().optional() }),
    ja: { task_id: 'タスク。例: "tsk_7k2m9q4x3v5w"。省略時は最初に合うもの。' },
    example: {},

    run: (input, { team }) => team.claimTask(input),
  }),
  teamTool({
    name: 'release_task',
    category: 'tasks',
    title: text('Release a task', 'タスクの返却'),
    description: text(
      'Return a task: it is todo and free again.',
      'タスクを返します。todo に戻り、誰でも取れます。',
    ),
    permission: 'authenticated',
    annotations: settles,
    input: z.object({
      task_id: id.optional().describe("tsk_…. Default: this session's."),
      reason: reason.optional().describe('Why.'),
    }),
    output: z.object({ success: z.boolean() }),
    ja: {
      task_id: 'タスク。例: "tsk_7k2m9q4x3v5w"。省略時はこのセッションのもの。',
      reason: '理由。例: "API キーがない"。',
    },
    example: { reason: 'Needs another skill.' },

    run: (input, { team }) => team.releaseTask(input),
  }),
  teamTool({
    name: 'update_task_status',
    category: 'tasks',
    title: text('Change a status', '状態の変更'),
    description: text(
      'Move a task to another status. Use report_completed for the task of this session.',
      'タスクの状態を変えます。このセッションのタスクの完了には report_completed を使います。',
    ),
    permission: 'authenticated',
    annotations: settles,
    input: z.object({
      task_id: id.describe('tsk_….'),
      status: status.describe('e.g. "in_progress".'),
      reason: reason.optional().describe('Why.'),
    }),
    output: z.object({ task }),
    ja: {
      task_id: 'タスク。例: "tsk_7k2m9q4x3v5w"。',
      status: '新しい状態。例: "in_progress"。',
      reason: '理由。例: "API キーがない"。',
    },
    example: { task_id: 'tsk_7k2m9q4x3v5w', status: 'in_progress' },

    run: (input, { team }) => team.updateTaskStatus(input),
  }),
  teamTool({
    name: 'report_completed',
    category: 'tasks',
    title: text('Report completion', '完了の報告'),
    description: text(
      'Report the end of the task of this session.',
      'タスクの完了を報告します。result引数で完了状態を指定します。',
    ),
    permission: 'authenticated',
    everyday: true,
    annotations: settles,
    input: z.object({
      result: z
        .enum(['success', 'failed', 'blocked'])
        .describe('How it ended; failed and blocked set the task blocked.'),
      summary: reason.optional().describe('What was done, or why not.'),
    }),
    output: z.object({ success: z.boolean(), task_id: z.string(), status, instruction: z.string() }),
    ja: {
      result: '完了結果: success=成功, failed=失敗, blocked=外部要因でブロック。例: "success"。',
      summary: '完了サマリー（任意）。例: "全てのサブタスクを完了しました"。',
    },
    example: { result: 'success', summary: 'All subtasks are done.' },

    run: (input, { team }) => team.reportCompleted(input),
  }),
  teamTool({
    name: 'report_model',
    category: 'profile',
    title: text('Report the model', 'モデルの報告'),
    description: text('Report which model you run on.', '使用しているモデルを報告します。'),
    permission: 'authenticated',
    annotations: settles,
    input: z.object({
      model: z.string().min(1).max(200).describe('e.g. "glm-4.7".'),
    }),
    output: z.object({ success: z.boolean() }),
    ja: { model: 'モデル。例: "glm-4.7"。' },
    example: { model: 'glm-4.7' },

    run: (input, { team }) => team.reportModel(input),
  }),
  teamTool({
    name: 'request_task',
    category: 'tasks',
    title: text('Request a task', 'タスクの依頼'),
    description: text(
      'Request a task for another agent or yourself; an agent above it must approve.',
      'ほかのエージェントや自分へのタスクを依頼します。上司の承認が必要です。',
    ),
    permission: 'authenticated',
    annotations: changes,
    input: z.object({
      title: title.describe('e.g. "Write the tests".'),
      description: description.optional().describe('What to do.'),
      assignee_id: id.optional().describe('Who is to do it; default: you.'),
    }),
    output: z.object({ request_id: z.string(), status: z.string(), task_id: z.string().optional() }),
    ja: {
      title: '短いタイトル。例: "テストを書く"。',
      description: '内容。例: "空の場合も確認する"。',
      assignee_id: '担当者。例: "worker-2"。省略時は自分。',
    },
    example: { title: 'Review the API', assignee_id: 'worker-2' },

    run: (input, { team }) => team.requestTask(input),
  }),
  teamTool({
    name: 'get_notifications',
    category: 'profile',
    title: text('Notifications', '通知'),
    description: text(
      'Unread notifications; ack those that you have read.',
      '未読の通知。読んだものは ack で既読にします。',
    ),
    permission: 'authenticated',
    annotations: settles,
    input: z.object({
      ack: z.array(id).max(100).optional().describe('Read ones, ["ntf_…"].'),
    }),
    output: z.object({
      notifications: z.array(
        z.object({
          notification_id: z.string(),
          kind: z.string(),
          message: z.string(),
          task_id: z.string().optional(),
          sent_at: z.string(),
        }),
      ),
      more: z.boolean(),
    }),
    ja: { ack: '既読にするもの。例: ["ntf_7k2m9q4x3v5w"]。' },
    example: {},

    run: (input, { team }) => team.notifications(input),
  }),
  teamTool({
    name: 'get_my_execution_history',
    category: 'execution',
    title: text('My executions', '実行履歴'),
    description: text('Your newest executions.', '自分の最近の実行。'),
    permission: 'authenticated',
    annotations: reads,
    input: z.object({
      limit: z.number().int().min(1).max(100).default(20).describe('e.g. 20.'),
    }),
    output: z.object({
      executions: z.array(
        z.object({
          execution_id: z.string(),
          task_id: z.string(),
          status: z.string(),
          summary: z.string().optional(),
          model: z.string().optional(),
          started_at: z.string(),
          ended_at: z.string().optional(),
        }),
      ),
    }),
    ja: { limit: '件数。例: 20。' },
    example: { limit: 5 },

    run: (input, { team }) => team.history(input),
  }),
  teamTool({
    name: 'report_execution_start',
    category: 'execution',
    title: text('Report a start', '実行開始の報告'),
    description: text('Report that you start executing a task.', 'タスクの実行開始を報告します。'),
    permission: 'worker_only',
    annotations: changes,
    input: z.object({
      task_id: id.optional().describe("tsk_…. Default: this session's."),
    }),
    output: z.object({ execution_id: z.string(), task_id: z.string() }),
    ja: { task_id: 'タスク。例: "tsk_7k2m9q4x3v5w"。省略時はこのセッションのもの。' },
    example: {},

    run: (input, { team }) => team.startExecution(input),
  }),
  teamTool({
    name: 'report_execution_complete',
    category: 'execution',
    title: text('Report an end', '実行終了の報告'),
    description: text(
      'Report how an execution ended. The task itself ends with report_completed.',
      '実行の結果を報告します。タスク自体の完了は report_completed です。',
    ),
    permission: 'worker_only',
    annotations: settles,
    input: z.object({
      execution_id: id.describe('exe_….'),
      status: z.enum(['success', 'failed']).describe('How it ended.'),
      summary: reason.optional().describe('What happened.'),
    }),
    output: z.object({ success: z.boolean() }),
    ja: {
      execution_id: '実行。例: "exe_7k2m9q4x3v5w"。',
      status: '結果。例: "success"。',
      summary: '内容。例: "12件のテストが成功"。',
    },
    example: { execution_id: 'exe_7k2m9q4x3v5w', status: 'success' },

    run: (input, { team }) => team.completeExecution(input),
  }),
];
