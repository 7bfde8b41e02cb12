import { join } from 'node:path';
import type { ContentLine, ContentMatches, ContentQuery } from '../contract/capabilities/files.ts';
import { ToolError } from '../contract/error.ts';
import { encodingOfFile } from '../files/text/encoding.ts';
import { assertSearchable, searchFault } from './faults.ts';
import { atOnce, type Gathered, type GatheredSearches } from './gathered.ts';
import { createGlob } from './glob.ts';
import { createLineReader, pathOf } from './line-reader.ts';
import { listNames, whichFiles } from './names.ts';
import type { Ripgrep } from './ripgrep.ts';
import { comparePaths, createSmallest } from './smallest.ts';

/** Finds lines, files or counts by content, always in one order. The pages that follow are gathered at once. */
export async function searchContent(
  ripgrep: Ripgrep,
  query: ContentQuery,
  searches: GatheredSearches,
): Promise<ContentMatches> {
  assertSearchable(query);
  const filter = createFileFilter(query.glob);
  const isFile = query.below.stat().kind === 'file';
  // A named file is searched as text to its end, whatever its content; so is each file that is only named or counted.
  const asText = isFile || query.output !== 'content';
  const whole: Asked = { ...query, more: [asText ? '--text' : '--binary'] };
  const plain = await lookFor(ripgrep, whole, filter, searches);
  const first = plain.page(query);
  // Words beyond ASCII have other bytes in each encoding, and lines in other encodings are not legible.
  const isPlain = !/[^\t-~]/.test(query.pattern) && !first.lines.some(({ text }) => text.includes('\ufffd'));
  if (first.seen > 0 && isPlain) return first;
  const odd = await oddFiles(ripgrep, query, filter);
  const { byEncoding, unread } = await sortByEncoding(odd, query);
  const others: Found[] = [];
  for (const [encoding, paths] of byEncoding) {
    const only = isFile ? [] : paths.map((path) => `--glob=/${path.replace(/[\\*?[\]{}!]/g, '\\$&')}`);
    const more = ['--text', `--encoding=${encoding}`, ...only];
    others.push(await lookFor(ripgrep, { ...query, more }, filter, searches));
  }
  const found =
    others.length === 0 ? first : plain.with(others, new Set([...byEncoding.values()].flat())).page(query);
  if (found.seen > 0) return found;
  // After no match, the caller needs to know whether any file was searched.
  const searched = await countFiles(ripgrep, query, filter);
  if (isFile && isPlain) return { ...found, searched };
  return { ...found, searched: searched - unread.length, ...(unread.length > 0 && { unread }) };
}

/** The result of one search; a reply shows a page of it. */
interface Found {
  readonly gathered: Gathered<ContentLine> | Gathered<FoundFile>;
  /** Merges the results in one order; drops its own lines of those files, which it read in the wrong encoding. */
  with(others: readonly Found[], files: ReadonlySet<string>): Found;
  page(query: ContentQuery): ContentMatches;
}

async function lookFor(
  ripgrep: Ripgrep,
  asked: Asked,
  filter: FileFilter,
  searches: GatheredSearches,
): Promise<Found> {
  return asked.output === 'content'
    ? foundOf(
        await gather(ripgrep, asked, filter, searches, gatherLines),
        pageOfLines,
        (a, b) => a.line - b.line,
      )
    : foundOf(await gather(ripgrep, asked, filter, searches, gatherFiles), pageOfFiles, () => 0);
}

function foundOf<T extends ContentLine | FoundFile>(
  gathered: Gathered<T>,
  pageOf: (gathered: Gathered<T>, query: ContentQuery) => ContentMatches,
  within: (a: T, b: T) => number,
): Found {
  return {
    gathered,
    with(others, files) {
      const all = others.map((other) => other.gathered as Gathered<T>);
      const items = [
        ...gathered.items.filter(({ path }) => !files.has(path)),
        ...all.flatMap((each) => each.items),
      ];
      const reach = Math.min(gathered.reach, ...all.map((each) => each.reach));
      return foundOf(
        {
          items: items.toSorted((a, b) => comparePaths(a.path, b.path) || within(a, b)),
          reach,
          binary: gathered.binary?.filter((path) => !files.has(path)) ?? [],
        },
        pageOf,
        within,
      );
    },
    page: (query) => pageOf(gathered, query),
  };
}

