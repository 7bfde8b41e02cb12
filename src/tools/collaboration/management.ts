import * as z from 'zod';
import { text } from '../../contract/text/text.ts';
import { id, profile, reason, task } from './shapes.ts';
import { reads, settles, teamTool } from './team-tool.ts';

/** A manager and the agents below it. */
export const managementTools = [
  teamTool({
    name: 'list_subordinates',
    category: 'management',
    title: text('List subordinates', '配下の一覧'),
    description: text(
      'Agents below you, and task requests that wait for your answer.',
      '配下のエージェントと、判断を待つ依頼。',
    ),
    permission: 'manager_only',
    annotations: reads,
    input: z.object({}),
    output: z.object({
      agents: z.array(
        z.object({
          agent_id: z.string(),
          name: z.string(),
          hierarchy: z.string(),
          parent_id: z.string().optional(),
          tasks_in_progress: z.number(),
          max_parallel_tasks: z.number(),
        }),
      ),
      pending_requests: z.array(
        z.object({
          request_id: z.string(),
          requester_id: z.string(),
          assignee_id: z.string(),
          title: z.string(),
        }),
      ),
    }),
    ja: {},
    example: {},

    run: (_, { team }) => team.subordinates(),
  }),
  teamTool({
    name: 'get_subordinate_profile',
    category: 'management',
    title: text('Subordinate profile', '配下の詳細'),
    description: text(
      'One agent below you, with its open tasks.',
      '配下の 1 つのエージェントと、その未完了のタスク。',
    ),
    permission: 'manager_only',
    annotations: reads,
    input: z.object({
      agent_id: id.describe('e.g. "worker-1".'),
    }),
    output: profile.extend({ tasks: z.array(task) }),
    ja: { agent_id: 'エージェント。例: "worker-1"。' },
    example: { agent_id: 'worker-1' },

    run: (input, { team }) => team.subordinate(input),
  }),
  teamTool({
    name: 'assign_task',
    category: 'management',
    title: text('Assign a task', 'タスクの割り当て'),
    description: text(
      'Give a task to yourself or an agent below you, or take it back with null.',
      'タスクを自分か配下に割り当てます。null で取り消します。',
    ),
    permission: 'manager_only',
    annotations: settles,
    input: z.object({
      task_id: id.describe('tsk_….'),
      assignee_id: id.nullable().describe('e.g. "worker-1"; null for nobody.'),
    }),
    output: z.object({ task }),
    ja: {
      task_id: 'タスク。例: "tsk_7k2m9q4x3v5w"。',
      assignee_id: 'エージェント。例: "worker-1"。null で担当なし。',
    },
    example: { task_id: 'tsk_7k2m9q4x3v5w', assignee_id: 'worker-1' },

    run: (input, { team }) => team.assignTask(input),
  }),
  teamTool({
    name: 'select_action',
    category: 'management',
    title: text('Choose the next action', '次の行動の選択'),
    description: text(
      'Choose what to do next after looking at the situation; after wait, get_next_action waits for a change.',
      '状況を見て次の行動を選びます。wait の後の get_next_action は変化を待ちます。',
    ),
    permission: 'manager_only',
    annotations: settles,
    input: z.object({
      action: z.enum(['dispatch', 'adjust', 'wait', 'complete']).describe('e.g. "wait".'),
      reason: reason.optional().describe('Why.'),
    }),
    output: z.object({ success: z.boolean(), instruction: z.string() }),
    ja: { action: '行動。例: "wait"。', reason: '理由。例: "API キーがない"。' },
    example: { action: 'wait' },

    run: (input, { team }) => team.selectAction(input),
  }),
  teamTool({
    name: 'approve_task_request',
    category: 'management',
    title: text('Approve a request', '依頼の承認'),
    description: text(
      'Approve a task request of list_subordinates; this creates the task.',
      'list_subordinates の依頼を承認し、タスクを作ります。',
    ),
    permission: 'manager_only',
    annotations: settles,
    input: z.object({
      request_id: id.describe('req_….'),
      assignee_id: id.optional().describe('Another agent, e.g. "worker-2".'),
    }),
    output: z.object({ success: z.boolean(), task_id: z.string() }),
    ja: { request_id: '依頼。例: "req_7k2m9q4x3v5w"。', assignee_id: '別の担当者。例: "worker-2"。' },
    example: { request_id: 'req_7k2m9q4x3v5w' },

    run: (input, { team }) => team.approveRequest(input),
  }),
  teamTool({
    name: 'reject_task_request',
    category: 'management',
    title: text('Reject a request', '依頼の却下'),
    description: text(
      'Decline a task request of list_subordinates.',
      'list_subordinates の依頼を却下します。',
    ),
    permission: 'manager_only',
    annotations: settles,
    input: z.object({
      request_id: id.describe('req_….'),
      reason: reason.optional().describe('Why.'),
    }),
    output: z.object({ success: z.boolean() }),
    ja: { request_id: '依頼。例: "req_7k2m9q4x3v5w"。', reason: '理由。例: "API キーがない"。' },
    example: { request_id: 'req_7k2m9q4x3v5w', reason: 'Out of scope.' },

    run: (input, { team }) => team.rejectRequest(input),
  }),
];
