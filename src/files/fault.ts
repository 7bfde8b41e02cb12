import { type ErrorCode, ToolError } from '../contract/error.ts';
import { type Text, text } from '../contract/text/text.ts';
import { errnoCode } from '../ground/errors/errno-code.ts';

/** Translates a system error for the caller; its own text goes to the log. */
export function fault(cause: unknown, shown: string): ToolError {
  if (cause instanceof ToolError) return cause;
  const errno = errnoCode(cause) ?? '';
  if (errno === 'ENOENT') return notFound(shown, cause);
  if (errno === 'ELOOP') return linkRefused(shown);
  if (errno === 'EEXIST') return exists(shown, cause);
  if (errno === 'EISDIR') return notAFile(shown, 'folder');
  const found = Object.entries(faults).find(([errnos]) => errnos.split(' ').includes(errno));
  const [code, words, suggestion] = found?.[1] ?? unknownFault;
  const message = text(
    words.en.replace('…', () => shown),
    words.ja.replace('…', () => shown),
  );
  return new ToolError(code, message, { suggestion, cause });
}

/** A code, the message with `…` for the path, and a suggestion. */
type Fault = readonly [ErrorCode, Text, Text?];

const unknownFault: Fault = ['internal', text('… could not be used.', '… を処理できませんでした。')];

/** By error numbers. */
const faults: Readonly<Record<string, Fault>> = {
  ENOTDIR: ['not_found', text('… is not a folder.', '… はフォルダーではありません。')],
  ENOTEMPTY: ['conflict', text('… is not empty.', '… は空ではありません。')],
  'ENOSPC EDQUOT': [
    'storage_full',
    text(
      'There is no space left to write …; nothing was changed.',
      '… を書き込む空き容量がありません。何も変更していません。',
    ),
    text('Free some space, then try again.', '空き容量を作ってから再試行してください。'),
  ],
  ESTALE: [
    'conflict',
    text('… changed while it was read.', '… は読み込み中に変更されました。'),
    text('Read it again.', '読み直してください。'),
  ],
  EFBIG: ['too_large', text('… would be too large.', '… が大きすぎます。')],
  'EACCES EPERM': [
    'forbidden',
    text(
      'The operating system does not allow this server to do that with ….',
      'OS がこのサーバーに … への操作を許可していません。',
    ),
  ],
  EROFS: [
    'forbidden',
    text('… is on a read-only file system.', '… は読み取り専用のファイルシステム上にあります。'),
  ],
  EXDEV: [
    'conflict',
    text(
      '… is on another file system; it cannot be moved in one step.',
      '… は別のファイルシステム上にあり、一度に移動できません。',
    ),
    text(
      'Write a new file and remove the old one.',
      '新しいファイルを書き、元のファイルを削除してください。',
    ),
  ],
  EINVAL: [
    'invalid_path',
    text('The file system does not accept … here.', 'ファイルシステムが … を受け付けません。'),
  ],
  ENAMETOOLONG: ['invalid_path', text('… is too long a name.', '… は名前が長すぎます。')],
  'EMFILE ENFILE': [
    'unavailable',
    text('Too many files are open at once.', '同時に開いているファイルが多すぎます。'),
    text('Try again in a moment.', '少し待ってから再試行してください。'),
  ],
};

export function notFound(shown: string, cause?: unknown): ToolError {
  return new ToolError('not_found', `${shown} does not exist.`, `${shown} は存在しません。`, {
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
  return new ToolError('conflict', `${shown} already exists.`, `${shown} は既に存在します。`, {
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
    `${shown} is a symbolic link; links are not followed.`,
    `${shown} はシンボリックリンクです。リンクはたどりません。`,
    text('Name the file itself.', 'ファイル本体のパスを指定してください。'),
  );
}

export function linkLeadsOut(shown: string): ToolError {
  return new ToolError(
    'forbidden',
    `${shown} goes through a symbolic link that leads outside the allowed folders.`,
    `${shown} は許可されたフォルダーの外を指すシンボリックリンクを通ります。`,
    text('Use a path inside the allowed folders.', '許可されたフォルダー内のパスを指定してください。'),
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
    `The call was cancelled; ${shown} was not changed.`,
    `呼び出しが取り消されました。${shown} は変更していません。`,
  );
}

export function changedSince(shown: string): ToolError {
  return new ToolError(
    'conflict',
    `${shown} has changed since it was read.`,
    `${shown} は読み込み後に変更されています。`,
    text('Read it again, then repeat the change.', '読み直してから変更をやり直してください。'),
  );
}
