import { text } from '../../contract/text/text.ts';
import { reads, settles, teamTools } from './team-tool.ts';

/** A manager and the agents below it. */
export const managementTools = teamTools(
  { category: 'management', permission: 'manager_only', annotations: settles },
  {
    subordinates: {
      name: 'list_subordinates',
      title: text('List subordinates', '配下の一覧'),
      description: text(
        'Agents below you, and task requests that wait for your answer.',
        '配下のエージェントと、判断を待つ依頼。',
      ),
      annotations: reads,
    },
    subordinate: {
      name: 'get_subordinate_profile',
      title: text('Subordinate profile', '配下の詳細'),
      description: text(
        'One agent below you, with its open tasks.',
        '配下の 1 つのエージェントと、その未完了のタスク。',
      ),
      annotations: reads,
      ja: { agent_id: 'エージェント。例: "worker-1"。' },
      example: { agent_id: 'worker-1' },
    },
    assignTask: {
      name: 'assign_task',
      title: text('Assign a task', 'タスクの割り当て'),
      description: text(
        'Give a task to yourself or an agent below you, or take it back with null.',
        'タスクを自分か配下に割り当てます。null で取り消します。',
      ),
      ja: {
        task_id: 'タスク。例: "tsk_7k2m9q4x3v5w"。',
        assignee_id: 'エージェント。例: "worker-1"。null で担当なし。',
      },
      example: { task_id: 'tsk_7k2m9q4x3v5w', assignee_id: 'worker-1' },
    },
    selectAction: {
      name: 'select_action',
      title: text('Choose the next action', '次の行動の選択'),
      description: text(
        'Choose what to do next after looking at the situation; after wait, get_next_action waits for a change.',
        '状況を見て次の行動を選びます。wait の後の get_next_action は変化を待ちます。',
      ),
      ja: { action: '行動。例: "wait"。', reason: '理由。例: "API キーがない"。' },
      example: { action: 'wait' },
    },
    approveRequest: {
      name: 'approve_task_request',
      title: text('Approve a request', '依頼の承認'),
      description: text(
        'Approve a task request of list_subordinates; this creates the task.',
        'list_subordinates の依頼を承認し、タスクを作ります。',
      ),
      ja: { request_id: '依頼。例: "req_7k2m9q4x3v5w"。', assignee_id: '別の担当者。例: "worker-2"。' },
      example: { request_id: 'req_7k2m9q4x3v5w' },
    },
    rejectRequest: {
      name: 'reject_task_request',
      title: text('Reject a request', '依頼の却下'),
      description: text(
        'Decline a task request of list_subordinates.',
        'list_subordinates の依頼を却下します。',
      ),
      ja: { request_id: '依頼。例: "req_7k2m9q4x3v5w"。', reason: '理由。例: "API キーがない"。' },
      example: { request_id: 'req_7k2m9q4x3v5w', reason: 'Out of scope.' },
    },
  },
);