/** Groups these files by encoding; files that seem not to be text are listed apart. */
async function sortByEncoding(odd: readonly string[], { below }: ContentQuery) {
  const byEncoding = new Map<string, string[]>();
  const unread: string[] = [];
  for (const [index, path] of odd.entries()) {
    const hostPath = path === '.' ? below.hostPath : join(below.hostPath, path);
    const found = index < maxOdd ? await encodingOfFile(hostPath, latin1) : undefined;
    // ripgrep recognizes UTF-16 by its byte order mark.
    if (found?.encoding.startsWith('utf-')) continue;
    // Any bytes are valid Latin-1, so that proves nothing.
    if (!found || found.encoding === latin1) unread.push(path);
    if (found) byEncoding.set(found.encoding, [...(byEncoding.get(found.encoding) ?? []), path]);
  }
  return { byEncoding, unread };
}

/** A query with extra options for ripgrep. */
type Asked = ContentQuery & { readonly more: readonly string[] };

const maxOdd = 500;
const latin1 = 'windows-1252';

/** Finds files with a NUL, which stops a folder's search, or invalid UTF-8, in which no word beyond ASCII matches. */
async function oddFiles(
  ripgrep: Ripgrep,
  query: ContentQuery,
  filter: FileFilter,
): Promise<readonly string[]> {
  const asked: Asked = {
    ...query,
    pattern: notUtf8,
    ignoreCase: false,
    fixed: false,
    multiline: false,
    output: 'files',
    offset: 0,
    limit: 10_000,
    more: ['--text'],
  };
  return (await gatherFiles(ripgrep, asked, filter, asked.limit)).items.map(({ path }) => path);
}

const notUtf8 =
  '(?-u:\\x00|(?:^|[\\x00-\\x7f])[\\x80-\\xbf]|[\\xc0\\xc1\\xf5-\\xff]|[\\xc2-\\xf4](?:$|[^\\x80-\\xbf])|[\\xe0-\\xf4][\\x80-\\xbf](?:$|[^\\x80-\\xbf])|[\\xc2-\\xdf][\\x80-\\xbf][\\x80-\\xbf])';

/** Returns the gathered result of an earlier page if it covers this one; otherwise searches now. */
async function gather<T extends ContentLine | FoundFile>(
  ripgrep: Ripgrep,
  query: Asked,
  filter: FileFilter,
  searches: GatheredSearches,
  look: (ripgrep: Ripgrep, query: Asked, filter: FileFilter, wanted: number) => Promise<Gathered<T>>,
): Promise<Gathered<T>> {
  const { below, skip: _skip, signal: _signal, offset = 0, limit, continues, ...asked } = query;
  const key = JSON.stringify([below.hostPath, asked]);
  // One more than the page, to know whether there is a next one.
  const wanted = offset + limit + 1;
  const earlier = continues ? searches.find<Gathered<T>>(key) : undefined;
  if (earlier && earlier.reach >= wanted) return earlier;
  const gathered = await look(ripgrep, query, filter, wanted);
  if (gathered.items.length >= wanted) searches.keep(key, gathered, bytesOf(gathered.items));
  return gathered;
}

/** The approximate memory of the items. */
function bytesOf(items: readonly (ContentLine | FoundFile)[]): number {
  let bytes = 0;
  for (const item of items) bytes += 160 + 2 * ('text' in item ? item.text.length : item.path.length);
  return bytes;
}

async function countFiles(ripgrep: Ripgrep, query: ContentQuery, filter: FileFilter): Promise<number> {
  if (query.below.stat().kind === 'file') return 1;
  let count = 0;
  await listNames(ripgrep, query, filter.args, (path) => {
    if (filter.passes(path) && !query.skip?.(path)) count++;
  });
  return count;
}

