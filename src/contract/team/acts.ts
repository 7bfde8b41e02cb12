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
const made = { task_id: z.string(), existed: z.boolean().optional(), status: status.optional() };

/** An act, by the fields that it takes and those that it returns. */
function takes<Input extends z.ZodRawShape>(input: Input) {
  return {
    gives: <Output extends z.ZodRawShape>(output: Output) => ({
      input: z.object(input),
      output: z.object(output),
    }),
  };
}

/**
 * The acts of agents: what each takes and returns, in the names of the wire (document 002). The tools show these
 * schemas, and the capability `team` has its types from them.
 */
export const teamActs = {
  authenticate: takes({
    agent_id,
    passkey: z.string().min(1).max(1000).describe('Yours.'),
    project_id,
    purpose: purpose.optional().describe('Default: what work there is.'),
  }).gives({
    success: z.boolean(),
    session_token: z.string().optional(),
    expires_in: z.number().optional(),
    purpose: purpose.optional(),
    task_id: z.string().optional(),
    agent_name: z.string(),
    reason: z.string().optional(),
    instruction: z.string(),
  }),
  logout: takes({}).gives(done),
  health: takes({}).gives({
    status: z.string(),
    agents: z.number(),
    projects: z.number(),
    sessions: z.number(),
    tasks: counts,
  }),
  managedAgents: takes({}).gives({
    agents: z.array(
      z.object({
        ...texts('agent_id', 'name', 'hierarchy', 'status'),
        projects: z.array(z.string()),
        sessions: z.array(z.object({ ...texts('session_id', 'project_id', 'purpose'), ...maybe('task_id') })),
      }),
    ),
  }),
  activeProjects: takes({}).gives({
    projects: z.array(
      z.object({
        ...texts('project_id', 'name'),
        ...maybe('working_directory'),
        agents: z.array(z.string()),
      }),
    ),
  }),
  agentAction: takes({ agent_id, project_id }).gives({
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
  processExit: takes({
    session_id: id.describe('Session, or the spawn_id of get_agent_action, spn_….'),
    exit_code: z.int().optional().describe('e.g. 1.'),
  }).gives({ success: z.boolean(), task_id: z.string().optional() }),
  agentError: takes({ agent_id, project_id, message: reason.describe('What happened.') }).gives(done),
  subordinates: takes({}).gives({
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
  subordinate: takes({ agent_id }).gives({ ...profile.shape, tasks: z.array(task) }),
  assignTask: takes({
    task_id,
    assignee_id: id.nullable().describe('e.g. "worker-1"; null for nobody.'),
  }).gives({ task }),
  selectAction: takes({
    action: z.enum(['dispatch', 'adjust', 'wait', 'complete']).describe('e.g. "wait".'),
    reason: why,
  }).gives({ success: z.boolean(), instruction: z.string() }),
  approveRequest: takes({
    request_id: id.describe('req_….'),
    assignee_id: id.optional().describe('Another agent, e.g. "worker-2".'),
  }).gives({ success: z.boolean(), task_id: z.string() }),
  rejectRequest: takes({ request_id: id.describe('req_….'), reason: why }).gives(done),
  profile: takes({}).gives(profile.shape),
  myTask: takes({}).gives({ task: task.optional(), instruction: z.string() }),
  nextAction: takes({
    timeout_seconds: z.number().min(0).max(teamLimits.waitSeconds).default(0).describe('e.g. 50.'),
    after_event: z.int().min(0).optional().describe('`state.last_event` that you know: newer ends the wait.'),
  }).gives({
    ...texts('action', 'instruction'),
    ...maybe('tool', 'task_id'),
    needs: z.record(z.string(), z.array(z.string())).optional(),
    state: z.record(z.string(), z.union([z.number(), z.string()])),
  }),
  project: takes({}).gives({
    ...texts('project_id', 'name', 'status'),
    ...maybe('working_directory'),
    agents: z.array(z.string()),
    tasks: counts,
  }),
  listTasks: takes({
    status: status.optional().describe('e.g. "todo".'),
    assignee_id: agent_id.optional(),
    parent_task_id: id.optional().describe('Only subtasks of this task, tsk_….'),
    cursor: z.string().max(20).optional().describe('next_cursor.'),
    limit: z.int().min(1).max(teamLimits.listTasks).default(50).describe('e.g. 20.'),
  }).gives({ tasks: z.array(task), next_cursor: z.string().optional() }),
  getTask: takes({ task_id }).gives({
    task,
    events: z.array(z.object({ ...texts('at', 'by', 'what'), ...maybe('from', 'to', 'reason') })),
  }),
  createTask: takes({
    ...toDo,
    parent_task_id: id.optional().describe('Task to divide, tsk_….'),
    depends_on: z.array(id).max(50).optional().describe('Tasks to be done first, ["tsk_…"].'),
    assignee_id: agent_id.optional(),
    status: z.enum(['backlog', 'todo']).optional().describe('Default: todo.'),
  }).gives(made),
  createTasks: takes({
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
  }).gives({
    tasks: z.array(z.object({ local_id: z.string(), ...made })),
  }),
  claimTask: takes({
    task_id: id.optional().describe('tsk_…. Default: the first that fits.'),
  }).gives({ task: task.optional(), reason: z.string().optional() }),
  releaseTask: takes({ task_id: ownTask, reason: why }).gives(done),
  updateTaskStatus: takes({
    task_id,
    status: status.describe('e.g. "in_progress".'),
    reason: why,
  }).gives({ task }),
  reportCompleted: takes({
    result: z
      .enum(['success', 'failed', 'blocked'])
      .describe('How it ended; failed and blocked set the task blocked.'),
    summary: reason.optional().describe('What was done, or why not.'),
  }).gives({ success: z.boolean(), task_id: z.string(), status, instruction: z.string() }),
  reportModel: takes({ model: z.string().min(1).max(200).describe('e.g. "glm-4.7".') }).gives(done),
  requestTask: takes({
    ...toDo,
    assignee_id: id.optional().describe('Who is to do it; default: you.'),
  }).gives({ ...texts('request_id', 'status'), ...maybe('task_id') }),
  notifications: takes({ ack: z.array(id).max(100).optional().describe('Read ones, ["ntf_…"].') }).gives({
    notifications: z.array(
      z.object({ ...texts('notification_id', 'kind', 'message'), ...maybe('task_id'), sent_at: z.string() }),
    ),
    more: z.boolean(),
  }),
  history: takes({ limit: z.int().min(1).max(100).default(20).describe('e.g. 20.') }).gives({
    executions: z.array(
      z.object({
        ...texts('execution_id', 'task_id', 'status'),
        ...maybe('summary', 'model'),
        started_at: z.string(),
        ...maybe('ended_at'),
      }),
    ),
  }),
  startExecution: takes({ task_id: ownTask }).gives({ execution_id: z.string(), task_id: z.string() }),
  completeExecution: takes({
    execution_id: id.describe('exe_….'),
    status: z.enum(['success', 'failed']).describe('How it ended.'),
    summary: reason.optional().describe('What happened.'),
  }).gives(done),
  pendingMessages: takes({
    ack: z.array(id).max(100).optional().describe('Messages that need no reply, ["msg_…"].'),
  }).gives({
    messages: z.array(message),
    more: z.boolean(),
    context: z.array(message),
    conversations: z.array(conversation),
    delegations: z.array(delegation),
    instruction: z.string(),
  }),
  respond: takes({
    content: words.describe('At most 4000 characters.'),
    conversation_id: id.optional().describe('cnv_…. Default: the oldest pending.'),
  }).gives(sent),
  send: takes({ target_agent_id: agent_id, content: words.describe('At most 4000 characters.') }).gives(sent),
  startConversation: takes({
    participant_agent_id: agent_id,
    purpose: reason.describe('e.g. "Agree on the schema."'),
    message: words.optional().describe('The first message.'),
    max_turns: z.int().min(teamLimits.minTurns).max(teamLimits.maxTurns).default(20).describe('e.g. 10.'),
    delegation_id: id.optional().describe('Delegation that it serves, dlg_….'),
  }).gives({ ...texts('conversation_id', 'status'), ...maybe('message_id') }),
  endConversation: takes({
    conversation_id: id.describe('cnv_….'),
    summary: reason.optional().describe('The outcome.'),
  }).gives({ success: z.boolean(), status: z.string() }),
  reportDelegation: takes({
    delegation_id: id.describe('dlg_….'),
    status: z.enum(['completed', 'failed']).default('completed').describe('How it ended.'),
    result: z.string().min(1).max(teamLimits.messageChars).describe('The outcome.'),
  }).gives(done),
  delegate: takes({
    target_agent_id: agent_id,
    purpose: reason.describe('e.g. "Is the schema final?"'),
    context: z.string().max(teamLimits.messageChars).optional().describe('What your chat session must know.'),
  }).gives({ delegation_id: z.string(), status: z.string() }),
  taskConversations: takes({
    wait_seconds: z.number().min(0).max(teamLimits.waitSeconds).default(0).describe('e.g. 30.'),
    delegation_id: id.optional().describe('Only this one, dlg_….'),
  }).gives({ delegations: z.array(delegation.extend({ conversations: z.array(conversation) })) }),
  conversationMessages: takes({
    conversation_id: id.describe('cnv_….'),
    cursor: z.string().max(20).optional().describe('next_cursor.'),
  }).gives({ conversation, messages: z.array(message), next_cursor: z.string().optional() }),
};
