import { RE2JS } from 're2js';
import { type NameListQuery, stageError } from '../../contract/capabilities/pipeline.ts';
import type { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { expandBraces } from '../../ground/glob/braces.ts';
import { asciiClasses, compileGlob } from '../../ground/glob/match.ts';
import { orElse } from '../../ground/or-else.ts';
import { isFolderAt } from '../operands.ts';
import type { Builtin } from '../ports.ts';
import { byCodePoint } from './glob.ts';
import { createGiveWay, type NameListing, type Walked, walkNames } from './walk-names.ts';

/** `fd`: files, folders and links below a folder except ignored ones, sorted. Follows no links. */
export function findNames(query: NameListQuery, listing: NameListing): Builtin {
  return async ({ write, signal }) => {
    const wanted = createTest(query);
    const starts = query.below.length > 0 ? query.below : [''];
    const found = new Map<string, Walked>();
    for (const start of starts) {
      if (!isFolderAt(start === '' ? '.' : start, 'fd', listing)) throw notAFolder(start);
      for await (const entry of walkNames(start, query, listing, signal)) {
        const isDeep = entry.depth >= query.minDepth;
        if (isDeep && wanted(entry.inside, entry.name)) found.set(entry.shown, entry);
      }
    }
    let printed = 0;
    const giveWay = createGiveWay();
    for (const name of [...found.keys()].sort(byCodePoint)) {
      if (printed >= query.maxResults) break;
      await giveWay();
      signal.throwIfAborted();
      const entry = found.get(name) as Walked;
      if (!isOfKind(entry, query) || !isOfSizeAndTime(entry, query)) continue;
      printed++;
      if (!(await write(`${name}${query.separator}`))) break;
    }
    return { exitCode: 0 };
  };
}

const mostAlternatives = 200;

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
    const globs = expandBraces(fold(query.pattern), { sets: true, alone: true })
      .take(mostAlternatives)
      .map((glob) => compileGlob(glob, { classes: asciiClasses }))
      .toArray();
    return (path, name) => {
      const folded = fold(subject(path, name));
      return hasExtension(name) && globs.some((matches) => matches(folded));
    };
  }
  if (query.fixed) {
    const needle = fold(query.pattern);
    return (path, name) => hasExtension(name) && fold(subject(path, name)).includes(needle);
  }
  const regex = compileRegex(query.pattern, ignoresCase);
  return (path, name) => hasExtension(name) && regex.matcher(subject(path, name)).find();
}

function compileRegex(pattern: string, ignoresCase: boolean): RE2JS {
  try {
    return RE2JS.compile(pattern, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch {
    // Its own words would be those of another engine.
    throw stageError(
      text(`fd: ${pattern} is not a regular expression.`, `fd: ${pattern} は正規表現ではありません。`),
      text(
        'For a glob use fd -g, for plain text fd -F.',
        'ワイルドカードなら fd -g、文字列なら fd -F を使ってください。',
      ),
    );
  }
}

function isOfKind({ kind, place }: Walked, { kinds }: NameListQuery): boolean {
  if (kinds.length === 0) return true;
  return kinds.some((wanted) => {
    if (wanted === 'file' || wanted === 'folder' || wanted === 'symlink') return kind === wanted;
    return orElse(() => {
      if (wanted === 'empty' && kind === 'folder') return place.entries().length === 0;
      if (kind !== 'file') return false;
      const { mode, bytes } = place.stat();
      return wanted === 'executable' ? (mode & 0o111) !== 0 : bytes === 0;
    }, false);
  });
}

function isOfSizeAndTime({ kind, place }: Walked, query: NameListQuery): boolean {
  const { leastBytes, mostBytes, changedAfterMs, changedBeforeMs } = query;
  const asks = (...bounds: readonly (number | undefined)[]) => bounds.some((bound) => bound !== undefined);
  if (!asks(leastBytes, mostBytes, changedAfterMs, changedBeforeMs)) return true;
  // As in fd, only files have a size.
  if (asks(leastBytes, mostBytes) && kind !== 'file') return false;
  return orElse(() => {
    const { bytes, modifiedMs } = place.stat();
    return (
      bytes >= (leastBytes ?? 0) &&
      bytes <= (mostBytes ?? Number.POSITIVE_INFINITY) &&
      modifiedMs >= (changedAfterMs ?? Number.NEGATIVE_INFINITY) &&
      modifiedMs <= (changedBeforeMs ?? Number.POSITIVE_INFINITY)
    );
  }, false);
}

function notAFolder(path: string): ToolError {
  return stageError(
    text(`fd: ${path} is not a folder.`, `fd: ${path} はフォルダーではありません。`),
    text('Name a folder, or leave it out.', 'フォルダーを指定するか、省略してください。'),
  );
}
