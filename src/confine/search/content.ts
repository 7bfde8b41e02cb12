import type { ContentLine, ContentMatches, ContentQuery } from '../../contract/capabilities/files.ts';
import { ToolError } from '../../contract/error.ts';
import { clipLine } from './clip.ts';
import { assertSearchable, searchFault } from './faults.ts';
import { createFileFilter, type FileFilter } from './file-filter.ts';
import { createLineReader, pathOf } from './line-reader.ts';
import { listNames, whichFiles } from './names.ts';
import type { Ripgrep } from './ripgrep.ts';
import { comparePaths, createSmallest } from './smallest.ts';

/** Finds lines, files or counts by content. ripgrep answers in any order; the reply is always in one. */
export async function searchContent(ripgrep: Ripgrep, query: ContentQuery): Promise<ContentMatches> {
  assertSearchable(query);
  const filter = createFileFilter(query.glob);
  const search = query.output === 'content' ? searchLines : searchFiles;
  const found = await search(ripgrep, query, filter);
  // Whether there was anything to search is what somebody asks who finds nothing.
  return found.seen === 0 ? { ...found, searched: await countFiles(ripgrep, query, filter) } : found;
}

async function countFiles(ripgrep: Ripgrep, query: ContentQuery, filter: FileFilter): Promise<number> {
  if (query.below.stat().kind === 'file') return 1;
  let count = 0;
  await listNames(ripgrep, query, filter.args, (path) => {
    if (filter.passes(path) && !query.skip?.(path)) count++;
  });
  return count;
}

async function searchLines(
  ripgrep: Ripgrep,
  query: ContentQuery,
  filter: FileFilter,
): Promise<ContentMatches> {
  const offset = query.offset ?? 0;
  const wanted = offset + query.limit + 1;
  const around = query.context ?? 0;
  // Each match may bring its neighbours along, so that many more lines are kept.
  const kept = createSmallest<ContentLine>(
    wanted * (1 + 2 * around),
    (a, b) => comparePaths(a.path, b.path) || a.line - b.line,
  );
  const reader = createLineReader({
    wants(path) {
      const bar = kept.bar();
      return !(bar && comparePaths(path, bar.path) > 0) && filter.passes(path) && !query.skip?.(path);
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
    `--max-count=${wanted}`,
    ...(around > 0 ? [`--context=${around}`] : []),
  ]);
  return page(kept.take(), offset, query.limit, around);
}

/** The matches from `offset` on, each with the lines around it. */
function page(found: readonly ContentLine[], offset: number, limit: number, around: number): ContentMatches {
  const chosen = new Set<ContentLine>();
  let seen = 0;
  let more = false;
  for (const [index, line] of found.entries()) {
    if (!line.isMatch) continue;
    if (seen === offset + limit) {
      more = true;
      break;
    }
    if (seen++ < offset) continue;
    for (let near = Math.max(0, index - around); near <= index + around; near++) {
      const other = found[near];
      if (!other || other.path !== line.path || Math.abs(other.line - line.line) > around) continue;
      if (other === line || !other.isMatch) chosen.add(other);
    }
  }
  return {
    lines: found.filter((line) => chosen.has(line)),
    files: [],
    seen,
    more,
  };
}

async function searchFiles(
  ripgrep: Ripgrep,
  query: ContentQuery,
  filter: FileFilter,
): Promise<ContentMatches> {
  const offset = query.offset ?? 0;
  const counts = query.output === 'count';
  const kept = createSmallest<{ readonly path: string; readonly count?: number }>(
    offset + query.limit + 1,
    (a, b) => comparePaths(a.path, b.path),
  );
  // Names end with NUL; a count follows up to the end of its line.
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
  const found = kept.take();
  const end = offset + query.limit;
  return {
    lines: [],
    files: found.slice(offset, end),
    seen: Math.min(found.length, end),
    more: found.length > end,
  };
}

async function run(
  ripgrep: Ripgrep,
  query: ContentQuery,
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
      `--regexp=${query.pattern}`,
    ],
  });
  // 2 also stands for a file that could not be read; only a complaint about the question is the caller's.
  if (code !== 0 && code !== 1) {
    const fault = searchFault(complaint);
    if (fault instanceof ToolError) throw fault;
  }
}
