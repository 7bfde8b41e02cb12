import type { Place } from '../../contract/capabilities/files.ts';
import type { Vault } from '../../contract/capabilities/vault.ts';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';

/** The place of a note. Throws `invalid_path` for an invalid path. */
export function noteAt(vault: Vault, path: string): Place {
  assertNotePath(path);
  return vault.folder.at(path);
}

/** The place of a folder; the whole vault if none is named. */
export function folderAt(vault: Vault, path: string | null | undefined): Place {
  return path == null || path === '' || path === '.' ? vault.folder.at('.') : noteAt(vault, path);
}

/** Work on an existing note: a folder of that name is `not_found`, like a missing note. */
export async function onNote<T>(place: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'unsupported_type') throw error;
    throw new ToolError(
      'not_found',
      `${place.shown} is not a note.`,
      `${place.shown} はノートではありません。`,
      {
        suggestion: text(
          'Give the path of a file, e.g. "ideas/house.md".',
          'ファイルのパスを指定してください。例: "ideas/house.md"',
        ),
        cause: error,
      },
    );
  }
}

/** Throws `forbidden` for `.system/`, and in `daily/` for any but a day's note. */
export function assertMayCreate(path: string): void {
  assertOutsideSystem(path);
  if (isBelow(path, 'daily') && !isDailyNote(path))
    throw new ToolError(
      'forbidden',
      `${path} cannot be created: daily/ contains only daily/YYYY-MM-DD.md with a real date.`,
      `${path} は作成できません。daily/ には実在する日付の daily/YYYY-MM-DD.md だけを置けます。`,
      text(
        'Name it by its day, e.g. "daily/2026-02-11.md", or create it outside daily/.',
        '"daily/2026-02-11.md" のように日付を名前にするか、daily/ の外に作成してください。',
      ),
    );
}

/** Throws `forbidden` for `.system/` and `daily/`. */
export function assertMayReplace(path: string, extras: boolean): void {
  assertOutsideSystem(path);
  if (!isBelow(path, 'daily')) return;
  throw new ToolError(
    'forbidden',
    `${path} cannot be changed: daily notes are not rewritten.`,
    `${path} は変更できません。daily/ のノートは書き換えません。`,
    extras
      ? { suggestion: text('Add to it with vault_append.', 'vault_append で追記してください。') }
      : {
          suggestion: text('Write to a note outside daily/.', 'daily/ の外のノートに書いてください。'),
        },
  );
}

/** Throws `invalid_parameter` for text that could not be read back unchanged: a NUL, half a surrogate pair. */
export function assertText(field: string, content: string): void {
  if (content.isWellFormed() && !content.includes('\0')) return;
  throw new ToolError(
    'invalid_parameter',
    `${field} is not text: it contains a NUL or half of a surrogate pair.`,
    `${field} はテキストではありません。NUL またはサロゲートペアの片方だけを含んでいます。`,
    { details: { field } },
  );
}

/** Whether it is exactly `daily/YYYY-MM-DD.md` with a valid date. */
function isDailyNote(path: string): boolean {
  const [, year, month, day] = /^daily\/(\d{4})-(\d{2})-(\d{2})\.md$/.exec(path) ?? [];
  if (year === undefined) return false;
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  // The 30th of February would come back as a day in March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(`${year}-${month}-${day}`);
}

function assertOutsideSystem(path: string): void {
  if (!isBelow(path, '.system')) return;
  throw new ToolError(
    'forbidden',
    `${path} cannot be written: .system/ belongs to the vault.`,
    `${path} には書き込めません。.system/ は保管庫が使います。`,
    text('Choose another folder.', '別のフォルダーを選んでください。'),
  );
}

/** The name itself counts too: a file called `daily` would leave no room for the folder. */
export function isBelow(path: string, folder: string): boolean {
  return fold(path.split('/')[0] ?? '') === folder;
}

/** One form for names that a file system or a reader may confuse: case, composition, width, invisible characters. */
function fold(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC')
    .replace(/[. ]+$/, '');
}

/** Whether a caller could request it: file names may contain more than note paths may. */
export function canBeNamed(path: string): boolean {
  return problemOf(path) === undefined;
}

function assertNotePath(path: string): void {
  const problem = problemOf(path);
  if (problem)
    throw new ToolError(
      'invalid_path',
      problem,
      text(
        'Give a path relative to the vault, e.g. "ideas/house.md".',
        '保管庫からの相対パスを指定してください。例: "ideas/house.md"',
      ),
    );
}

function problemOf(path: string) {
  if (path.trim() === '') return text('The path is empty.', 'パスが空です。');
  if (path.includes('\0'))
    return text('The path contains a NUL character.', 'パスに NUL 文字が含まれています。');
  if (/^[/\\]|^[A-Za-z]:/.test(path)) return text('The path is absolute.', 'パスが絶対パスです。');
  if (path.includes('\\'))
    return text(
      'The path contains a backslash; folders are separated by /.',
      'パスに \\ が含まれています。区切りは / です。',
    );
  const names = path.split('/');
  if (names.includes('..')) return text('The path contains "..".', 'パスに ".." が含まれています。');
  if (names.some((name) => name !== '' && name.trim() === ''))
    return text('A name in the path is only spaces.', 'パスに空白だけの名前があります。');
  return undefined;
}

export function badCursor(): ToolError {
  return new ToolError(
    'invalid_parameter',
    'cursor did not come from this tool.',
    'cursor がこのツールの返したものではありません。',
    text(
      'Pass next_cursor of the page before, or none to start over.',
      '前のページの next_cursor を渡すか、省略して最初から始めてください。',
    ),
    { field: 'cursor' },
  );
}
