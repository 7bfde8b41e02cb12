import { ToolError } from '../../contract/error.ts';
import type { Halt } from '../../contract/halt.ts';
import { text } from '../../contract/text/text.ts';

/** The refusal of a call while a person has stopped all work. */
export function halted({ sinceMs }: Halt): ToolError {
  const since = new Date(sinceMs).toISOString();
  return new ToolError(
    'denied',
    `A person stopped all work at ${since}; no call runs until a person lets it go on.`,
    `${since} に人がすべての作業を停止しました。人が再開するまで、呼び出しは実行されません。`,
    text(
      'Stop here and tell the user: `sekisho resume` or the console lets it go on.',
      'ここで止まり、ユーザーに伝えてください。`sekisho resume` またはコンソールで再開できます。',
    ),
    { stopped_since: since },
  );
}

/** The end of a call that ran when a person stopped all work. */
export function endedByHalt(cause: unknown): ToolError {
  return new ToolError(
    'cancelled',
    'A person stopped all work, and this call ended with it.',
    '人がすべての作業を停止し、この呼び出しも終了しました。',
    {
      suggestion: text(
        'What it wrote on a layer is discarded; other changes stay and can be undone. Stop here and tell the user.',
        'レイヤー上の変更は破棄されました。それ以外の変更は残り、元に戻せます。ここで止まり、ユーザーに伝えてください。',
      ),
      cause,
    },
  );
}
