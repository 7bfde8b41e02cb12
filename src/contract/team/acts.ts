import * as z from 'zod';
import {
  conversation,
  counts,
  delegation,
  description,
  done,
  id,
  maybe,
  message,
  nothing,
  profile,
  purpose,
  reason,
  sent,
  status,
  task,
  texts,
  title,
} from './shapes.ts';
import { teamLimits } from './tasks.ts';

const agent_id = id.describe('e.g. "worker-1".');
const project_id = id.describe('e.g. "shop".');
const task_id = id.describe('tsk_….');
const ownTask = id.optional().describe("tsk_…. Default: this session's.");
const why = reason.optional().describe('Why.');
const words = z.string().trim().min(1).max(teamLimits.messageChars);
const toDo = {
  title: title.describe('e.g. "Write the tests".'),
  description: description.optional().describe('What to do.'),
};
const made = {
  task_id: z.string(),
  existed: z.boolean().optional(),
  status: status.optional(),
};

/**
 * The acts of agents: what each takes and returns, in the names of the wire (document 002). The tools show these
 * schemas, and the capability `team` has its types from them.
 */
export const teamActs = {
  authenticate: {
    input: z.object({
      agent_id,
      passkey: z.string().min(1).max(1000).describe('Yours.'),
      project_id,
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
  logout: { input: nothing, output: done },
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
          ...texts('agent_id', 'name', 'hierarchy', 'status'),
          projects: z.array(z.string()),
          sessions: z.array(
            z.object({ ...texts('session_id', 'project_id', 'purpose'), ...maybe('task_id') }),
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
          ...texts('project_id', 'name'),
          ...maybe('working_directory'),
          agents: z.array(z.string()),
        }),
      ),
    }),
  },
  agentAction: {
    input: z.object({ agent_id, project_id }),
    output: z.object({
      action: z.enum(['start', 'hold']),
      reason: z.string(),
      spawn_id: z.string().optional(),
      expires_in: z.number().optional(),
      start: z
        .object({
          ...texts('agent_id', 'name', 'hierarchy', 'project_id', 'purpose'),
          ...maybe('working_directory', 'task_id'),
        })
        .optional(),
    }),
  },
  processExit: {
    input: z.object({
      session_id: id.describe('Session, or the spawn_id of get_agent_action, spn_….'),
      exit_code: z.int().optional().describe('e.g. 1.'),
    }),
    output: z.object({ success: z.boolean(), task_id: z.string().optional() }),
  },
  agentError: {
    input: z.object({
      agent_id,
      project_id,
      message: reason.describe('What happened.'),
    }),
    output: done,
  },
  subordinates: {
    input: nothing,
    output: z.object({
      agents: z.array(
        z.object({
          ...texts('agent_id', 'name', 'hierarchy'),
          ...maybe('parent_id'),
          tasks_in_progress: z.number(),
          max_parallel_tasks: z.number(),
        }),
      ),
      pending_requests: z.array(z.object(texts('request_id', 'requester_id', 'assignee_id', 'title'))),
    }),
  },
  subordinate: {
    input: z.object({ agent_id }),
    output: profile.extend({ tasks: z.array(task) }),
  },
  assignTask: {
    input: z.object({
      task_id,
      assignee_id: id.nullable().describe('e.g. "worker-1"; null for nobody.'),
    }),
    output: z.object({ task }),
  },
  selectAction: {
    input: z.object({
      action: z.enum(['dispatch', 'adjust', 'wait', 'complete']).describe('e.g. "wait".'),
      reason: why,
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
      reason: why,
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
        .int()
        .min(0)
        .optional()
        .describe('`state.last_event` that you know: newer ends the wait.'),
    }),
    output: z.object({
      ...texts('action', 'instruction'),
      ...maybe('tool', 'task_id'),
      needs: z.record(z.string(), z.array(z.string())).optional(),
      state: z.record(z.string(), z.union([z.number(), z.string()])),
    }),
  },
  project: {
    input: nothing,
    output: z.object({
      ...texts('project_id', 'name', 'status'),
      ...maybe('working_directory'),
      agents: z.array(z.string()),
      tasks: counts,
    }),
  },
  listTasks: {
    input: z.object({
      status: status.optional().describe('e.g. "todo".'),
      assignee_id: agent_id.optional(),
      parent_task_id: id.optional().describe('Only subtasks of this task, tsk_….'),
      cursor: z.string().max(20).optional().describe('next_cursor.'),
      limit: z.int().min(1).max(teamLimits.listTasks).default(50).describe('e.g. 20.'),
    }),
    output: z.object({ tasks: z.array(task), next_cursor: z.string().optional() }),
  },
  getTask: {
    input: z.object({ task_id }),
    output: z.object({
      task,
      events: z.array(z.object({ ...texts('at', 'by', 'what'), ...maybe('from', 'to', 'reason') })),
    }),
  },
  createTask: {
    input: z.object({
      ...toDo,
      parent_task_id: id.optional().describe('Task to divide, tsk_….'),
      depends_on: z.array(id).max(50).optional().describe('Tasks to be done first, ["tsk_…"].'),
      assignee_id: agent_id.optional(),
      status: z.enum(['backlog', 'todo']).optional().describe('Default: todo.'),
    }),
    output: z.object({ ...made }),
  },
  createTasks: {
    input: z.object({
      parent_task_id: id.optional().describe('Task to divide, tsk_….'),
      tasks: z
        .array(
          z
            .object({
              local_id: z.string().min(1).max(64).describe('Name within this batch, e.g. "a".'),
              ...toDo,
              depends_on: z.array(id).max(50).optional().describe('local_ids or task ids, e.g. ["a"].'),
              assignee_id: agent_id.optional(),
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
          ...made,
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
      task_id: ownTask,
      reason: why,
    }),
    output: done,
  },
  updateTaskStatus: {
    input: z.object({
      task_id,
      status: status.describe('e.g. "in_progress".'),
      reason: why,
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
      ...toDo,
      assignee_id: id.optional().describe('Who is to do it; default: you.'),
    }),
    output: z.object({ ...texts('request_id', 'status'), ...maybe('task_id') }),
  },
  notifications: {
    input: z.object({
      ack: z.array(id).max(100).optional().describe('Read ones, ["ntf_…"].'),
    }),
    output: z.object({
      notifications: z.array(
        z.object({
          ...texts('notification_id', 'kind', 'message'),
          ...maybe('task_id'),
          sent_at: z.string(),
        }),
      ),
      more: z.boolean(),
    }),
  },
  history: {
    input: z.object({
      limit: z.int().min(1).max(100).default(20).describe('e.g. 20.'),
    }),
    output: z.object({
      executions: z.array(
        z.object({
          ...texts('execution_id', 'task_id', 'status'),
          ...maybe('summary', 'model'),
          started_at: z.string(),
          ...maybe('ended_at'),
        }),
      ),
    }),
  },
  startExecution: {
    input: z.object({
      task_id: ownTask,
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
      content: words.describe('At most 4000 characters.'),
      conversation_id: id.optional().describe('cnv_…. Default: the oldest pending.'),
    }),
    output: sent,
  },
  send: {
    input: z.object({
      target_agent_id: agent_id,
      content: words.describe('At most 4000 characters.'),
    }),
    output: sent,
  },
  startConversation: {
    input: z.object({
      participant_agent_id: agent_id,
      purpose: reason.describe('e.g. "Agree on the schema."'),
      message: words.optional().describe('The first message.'),
      max_turns: z.int().min(teamLimits.minTurns).max(teamLimits.maxTurns).default(20).describe('e.g. 10.'),
      delegation_id: id.optional().describe('Delegation that it serves, dlg_….'),
    }),
    output: z.object({ ...texts('conversation_id', 'status'), ...maybe('message_id') }),
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
      target_agent_id: agent_id,
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
