import { Buffer } from 'node:buffer';
import { RE2JS } from 're2js';
import { ToolError } from '../../contract/error.ts';
import type { Folder } from '../../contract/files.ts';
import type { NameListQuery } from '../../contract/pipeline.ts';
import { text } from '../../contract/text.ts';
import { createBreath } from './breath.ts';
import type { Builtin } from './builtin.ts';
import { byCodePoint, matchesName } from './glob.ts';
import { isFolderAt } from './operands.ts';

export interface NameListing {
  readonly folder: Folder;
  readonly cwd: string;
  /** Files below a folder as ripgrep lists them, relative to the working folder. */
  list(args: readonly string[], below: string): AsyncIterable<Buffer>;
}

/** `fd`, served by ripgrep's listing: what it ignores is ignored, folders are those that hold a listed file. */
export function findNames(query: NameListQuery, listing: NameListing): Builtin {
  return async ({ write, signal }) => {
    const wanted = createTest(query);
    const starts = query.below.length > 0 ? query.below : [''];
    const found = new Set<string>();
    for (const start of starts) {
      if (!isFolderAt(start === '' ? '.' : start, 'fd', listing)) throw notAFolder(start);
      const args = [
        '--files',
        '--no-config',
        ...(query.hidden ? ['--hidden'] : []),
        ...(query.noIgnore ? ['--no-ignore'] : []),
        ...query.exclude.flatMap((glob) => ['-g', `!${glob}`]),
        '--null',
      ];
      let rest = '';
      for await (const chunk of listing.list(args, start)) {
        signal.throwIfAborted();
        const names = (rest + chunk.toString('latin1')).split('\0');
        rest = names.pop() ?? '';
        for (const bytes of names)
          takeName(Buffer.from(bytes, 'latin1').toString('utf8'), start, query, wanted, found);
      }
    }
    const names = [...found].sort(byCodePoint);
    let printed = 0;
    const breathe = createBreath();
    for (const name of names) {
      if (printed >= query.maxResults) break;
      await breathe();
      signal.throwIfAborted();
      if (!isOfKind(name, query, listing) || !isOfSizeAndTime(name, query, listing)) continue;
      printed++;
      if (!(await write(`${name}${query.separator}`))) break;
    }
    return { exitCode: 0 };
  };
}

function takeName(
  path: string,
  start: string,
  query: NameListQuery,
  wanted: (path: string, name: string) => boolean,
  found: Set<string>,
): void {
  const prefix =
    start === '' || start === '.' ? (start === '.' ? './' : '') : start.endsWith('/') ? start : `${start}/`;
  const inside = path.startsWith(prefix) ? path.slice(prefix.length) : path;
  const components = inside.split('/');
  const wantsFolders =
    query.kinds.length === 0 || query.kinds.includes('folder') || query.kinds.includes('empty');
  const wantsFiles = query.kinds.length === 0 || query.kinds.some((kind) => kind !== 'folder');
  for (let depth = wantsFolders ? 1 : components.length; depth <= components.length; depth++) {
    const isFile = depth === components.length;
    if ((isFile && !wantsFiles) || depth < query.minDepth || depth > query.maxDepth) continue;
    const name = components[depth - 1] ?? '';
    const shown = `${prefix}${components.slice(0, depth).join('/')}${isFile ? '' : '/'}`;
    if (!found.has(shown) && wanted(components.slice(0, depth).join('/'), name)) found.add(shown);
  }
}

function createTest(query: NameListQuery): (path: string, name: string) => boolean {
  const subject = (path: string, name: string) => (query.fullPath ? path : name);
  const ignoresCase =
    query.ignoreCase === 'smart' ? query.pattern === query.pattern.toLowerCase() : query.ignoreCase;
  const fold = (value: string) => (ignoresCase ? value.toLowerCase() : value);
  const extensions = query.extensions.map((extension) => `.${extension.toLowerCase()}`);
  const hasExtension = (name: string) =>
    extensions.length === 0 || extensions.some((extension) => name.toLowerCase().endsWith(extension));
  if (query.pattern === '') return (_path, name) => hasExtension(name);
  if (query.glob) {
    const pattern = fold(query.pattern);
    return (path, name) => hasExtension(name) && matchesGlobPath(pattern, fold(subject(path, name)));
  }
  if (query.fixed) {
    const needle = fold(query.pattern);
    return (path, name) => hasExtension(name) && fold(subject(path, name)).includes(needle);
  }
  const regex = compileRegex(query.pattern, ignoresCase);
  return (path, name) => hasExtension(name) && regex.matcher(subject(path, name)).find();
}

