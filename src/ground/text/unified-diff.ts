import { cleanText } from '../../contract/text/clean-text.ts';
import { once } from '../waiting/once.ts';

/**
 * A unified diff of two versions of a text, cut if it grows long. Compares only the part between their common start and
 * end, so that a small change of a large file costs little. Empty if that part is too long, or the comparison takes
 * longer than `withinMs`.
 */
export async function unifiedDiff(
  path: string,
  before: string,
  after: string,
  maxChars = 8000,
  withinMs = 60,
): Promise<string> {
  if (before === after) return '';
  const { structuredPatch, formatPatch } = await library();
  const { start, line, beforeEnd, afterEnd } = changedPart(before, after);
  // The library splits the texts into lines before it checks the time.
  if (beforeEnd + afterEnd - 2 * start > maxComparedChars) return '';
  const patch = structuredPatch(
    path,
    path,
    before.slice(start, beforeEnd),
    after.slice(start, afterEnd),
    undefined,
    undefined,
    { context: contextLines, timeout: withinMs, maxEditLength: 4000 },
  );
  if (!patch) return '';
  for (const hunk of patch.hunks) {
    hunk.oldStart += line;
    hunk.newStart += line;
    hunk.lines = hunk.lines.map((words, index) => clipped(words, counterpart(hunk.lines, index)));
  }
  const words = cleanText(formatPatch(patch)).replace(/^Index: .*\n=+\n/, '');
  if (words.length <= maxChars) return words;
  return `${words.slice(0, words.lastIndexOf('\n', maxChars) + 1)}…\n`;
}

/** The line that replaced this one, or that it replaced: lines of a change are paired in order. */
function counterpart(lines: readonly string[], index: number): string | undefined {
  const sign = lines[index]?.[0];
  if (sign !== '-' && sign !== '+') return undefined;
  let first = index;
  while (lines[first - 1]?.[0] === sign) first--;
  let last = index;
  while (lines[last + 1]?.[0] === sign) last++;
  if (sign === '-') {
    const other = lines[last + 1 + index - first];
    return other?.[0] === '+' ? other : undefined;
  }
  let before = first;
  while (lines[before - 1]?.[0] === '-') before--;
  return before + index - first < first ? lines[before + index - first] : undefined;
}

/** Cuts a line too long to read around the place where it differs. */
function clipped(line: string, other: string | undefined): string {
  if (line.length <= maxLineChars) return line;
  const words = line.slice(1);
  const differsAt = other === undefined ? 0 : commonStart(words, other.slice(1));
  const from = Math.max(0, differsAt - leadChars);
  // Never splits a surrogate pair.
  const piece = words.slice(from, from + maxLineChars).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  return `${line[0]}${from > 0 ? '…' : ''}${piece}${from + maxLineChars < words.length ? '…' : ''}`;
}

/** Importing it each time costs as much as a small diff. */
const library = once(() => import('diff'));
const maxLineChars = 400;
const leadChars = 100;
const contextLines = 3;
const maxComparedChars = 1_000_000;

/** The lines that differ with a few around them, as offsets, and the number of lines before. */
function changedPart(before: string, after: string) {
  const same = commonStart(before, after);
  let start = same;
  for (let lines = 0; lines <= contextLines && start > 0; lines++)
    start = before.lastIndexOf('\n', start - 2) + 1;
  const tail = commonEnd(before, after, Math.min(before.length, after.length) - same);
  let beforeEnd = before.length - tail;
  for (let lines = 0; lines <= contextLines && beforeEnd < before.length; lines++) {
    const newline = before.indexOf('\n', beforeEnd);
    beforeEnd = newline === -1 ? before.length : newline + 1;
  }
  let line = 0;
  for (let at = before.indexOf('\n'); at !== -1 && at < start; at = before.indexOf('\n', at + 1)) line++;
  return { start, line, beforeEnd, afterEnd: beforeEnd + after.length - before.length };
}

/** Texts are compared in blocks: the engine compares slices faster than we compare characters. */
const blockChars = 4096;

function commonStart(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let same = 0;
  while (same + blockChars <= end && a.slice(same, same + blockChars) === b.slice(same, same + blockChars)) {
    same += blockChars;
  }
  while (same < end && a.charCodeAt(same) === b.charCodeAt(same)) same++;
  return same;
}

function commonEnd(a: string, b: string, most: number): number {
  let same = 0;
  const block = (text: string) => text.slice(text.length - same - blockChars, text.length - same);
  while (same + blockChars <= most && block(a) === block(b)) same += blockChars;
  while (same < most && a.charCodeAt(a.length - 1 - same) === b.charCodeAt(b.length - 1 - same)) same++;
  return same;
}
