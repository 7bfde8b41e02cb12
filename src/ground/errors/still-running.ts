import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';

/** The error (`still_running`) of a call that outlasts its reply; `id` is for fetching its result. */
export function stillRunning(id: string): ToolError {
  return new ToolError('still_running', 'The call is still running.', '呼び出しはまだ実行中です。', {
    suggestion: text(
      `Do not send it again: call_result with call_id ${id} waits for its result.`,
      `再送せず、call_result に call_id ${id} を渡して結果を待ってください。`,
    ),
    details: { call_id: id },
  });
}