async function gatherLines(
  ripgrep: Ripgrep,
  query: Asked,
  filter: FileFilter,
  wanted: number,
): Promise<Gathered<ContentLine>> {
  const around = query.context ?? 0;
  // Each match may bring its neighbours, so many more lines are kept.
  const withNeighbours = 1 + 2 * around;
  const matches = atOnce(wanted, withNeighbours);
  const most = matches * withNeighbours;
  // A second page is rarely read. If there are far more matches than can be gathered, a first page gathers only itself.
  const { least, perFile } = query.continues
    ? { least: most, perFile: matches }
    : { least: wanted * withNeighbours, perFile: Math.max(wanted, 250) };
  const kept = createSmallest<ContentLine>(
    most,
    (a, b) => comparePaths(a.path, b.path) || a.line - b.line,
    least,
  );
  const binary: string[] = [];
  const passes = (path: string) => filter.passes(path) && !query.skip?.(path);
  const reader = createLineReader({
    wants(path) {
      const bar = kept.bar();
      return !(bar && comparePaths(path, bar.path) > 0) && passes(path);
    },
    onBinary(path) {
      if (passes(path) && binary.length < maxOdd) binary.push(path);
    },
    onLine(path, words) {
      const parsed = /^(\d+)(?::(\d+):|-)/.exec(words.toString('latin1', 0, 40));
      if (!parsed) return;
      const isMatch = parsed[2] !== undefined;
      const text = clipLine(words.subarray(parsed[0].length), isMatch ? Number(parsed[2]) - 1 : 0);
      kept.add({ path, line: Number(parsed[1]), text, isMatch });
    },
  });
  await run(ripgrep, query, filter, reader.take, [
    '--line-number',
    '--column',
    '--no-heading',
    '--with-filename',
    '--null',
    '--no-context-separator',
    `--max-count=${perFile}`,
    ...(around > 0 ? [`--context=${around}`] : []),
  ]);
  const items = kept.take();
  const known = kept.leftOut() ? Math.floor(items.length / withNeighbours) : Number.POSITIVE_INFINITY;
  return { items, reach: Math.min(known, matchesUntilCut(items, perFile)), binary: binary.sort() };
}

/** Counts matches up to the first file whose matches were cut; Infinity if none was cut. */
function matchesUntilCut(lines: readonly ContentLine[], perFile: number): number {
  let matches = 0;
  let ofFile = 0;
  let path: string | undefined;
  for (const line of lines) {
    if (line.path !== path) ofFile = 0;
    path = line.path;
    if (!line.isMatch) continue;
    matches++;
    if (++ofFile === perFile) return matches;
  }
  return Number.POSITIVE_INFINITY;
}

/** Returns the matches from `offset` on, each with the lines around it. */
function pageOfLines(
  { items: found, binary = [] }: Gathered<ContentLine>,
  { offset = 0, limit, context: around = 0 }: ContentQuery,
): ContentMatches {
  const chosen = new Set<ContentLine>();
  let seen = 0;
  let more = false;
  let first = found.length;
  let last = 0;
  for (const [index, line] of found.entries()) {
    if (!line.isMatch) continue;
    if (seen === offset + limit) {
      more = true;
      break;
    }
    if (seen++ < offset) continue;
    first = Math.min(first, index);
    last = index;
    for (let near = Math.max(0, index - around); near <= index + around; near++) {
      const other = found[near];
      if (!other || other.path !== line.path || Math.abs(other.line - line.line) > around) continue;
      if (other === line || !other.isMatch) chosen.add(other);
    }
  }
  return {
    // Look only at this page's part of the thousands of gathered lines.
    lines: found.slice(Math.max(0, first - around), last + around + 1).filter((line) => chosen.has(line)),
    files: [],
    seen,
    more,
    ...(seen > 0 && binary.length > 0 && { unread: binary }),
  };
}

interface FoundFile {
  readonly path: string;
  readonly count?: number;
}

async function gatherFiles(
  ripgrep: Ripgrep,
  query: Asked,
  filter: FileFilter,
  wanted: number,
): Promise<Gathered<FoundFile>> {
  const counts = query.output === 'count';
  const most = atOnce(wanted);
  const kept = createSmallest<FoundFile>(
    most,
    (a, b) => comparePaths(a.path, b.path),
    query.continues ? most : wanted,
  );
  // Names end with NUL; a count follows up to the end of the line.
  let rest: Buffer = Buffer.alloc(0);
  const take = (chunk: Buffer): void => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (;;) {
      const end = rest.indexOf(0, from);
      const next = counts && end !== -1 ? rest.indexOf(0x0a, end) + 1 : end + 1;
      if (end === -1 || next === 0) break;
      const path = pathOf(rest.subarray(from, end));
      if (filter.passes(path) && !query.skip?.(path)) {
        kept.add(counts ? { path, count: Number(rest.toString('latin1', end + 1, next - 1)) } : { path });
      }
      from = next;
    }
    rest = rest.subarray(from);
  };
  await run(ripgrep, query, filter, take, [
    counts ? '--count' : '--files-with-matches',
    '--with-filename',
    '--null',
  ]);
  const items = kept.take();
  return { items, reach: kept.leftOut() ? items.length : Number.POSITIVE_INFINITY };
}

