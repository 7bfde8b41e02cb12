import * as z from 'zod';
import {
  conversation,
  counts,
  delegation,
  description,
  done,
  id,
  message,
  nothing,
  profile,
  purpose,
  reason,
  sent,
  status,
  task,
  title,
} from './shapes.ts';
import { taskStatuses, teamLimits } from './tasks.ts';

/**
 * The acts of agents: what each takes and returns, in the names of the wire (document 002). The tools show these
 * schemas, and the capability `team` has its types from them.
 */
export const teamActs = {
  authenticate: {
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
  },
  logout: {
    input: nothing,
    output: done,
  },
  health: {
    input: nothing,
    output: z.object({
      status: z.string(),
      agents: z.number(),
      projects: z.number(),
      sessions: z.number(),
      tasks: counts,
    }),
  },
  managedAgents: {
    input: nothing,
    output: z.object({
      agents: z.array(
        z.object({
          agent_id: z.string(),
          name: z.string(),
          hierarchy: z.string(),
          status: z.string(),
          projects: z.array(z.string()),
          sessions: z.array(
            z.object({
              session_id: z.string(),
              project_id: z.string(),
              purpose: z.string(),
              task_id: z.string().optional(),
            }),
          ),
        }),
      ),
    }),
  },
  activeProjects: {
    input: nothing,
    output: z.object({
      projects: z.array(
        z.object({
          project_id: z.string(),
          name: z.string(),
          working_directory: z.string().optional(),
          agents: z.array(z.string()),
        }),
      ),
    }),
  },
  agentAction: {
    input: z.object({
      agent_id: id.describe('e.g. "worker-1".'),
      project_id: id.describe('e.g. "shop".'),
    }),
    output: z.object({
      action: z.enum(['start', 'hold']),
      reason: z.string(),
      spawn_id: z.string().optional(),
      expires_in: z.number().optional(),
      start: z
        .object({
          agent_id: z.string(),
          name: z.string(),
          hierarchy: z.string(),
          project_id: z.string(),
          purpose: z.string(),
          working_directory: z.string().optional(),
          task_id: z.string().optional(),
        })
        .optional(),
    }),
  },
  processExit: {
    input: z.object({
      session_id: id.describe('Session, or the spawn_id of get_agent_action, spn_….'),
      exit_code: z.number().int().optional().describe('e.g. 1.'),
    }),
    output: z.object({ success: z.boolean(), task_id: z.string().optional() }),
  },
  agentError: {
    input: z.object({
      agent_id: id.describe('e.g. "worker-1".'),
      project_id: id.describe('e.g. "shop".'),
      message: reason.describe('What happened.'),
    }),
    output: done,
  },
  subordinates: {
    input: nothing,
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
  },
  subordinate: {
    input: z.object({
      agent_id: id.describe('e.g. "worker-1".'),
    }),
    output: profile.extend({ tasks: z.array(task) }),
  },
  assignTask: {
    input: z.object({
      task_id: id.describe('tsk_….'),
      assignee_id: id.nullable().describe('e.g. "worker-1"; null for nobody.'),
    }),
    output: z.object({ task }),
  },
  selectAction: {
    input: z.object({
      action: z.enum(['dispatch', 'adjust', 'wait', 'complete']).describe('e.g. "wait".'),
      reason: reason.optional().describe('Why.'),
    }),
    output: z.object({ success: z.boolean(), instruction: z.string() }),
  },
  approveRequest: {
    input: z.object({
      request_id: id.describe('req_….'),
      assignee_id: id.optional().describe('Another agent, e.g. "worker-2".'),
    }),
    output: z.object({ success: z.boolean(), task_id: z.string() }),
  },
  rejectRequest: {
    input: z.object({
      request_id: id.describe('req_….'),
      reason: reason.optional().describe('Why.'),
    }),
    output: done,
  },
  profile: {
    input: nothing,
    output: profile,
  },
  myTask: {
    input: nothing,
    output: z.object({ task: task.optional(), instruction: z.string() }),
  },
  nextAction: {
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
  },
  project: {
    input: nothing,
    output: z.object({
      project_id: z.string(),
      name: z.string(),
      status: z.string(),
      working_directory: z.string().optional(),
      agents: z.array(z.string()),
      tasks: counts,
    }),
  },
  listTasks: {
    input: z.object({
      status: status.optional().describe('e.g. "todo".'),
      assignee_id: id.optional().describe('e.g. "worker-1".'),
      parent_task_id: id.optional().describe('Only subtasks of this task, tsk_….'),
      cursor: z.string().max(20).optional().describe('next_cursor.'),
      limit: z.number().int().min(1).max(teamLimits.listTasks).default(50).describe('e.g. 20.'),
    }),
    output: z.object({ tasks: z.array(task), next_cursor: z.string().optional() }),
  },
  getTask: {
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
  },
  createTask: {
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
  },
  createTasks: {
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
  },
  claimTask: {
    input: z.object({
      task_id: id.optional().describe('tsk_…. Default: the first that fits.'),
    }),
    output: z.object({ task: task.optional(), reason: z.string().optional() }),
  },
  releaseTask: {
    input: z.object({
      task_id: id.optional().describe("tsk_…. Default: this session's."),
      reason: reason.optional().describe('Why.'),
    }),
    output: done,
  },
  updateTaskStatus: {
    input: z.object({
      task_id: id.describe('tsk_….'),
      status: status.describe('e.g. "in_progress".'),
      reason: reason.optional().describe('Why.'),
    }),
    output: z.object({ task }),
  },
  reportCompleted: {
    input: z.object({
      result: z
        .enum(['success', 'failed', 'blocked'])
        .describe('How it ended; failed and blocked set the task blocked.'),
      summary: reason.optional().describe('What was done, or why not.'),
    }),
    output: z.object({ success: z.boolean(), task_id: z.string(), status, instruction: z.string() }),
  },
  reportModel: {
    input: z.object({
      model: z.string().min(1).max(200).describe('e.g. "glm-4.7".'),
    }),
    output: done,
  },
  requestTask: {
    input: z.object({
      title: title.describe('e.g. "Write the tests".'),
      description: description.optional().describe('What to do.'),
      assignee_id: id.optional().describe('Who is to do it; default: you.'),
    }),
    output: z.object({ request_id: z.string(), status: z.string(), task_id: z.string().optional() }),
  },
  notifications: {
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
  },
  history: {
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
  },
  startExecution: {
    input: z.object({
      task_id: id.optional().describe("tsk_…. Default: this session's."),
    }),
    output: z.object({ execution_id: z.string(), task_id: z.string() }),
  },
  completeExecution: {
    input: z.object({
      execution_id: id.describe('exe_….'),
      status: z.enum(['success', 'failed']).describe('How it ended.'),
      summary: reason.optional().describe('What happened.'),
    }),
    output: done,
  },
  pendingMessages: {
    input: z.object({
      ack: z.array(id).max(100).optional().describe('Messages that need no reply, ["msg_…"].'),
    }),
    output: z.object({
      messages: z.array(message),
      more: z.boolean(),
      context: z.array(message),
      conversations: z.array(conversation),
      delegations: z.array(delegation),
      instruction: z.string(),
    }),
  },
  respond: {
    input: z.object({
      content: z.string().trim().min(1).max(teamLimits.messageChars).describe('At most 4000 characters.'),
      conversation_id: id.optional().describe('cnv_…. Default: the oldest pending.'),
    }),
    output: sent,
  },
  send: {
    input: z.object({
      target_agent_id: id.describe('e.g. "worker-1".'),
      content: z.string().trim().min(1).max(teamLimits.messageChars).describe('At most 4000 characters.'),
    }),
    output: sent,
  },
  startConversation: {
    input: z.object({
      participant_agent_id: id.describe('e.g. "worker-1".'),
      purpose: reason.describe('e.g. "Agree on the schema."'),
      message: z
        .string()
        .trim()
        .min(1)
        .max(teamLimits.messageChars)
        .optional()
        .describe('The first message.'),
      max_turns: z
        .number()
        .int()
        .min(teamLimits.minTurns)
        .max(teamLimits.maxTurns)
        .default(20)
        .describe('e.g. 10.'),
      delegation_id: id.optional().describe('Delegation that it serves, dlg_….'),
    }),
    output: z.object({ conversation_id: z.string(), status: z.string(), message_id: z.string().optional() }),
  },
  endConversation: {
    input: z.object({
      conversation_id: id.describe('cnv_….'),
      summary: reason.optional().describe('The outcome.'),
    }),
    output: z.object({ success: z.boolean(), status: z.string() }),
  },
  reportDelegation: {
    input: z.object({
      delegation_id: id.describe('dlg_….'),
      status: z.enum(['completed', 'failed']).default('completed').describe('How it ended.'),
      result: z.string().min(1).max(teamLimits.messageChars).describe('The outcome.'),
    }),
    output: done,
  },
  delegate: {
    input: z.object({
      target_agent_id: id.describe('e.g. "worker-1".'),
      purpose: reason.describe('e.g. "Is the schema final?"'),
      context: z
        .string()
        .max(teamLimits.messageChars)
        .optional()
        .describe('What your chat session must know.'),
    }),
    output: z.object({ delegation_id: z.string(), status: z.string() }),
  },
  taskConversations: {
    input: z.object({
      wait_seconds: z.number().min(0).max(teamLimits.waitSeconds).default(0).describe('e.g. 30.'),
      delegation_id: id.optional().describe('Only this one, dlg_….'),
    }),
    output: z.object({ delegations: z.array(delegation.extend({ conversations: z.array(conversation) })) }),
  },
  conversationMessages: {
    input: z.object({
      conversation_id: id.describe('cnv_….'),
      cursor: z.string().max(20).optional().describe('next_cursor.'),
    }),
    output: z.object({ conversation, messages: z.array(message), next_cursor: z.string().optional() }),
  },
};
