import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';
import { errnoCode } from '../ground/errors/errno-code.ts';

/** Translates a system error for the caller; its own text goes to the log. */
export function fault(cause: unknown, shown: string): ToolError {
  if (cause instanceof ToolError) return cause;
  switch (errnoCode(cause)) {
    case 'ENOENT':
      return notFound(shown, cause);
    case 'ENOTDIR':
      return new ToolError(
        'not_found',
        text(`${shown} is not a folder.`, `${shown} はフォルダーではありません。`),
        { cause },
      );
    case 'ELOOP':
      return linkRefused(shown);
    case 'EEXIST':
      return exists(shown, cause);
    case 'ENOTEMPTY':
      return new ToolError('conflict', text(`${shown} is not empty.`, `${shown} は空ではありません。`), {
        cause,
      });
    case 'EISDIR':
      return notAFile(shown, 'folder');
    case 'ENOSPC':
    case 'EDQUOT':
      return new ToolError(
        'storage_full',
        text(
          `There is no space left to write ${shown}; nothing was changed.`,
          `${shown} を書き込む空き容量がありません。何も変更していません。`,
        ),
        {
          suggestion: text('Free some space, then try again.', '空き容量を作ってから再試行してください。'),
          cause,
        },
      );
    case 'ESTALE':
      return new ToolError(
        'conflict',
        text(`${shown} changed while it was read.`, `${shown} は読み込み中に変更されました。`),
        { suggestion: text('Read it again.', '読み直してください。'), cause },
      );
    case 'EFBIG':
      return new ToolError('too_large', text(`${shown} would be too large.`, `${shown} が大きすぎます。`), {
        cause,
      });
    case 'EACCES':
    case 'EPERM':
      return new ToolError(
        'forbidden',
        text(
          `The operating system does not allow this server to do that with ${shown}.`,
          `OS がこのサーバーに ${shown} への操作を許可していません。`,
        ),
        { cause },
      );
    case 'EROFS':
      return new ToolError(
        'forbidden',
        text(
          `${shown} is on a read-only file system.`,
          `${shown} は読み取り専用のファイルシステム上にあります。`,
        ),
        { cause },
      );
    case 'EXDEV':
      return new ToolError(
        'conflict',
        text(
          `${shown} is on another file system; it cannot be moved in one step.`,
          `${shown} は別のファイルシステム上にあり、一度に移動できません。`,
        ),
        {
          suggestion: text(
            'Write a new file and remove the old one.',
            '新しいファイルを書き、元のファイルを削除してください。',
          ),
          cause,
        },
      );
    case 'EINVAL':
      return new ToolError(
        'invalid_path',
        text(
          `The file system does not accept ${shown} here.`,
          `ファイルシステムが ${shown} を受け付けません。`,
        ),
        { cause },
      );
    case 'ENAMETOOLONG':
      return new ToolError(
        'invalid_path',
        text(`${shown} is too long a name.`, `${shown} は名前が長すぎます。`),
        { cause },
      );
    case 'EMFILE':
    case 'ENFILE':
      return new ToolError(
        'unavailable',
        text('Too many files are open at once.', '同時に開いているファイルが多すぎます。'),
        { suggestion: text('Try again in a moment.', '少し待ってから再試行してください。'), cause },
      );
    default:
      return new ToolError(
        'internal',
        text(`${shown} could not be used.`, `${shown} を処理できませんでした。`),
        { cause },
      );
  }
}

export function notFound(shown: string, cause?: unknown): ToolError {
  return new ToolError('not_found', text(`${shown} does not exist.`, `${shown} は存在しません。`), {
    cause,
    // Listings show the bytes of a name that is not UTF-8 this way.
    ...(shown.includes('\ufffd') && {
      suggestion: text(
        'If a listing shows it, its name is not UTF-8: rename it by a command.',
        '一覧に表示される場合、名前が UTF-8 ではありません。コマンドで名前を変更してください。',
      ),
    }),
  });
}

export function exists(shown: string, cause?: unknown): ToolError {
  return new ToolError('conflict', text(`${shown} already exists.`, `${shown} は既に存在します。`), {
    suggestion: text(
      'Choose another name, or replace it explicitly.',
      '別の名前にするか、明示的に置き換えてください。',
    ),
    cause,
  });
}

export function linkRefused(shown: string): ToolError {
  return new ToolError(
    'forbidden',
    text(
      `${shown} is a symbolic link; links are not followed.`,
      `${shown} はシンボリックリンクです。リンクはたどりません。`,
    ),
    { suggestion: text('Name the file itself.', 'ファイル本体のパスを指定してください。') },
  );
}

export function linkLeadsOut(shown: string): ToolError {
  return new ToolError(
    'forbidden',
    text(
      `${shown} goes through a symbolic link that leads outside the allowed folders.`,
      `${shown} は許可されたフォルダーの外を指すシンボリックリンクを通ります。`,
    ),
    {
      suggestion: text(
        'Use a path inside the allowed folders.',
        '許可されたフォルダー内のパスを指定してください。',
      ),
    },
  );
}

export function notAFile(shown: string, kind: 'folder' | 'other'): ToolError {
  return new ToolError(
    'unsupported_type',
    kind === 'folder'
      ? text(`${shown} is a folder.`, `${shown} はフォルダーです。`)
      : text(
          `${shown} is a device, pipe or socket; only regular files are served.`,
          `${shown} はデバイス、パイプまたはソケットです。通常のファイルだけを扱います。`,
        ),
  );
}

export function leftUnchanged(shown: string): ToolError {
  return new ToolError(
    'cancelled',
    text(
      `The call was cancelled; ${shown} was not changed.`,
      `呼び出しが取り消されました。${shown} は変更していません。`,
    ),
  );
}

export function changedSince(shown: string): ToolError {
  return new ToolError(
    'conflict',
    text(`${shown} has changed since it was read.`, `${shown} は読み込み後に変更されています。`),
    {
      suggestion: text('Read it again, then repeat the change.', '読み直してから変更をやり直してください。'),
    },
  );
}