function pageOfFiles({ items }: Gathered<FoundFile>, { offset = 0, limit }: ContentQuery): ContentMatches {
  const end = offset + limit;
  return {
    lines: [],
    files: items.slice(offset, end),
    seen: Math.min(items.length, end),
    more: items.length > end,
  };
}

async function run(
  ripgrep: Ripgrep,
  query: Asked,
  filter: FileFilter,
  onOutput: (chunk: Buffer) => void,
  args: readonly string[],
): Promise<void> {
  const { code, complaint } = await ripgrep.run({
    below: query.below,
    signal: query.signal,
    onOutput,
    args: [
      ...args,
      ...filter.args,
      ...whichFiles(query.includeIgnored),
      '--glob=!.sekisho-*.tmp',
      ...(query.ignoreCase ? ['--ignore-case'] : []),
      ...(query.fixed ? ['--fixed-strings'] : []),
      ...(query.multiline ? ['--multiline'] : []),
      ...query.more,
      `--regexp=${query.pattern}`,
    ],
  });
  // Exit code 2 also stands for an unreadable file; only a complaint about the query is the caller's fault.
  if (code !== 0 && code !== 1) {
    const fault = searchFault(complaint);
    if (fault instanceof ToolError) throw fault;
  }
}

/** Selects the files of a content search by the caller's glob. */
interface FileFilter {
  /** Arguments for ripgrep: they exclude no file that passes, and most of the others. */
  readonly args: readonly string[];
  /** The final decision for a path below the searched folder. */
  passes(path: string): boolean;
}

/**
 * A pattern without `/` is a name at any depth; `!` in front excludes files. In ripgrep a glob overrides ignore files,
 * so `**` would search ignored files: ripgrep therefore gets the last name as a type, which can only narrow the search,
 * and the path is matched here. Throws `invalid_parameter`.
 */
function createFileFilter(glob: string | undefined): FileFilter {
  if (glob === undefined) return { args: [], passes: () => true };
  if (glob.startsWith('!')) {
    createGlob(withoutLead(glob.slice(1)), 'glob');
    return { args: [`--glob=${glob}`], passes: () => true };
  }
  const written = withoutLead(glob);
  const matches = createGlob(written.includes('/') ? written : `**/${written}`, 'glob');
  const name = written.slice(written.lastIndexOf('/') + 1);
  return {
    args: understoodAlike.test(name) ? [`--type-add=wanted:${name}`, '--type=wanted'] : [],
    // `.` is a file that was itself named as the search path: the glob does not filter it.
    passes: (path) => path === '.' || matches(path),
  };
}

/** ripgrep reads stars, dots and one level of braces the same way; a brace with a `/` in it does not get here whole. */
const understoodAlike = /^(?=.*[^*])(?:[\w.*?-]|\{[\w.*?,-]*\})+$/;

function withoutLead(glob: string): string {
  return glob.startsWith('/') && glob.length > 1 ? glob.slice(1) : glob;
}

/** A line longer than this is cut around its match. */
const maxLineChars = 500;

/** Cuts a line for a reply. `matchAt` is the byte at which the match begins. */
function clipLine(line: Buffer, matchAt: number): string {
  if (line.length <= maxLineChars) return withoutReturn(line.toString('utf8'));
  // Enough bytes on either side for the wanted characters, cut at character boundaries.
  const at = Math.min(matchAt, line.length);
  const from = at <= maxLineChars / 2 ? 0 : boundary(line, at - maxLineChars);
  const until = boundary(line, at + maxLineChars * 4);
  const before = line.toString('utf8', from, at);
  const after = withoutReturn(line.toString('utf8', at, until));
  const lead = from === 0 ? before : tailOf(before, maxLineChars / 4);
  const rest = headOf(after, maxLineChars - lead.length);
  const cutsStart = from > 0 || lead.length < before.length;
  const cutsEnd = until < line.length || rest.length < after.length;
  return `${cutsStart ? '…' : ''}${lead}${rest}${cutsEnd ? '…' : ''}`;
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

/** The first byte at or after `at` that begins a character. */
function boundary(line: Buffer, at: number): number {
  let index = Math.max(0, at);
  while (index < line.length && ((line[index] ?? 0) & 0xc0) === 0x80) index++;
  return index;
}

function headOf(text: string, chars: number): string {
  const cut = text.slice(0, chars);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

function tailOf(text: string, chars: number): string {
  const cut = text.slice(-chars);
  return /^[\udc00-\udfff]/.test(cut) ? cut.slice(1) : cut;
}
