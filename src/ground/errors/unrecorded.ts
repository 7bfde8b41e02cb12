import { type ErrorCode, ToolError } from '../../contract/error.ts';
import { joinSentences, text } from '../../contract/text/text.ts';

/**
 * The error if the record of a call that may have changed something could not be written; `cause`: why. For a failed
 * call, its own error already says what became of its effects.
 */
export function unrecorded(cause: unknown, failure?: unknown): ToolError {
  if (failure instanceof ToolError) {
    const { code, text: said, suggestion, details } = failure;
    const more = text('Its record could not be written, either.', '記録も書き込めませんでした。');
    return new ToolError(code, joinSentences(said.en, more.en), joinSentences(said.ja, more.ja), {
      suggestion,
      details,
      cause,
    });
  }
  return new ToolError(
    codeOf(cause),
    'This was run, but its record could not be written. Changes that it made remain.',
    '実行されましたが、記録を書き込めませんでした。行われた変更はそのままです。',
    {
      suggestion: text(
        'Do not repeat it: check what it did. The operator must make the records writable.',
        '繰り返さず、結果を確かめてください。運用者が記録を書き込めるようにする必要があります。',
      ),
      cause,
    },
  );
}

/** The error if the record of a call that did not run, or only read, could not be written; `cause`: why. */
export function unanswered(cause: unknown): ToolError {
  const code = codeOf(cause);
  return new ToolError(
    code,
    code === 'storage_full'
      ? text(
          'The disk that holds the server’s records is full, and no call is answered without its record.',
          'サーバーの記録を置くディスクがいっぱいのため、記録できない呼び出しには応答しません。',
        )
      : text(
          'The server’s records cannot be written now, and no call is answered without its record.',
          'サーバーの記録を書き込めないため、記録できない呼び出しには応答しません。',
        ),
    {
      suggestion: text(
        'Nothing was changed. If this persists, ask the operator to make the records writable.',
        '何も変更されていません。続く場合は、記録を書き込めるようにするよう運用者に頼んでください。',
      ),
      cause,
    },
  );
}

function codeOf(cause: unknown): ErrorCode {
  return cause instanceof ToolError && cause.code === 'storage_full' ? 'storage_full' : 'unavailable';
}
