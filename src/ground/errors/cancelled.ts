import { ToolError } from '../../contract/error.ts';
import { type Text, text } from '../../contract/text/text.ts';

const subjects = {
  call: text('The call was cancelled.', '呼び出しは取り消されました。'),
  command: text('The command was cancelled.', 'コマンドは取り消されました。'),
  pipeline: text('The pipeline was cancelled.', 'パイプラインは取り消されました。'),
  search: text('The search was cancelled.', '検索は取り消されました。'),
  fetch: text('The fetch was cancelled.', '取得は取り消されました。'),
  read: text('The read was cancelled.', '読み取りが取り消されました。'),
  answer: text('Cancelled.', '中断しました。'),
} as const satisfies Readonly<Record<string, Text>>;

/** The error (`cancelled`) of a call that its caller cancelled or abandoned; `what` names what ended with it. */
export function cancelled(what: keyof typeof subjects = 'call', cause?: unknown): ToolError {
  return new ToolError('cancelled', subjects[what], { cause });
}
