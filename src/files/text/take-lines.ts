import type { TextSlice } from '../../contract/capabilities/files.ts';

export interface Taking {
  /** The number of the first line; negative if counted from the end. */
  readonly startLine: number;
  /** Lines of the text before it. */
  readonly skipLines: number;
  readonly endLine: number;
  readonly maxChars: number;
  readonly maxBytes: number;
  /** The text reaches the end of the file. */
  readonly isEnd: boolean;
}

export type Taken = Pick<
  TextSlice,
  'text' | 'startLine' | 'endLine' | 'truncated' | 'nextStartLine' | 'cutInLine' | 'nextCharOffset'
>;

/** Takes whole lines while they fit; takes a part of a line only if it alone is too long. */
export function takeLines(text: string, taking: Taking): Taken {
  const { startLine, skipLines, endLine, isEnd } = taking;
  const start = afterLines(text, 0, skipLines);
  const wanted = startLine < 0 ? Number.POSITIVE_INFINITY : Math.max(1, endLine - startLine + 1);
  const stop = wanted === Number.POSITIVE_INFINITY ? text.length : afterLines(text, start, wanted);
  let end = fitting(text, start, stop, taking);
  let cutInLine = false;
  if (end < stop) {
    const lineEnd = text.lastIndexOf('\n', end - 1) + 1;
    if (lineEnd > start) end = lineEnd;
    else cutInLine = end < text.length || !isEnd;
  }
  const lines = Math.max(
    1,
    countNewlines(text, start, end) + (end > start && text[end - 1] !== '\n' ? 1 : 0),
  );
  const lastLine = startLine + lines - 1;
  const hasMore = (end < text.length || !isEnd) && lastLine !== -1;
  return {
    text: text.slice(start, end),
    startLine,
    endLine: lastLine,
    truncated: end < stop || (hasMore && end === text.length && wanted === Number.POSITIVE_INFINITY),
    ...(cutInLine
      ? { cutInLine, nextStartLine: lastLine, nextCharOffset: countChars(text, start, end) }
      : hasMore
        ? { nextStartLine: lastLine + 1 }
        : {}),
  };
}

/** Counts the lines of a whole text: a final newline begins no further line, and an empty text has one. */
export function countLinesOf(text: string): number {
  return Math.max(1, countNewlines(text, 0, text.length) + (text.endsWith('\n') || text === '' ? 0 : 1));
}

function countNewlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

function countChars(text: string, from: number, to: number): number {
  let count = to - from;
  for (let at = from; at < to; at++) if ((text.codePointAt(at) ?? 0) > 0xffff) count--;
  return count;
}

export function afterLines(text: string, from: number, lines: number): number {
  let at = from;
  for (let line = 0; line < lines; line++) {
    const newline = text.indexOf('\n', at);
    if (newline === -1) return text.length;
    at = newline + 1;
  }
  return at;
}

/**
 * The offset up to which `text` has at most `maxChars` code points and `maxBytes` of UTF-8, but at least one character.
 */
function fitting(text: string, from: number, to: number, { maxChars, maxBytes }: Taking): number {
  // A UTF-16 unit becomes at most three bytes.
  if (to - from <= maxChars && 3 * (to - from) <= maxBytes) return to;
  let at = from;
  let bytes = 0;
  for (let chars = 0; chars < maxChars && at < to; chars++) {
    const code = text.codePointAt(at) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes > maxBytes && at > from) break;
    at += code > 0xffff ? 2 : 1;
  }
  return at;
}