/** Braces and `**` as fd's globs have them. */
function matchesGlobPath(pattern: string, subject: string): boolean {
  const group = /^(.*?)\{([^{}]*)\}(.*)$/s.exec(pattern);
  if (group && pattern.split('{').length < 6) {
    return (group[2] ?? '')
      .split(',')
      .some((choice) => matchesGlobPath(`${group[1]}${choice}${group[3]}`, subject));
  }
  const simple = pattern
    .replace(/^\*\*\//, '*')
    .replaceAll('/**/', '/*')
    .replaceAll('**', '*');
  return (
    matchesName(simple, subject) || (pattern.startsWith('**/') && matchesName(pattern.slice(3), subject))
  );
}

function compileRegex(pattern: string, ignoresCase: boolean): RE2JS {
  try {
    return RE2JS.compile(pattern, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (cause) {
    const detail = `fd: ${pattern} is not a regular expression.`;
    const suggestion = 'For a glob use fd -g, for plain text fd -F.';
    throw new ToolError('STAGE_FAILED', text(detail, `fd: ${pattern} は正規表現ではありません。`), {
      suggestion: text(suggestion, 'ワイルドカードなら fd -g、文字列なら fd -F を使ってください。'),
      wire: { code: 'STAGE_FAILED', reason: 'STAGE_FAILED', detail, suggestion },
      cause,
    });
  }
}

function isOfKind(name: string, { kinds }: NameListQuery, { folder, cwd }: NameListing): boolean {
  if (kinds.length === 0) return true;
  const isFolder = name.endsWith('/');
  return kinds.some((kind) => {
    if (kind === 'folder') return isFolder;
    if (kind === 'file') return !isFolder;
    if (kind === 'symlink') return false;
    try {
      const stat = folder.at(name, { base: cwd }).stat();
      return kind === 'executable' ? !isFolder && (stat.mode & 0o111) !== 0 : !isFolder && stat.bytes === 0;
    } catch {
      return false;
    }
  });
}

function isOfSizeAndTime(name: string, query: NameListQuery, { folder, cwd }: NameListing): boolean {
  const { leastBytes, mostBytes, changedAfterMs, changedBeforeMs } = query;
  const asks = (...bounds: readonly (number | undefined)[]) => bounds.some((bound) => bound !== undefined);
  if (!asks(leastBytes, mostBytes, changedAfterMs, changedBeforeMs)) return true;
  // As fd has it: a folder has no size.
  if (asks(leastBytes, mostBytes) && name.endsWith('/')) return false;
  try {
    const { bytes, modifiedMs } = folder.at(name, { base: cwd }).stat();
    return (
      bytes >= (leastBytes ?? 0) &&
      bytes <= (mostBytes ?? Number.POSITIVE_INFINITY) &&
      modifiedMs >= (changedAfterMs ?? Number.NEGATIVE_INFINITY) &&
      modifiedMs <= (changedBeforeMs ?? Number.POSITIVE_INFINITY)
    );
  } catch {
    return false;
  }
}

function notAFolder(path: string): ToolError {
  const detail = `fd: ${path} is not a folder.`;
  return new ToolError('STAGE_FAILED', text(detail, `fd: ${path} はフォルダーではありません。`), {
    suggestion: text('Name a folder, or leave it out.', 'フォルダーを指定するか、省略してください。'),
    wire: {
      code: 'STAGE_FAILED',
      reason: 'STAGE_FAILED',
      detail,
      suggestion: 'Name a folder, or leave it out.',
    },
  });
}
