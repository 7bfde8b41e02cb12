import { readSaid, type Said, type Text, text } from '../../contract/text/text.ts';

/** The name of a step, its tool, and the instruction for a model. */
export interface Step {
  readonly action: string;
  readonly tool?: string;
  readonly instruction: Text;
}

/** Other messages to agents. */
export const words = {
  noWork: text('There is no work for you now. Exit.', '今は作業がありません。終了してください。'),
  otherWork: text(
    'There is no work for this purpose now, but there is for the other. Authenticate without purpose, or exit.',
    'この purpose の作業は今ありませんが、もう一方の作業があります。purpose なしで認証するか、終了してください。',
  ),
  entered: text(
    'Pass session_token with each call. Call get_next_action now.',
    '毎回 session_token を渡してください。まず get_next_action を呼んでください。',
  ),
  noTask: text(
    'You have no task. get_next_action says what to do.',
    'タスクはありません。get_next_action が次の行動を示します。',
  ),
  read: text('get_next_action says what to do with it.', '次の行動は get_next_action が示します。'),
  heard: text(
    'Answer with respond_chat. Acknowledge messages that need no answer: get_pending_messages with ack.',
    'respond_chat で返信してください。返信不要のものは get_pending_messages の ack で既読にしてください。',
  ),
  heardLast: text(
    'These conversations are over: acknowledge the messages with get_pending_messages and ack.',
    '会話は終わっています。get_pending_messages の ack で既読にしてください。',
  ),
  nothingHeard: text(
    'There are no messages. get_next_action says what to do, and waits for messages.',
    '未読はありません。次の行動は get_next_action が示し、メッセージも待てます。',
  ),
  reported: text(
    'Call get_next_action, or logout if you are to work on one task only.',
    'get_next_action を呼ぶか、担当が 1 つだけなら logout してください。',
  ),
} as const;

export const steps = {
  get_task: step('get_task', 'get_my_task', 'Read your task.', 'タスクを読んでください。'),
  start_task: step(
    'start_task',
    'update_task_status',
    'Set your task to in_progress.',
    'タスクを in_progress にしてください。',
  ),
  claim: step(
    'claim_task',
    'claim_task',
    'There are free tasks; claim one.',
    '空いているタスクがあります。1 つ取得してください。',
  ),
  claim_own: step(
    'claim_task',
    'claim_task',
    'Your next task is ready: claim it by its task_id.',
    '次のタスクが待っています。task_id を指定して取得してください。',
  ),
  execute: step(
    'execute',
    'report_completed',
    'Do the task, then report_completed. If it is large, first divide it with create_tasks_batch.',
    'タスクを実行し、report_completed で報告してください。大きければ先に create_tasks_batch で分割してください。',
  ),
  create_subtasks: step(
    'create_subtasks',
    'create_tasks_batch',
    'Divide your task into subtasks for your subordinates. If it is too small for that, do it and report_completed.',
    'タスクを配下のためのサブタスクに分割してください。小さければ自分で実行し、report_completed で報告してください。',
  ),
  execute_subtask: step(
    'execute_subtask',
    'claim_task',
    'Claim a ready subtask, do it and report_completed. get_next_action then leads back to this task.',
    '準備のできたサブタスクを取得し、実行し、report_completed で報告してください。その後 get_next_action がこのタスクに戻します。',
  ),
  resolve_blocked: step(
    'resolve_blocked',
    'update_task_status',
    'A subtask is blocked, can never start, or is in the backlog: fix, cancel or replace it, or set it to todo.',
    '止まっている、始められない、または backlog のサブタスクがあります。修正、中止、置き換えのいずれかを行うか、todo にしてください。',
  ),
  dispatch: step(
    'dispatch',
    'assign_task',
    'Give the ready subtasks to idle subordinates.',
    '準備のできたサブタスクを手の空いた配下に割り当ててください。',
  ),
  adjust: step(
    'adjust',
    'update_task_status',
    'Check tasks that are blocked, deadlocked or in the backlog: change, cancel or replace them, or set them to todo.',
    '止まっているものや backlog のものを確認し、変更、中止、置き換え、または todo にしてください。',
  ),
  complete: step(
    'complete',
    'report_completed',
    'All subtasks are closed: report your task.',
    'すべてのサブタスクが終わりました。タスクを報告してください。',
  ),
  wait: step(
    'wait',
    'get_next_action',
    'Nothing to do yet. Call again with timeout_seconds, or exit.',
    'まだすることはありません。timeout_seconds を付けて再度呼ぶか、終了してください。',
  ),
  lost: step(
    'task_lost',
    'logout',
    'Your task is no longer yours: it was taken back or has another owner. Stop working on it and logout.',
    'タスクは回収されたか、別の担当に移りました。作業をやめて logout してください。',
  ),
  finish: step(
    'finish',
    'logout',
    'Nothing is left to do. Logout and exit.',
    'することはもうありません。logout して終了してください。',
  ),
  read_messages: step(
    'read_messages',
    'get_pending_messages',
    'You have messages. Read and answer them.',
    '未読のメッセージがあります。読んで返信してください。',
  ),
  acknowledge: step(
    'acknowledge',
    'get_pending_messages',
    'You have received these messages and their conversations are over: acknowledge them with ack.',
    '会話が終わった受信済みのメッセージがあります。ack で既読にしてください。',
  ),
  run_errand: step(
    'run_errand',
    'start_conversation',
    'Your task session asked you to talk to somebody: start the conversation, then report its result.',
    'タスクセッションから会話を頼まれています。会話を始め、結果を報告してください。',
  ),
  report_errand: step(
    'report_errand',
    'report_delegation_completed',
    'The conversation for the delegation is over: report its result.',
    '委任の会話が終わりました。結果を報告してください。',
  ),
} as const;

function step(action: string, tool: string, ...instruction: Said<never>): Step {
  return { action, tool, instruction: readSaid(instruction).text };
}
