/** What a step is called, which tool does it, and how it is said to a model. */
export interface Step {
  readonly action: string;
  readonly tool?: string;
  readonly instruction: string;
}

export const steps = {
  get_task: step('get_task', 'Read your task.', 'get_my_task'),
  start_task: step('start_task', 'Set your task in_progress.', 'update_task_status'),
  claim: step('claim_task', 'Free tasks wait; claim one.', 'claim_task'),
  execute: step(
    'execute',
    'Do the task, then report_completed. If it is large, first divide it with create_tasks_batch.',
    'report_completed',
  ),
  create_subtasks: step(
    'create_subtasks',
    'Divide your task into subtasks for your subordinates.',
    'create_tasks_batch',
  ),
  execute_subtask: step(
    'execute_subtask',
    'Start the ready subtask, do it, set it done.',
    'update_task_status',
  ),
  resolve_blocked: step(
    'resolve_blocked',
    'A subtask is blocked or can never start: mend, cancel or replace it.',
    'update_task_status',
  ),
  dispatch: step('dispatch', 'Give the ready subtasks to idle subordinates.', 'assign_task'),
  adjust: step(
    'adjust',
    'Look at what is blocked or deadlocked: change, cancel or replace it.',
    'update_task_status',
  ),
  complete: step('complete', 'All subtasks are closed: report your task.', 'report_completed'),
  wait: step('wait', 'Nothing to do yet. Call again with timeout_seconds, or exit.', 'get_next_action'),
  lost: step('task_lost', 'Your task has another owner now. Stop working on it and logout.', 'logout'),
  finish: step('finish', 'Nothing is left to do. Logout and exit.', 'logout'),
  read_messages: step('read_messages', 'Messages wait. Read them and answer.', 'get_pending_messages'),
  run_errand: step(
    'run_errand',
    'Your task session asked you to talk to somebody: start the conversation, then report its result.',
    'start_conversation',
  ),
  report_errand: step(
    'report_errand',
    'The conversation for the delegation is over: report its result.',
    'report_delegation_completed',
  ),
} as const;

/** What to do after a manager chose. */
export function instructionFor(action: 'dispatch' | 'adjust' | 'wait' | 'complete'): string {
  return steps[action].instruction;
}

function step(action: string, instruction: string, tool: string): Step {
  return { action, instruction, tool };
}
