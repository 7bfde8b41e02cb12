import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text.ts';

/** The caller went away, or took the call back. */
export function cancelled(cause?: unknown): ToolError {
  return new ToolError('cancelled', text('The call was cancelled.', '呼び出しは取り消されました。'), {
    cause,
  });
}
