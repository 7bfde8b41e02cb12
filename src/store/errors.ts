import { ConfigError, ToolError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';

/** The caller's error for a database failure. The database's message becomes the cause, which only the log sees. */
export function storageError(error: unknown): Error {
  if (error instanceof ToolError || error instanceof ConfigError) return error;
  const { errcode, code } = (error ?? {}) as { errcode?: number; code?: string };
  const full = (errcode !== undefined && (errcode & 0xff) === 13) || code === 'ENOSPC' || code === '53100';
  if (full)
    return new ToolError(
      'storage_full',
      'The disk that holds the server’s records is full.',
      'サーバーの記録を置くディスクがいっぱいです。',
      {
        suggestion: text('Ask the operator to free space.', '運用者に空き容量の確保を頼んでください。'),
        cause: error,
      },
    );
  if (code === '22021') return nulInText(error);
  const known = typeof errcode === 'number' || typeof code === 'string';
  // An error without a database code is our own bug; it is returned unchanged and becomes `internal`.
  if (!known && error instanceof Error) return error;
  return unreachable(error);
}

/** The database does not answer, or no longer does. */
export function unreachable(cause: unknown): ToolError {
  return new ToolError(
    'unavailable',
    'The server’s records cannot be reached now.',
    '現在、サーバーの記録に接続できません。',
    {
      suggestion: text(
        'Try again in a moment; if this persists, the operator can find the reason in the log.',
        '少し待って再試行してください。続く場合は運用者がログで原因を確認できます。',
      ),
      cause,
    },
  );
}

/** A NUL reached a text column; tools clean their input, so this is rare. */
export function nulInText(cause?: unknown): ToolError {
  return new ToolError(
    'invalid_parameter',
    'A text argument contains a NUL character.',
    'テキスト引数に NUL 文字が含まれています。',
    { suggestion: text('Remove it and try again.', '取り除いて再試行してください。'), cause },
  );
}
