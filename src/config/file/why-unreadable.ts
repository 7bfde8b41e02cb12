import { readFileSync } from 'node:fs';
import { ConfigError } from '../../contract/error.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { errnoCode } from '../../ground/errors/errno-code.ts';

/** The reason why a named file or folder cannot be read, as the end of a sentence. */
export function whyUnreadable(error: unknown): Text {
  const code = errnoCode(error);
  const known = reasons[code as keyof typeof reasons];
  return (
    known ?? text(`the system says ${code ?? 'no reason'}`, `システムのエラー ${code ?? '（理由不明）'}`)
  );
}

/** The text of a file that a setting or an option names. Throws `ConfigError`. */
export function readNamed(path: string, named: Text = text(`The file ${path}`, `ファイル ${path}`)): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const why = whyUnreadable(cause);
    throw new ConfigError(
      `${named.en} cannot be read: ${why.en}.`,
      `${named.ja} を読み込めません: ${why.ja}。`,
      { cause },
    );
  }
}

const notAllowed = text('this user may not read it', 'このユーザーに読み取り権限がありません');

const reasons = {
  ENOENT: text('it does not exist', '存在しません'),
  ENOTDIR: text(
    'part of its path is a file, not a folder',
    'パスの途中にあるのはフォルダーではなくファイルです',
  ),
  EISDIR: text('it is a folder', 'フォルダーです'),
  EACCES: notAllowed,
  EPERM: notAllowed,
  ELOOP: text('its symbolic links form a loop', 'シンボリックリンクが循環しています'),
  ENAMETOOLONG: text('its name is too long', '名前が長すぎます'),
} as const;
