import type { Stats } from 'node:fs';
import { readBounded } from './read-bounded.ts';

/**
 * Is almost nothing left of a file's former content, or is a third or more of it cut out? It then is empty, a fraction
 * of its size, no longer text, in another format, or without its words. Paths are bytes. For files too large to compare
 * whole, only the beginnings are compared.
 */
export function isOverwritten(former: string, before: Stats, latter: string, now: Stats): boolean {
  if (!before.isFile() || before.size <= emptyBytes) return false;
  // A link or a device replaced the file.
  if (!now.isFile() || now.size <= emptyBytes) return true;
  if (before.size >= smallBytes && now.size * fraction < before.size) return true;
  const [was, is] = [former, latter].map((path) => readBounded(path, mostCompared, false));
  if (!was || !is) return false;
  const wasText = !was.subarray(0, headBytes).includes(0);
  if (wasText !== !is.subarray(0, headBytes).includes(0)) return true;
  const isShorter = now.size * 3 <= before.size * 2;
  const pieces = sharedPieces(was, is);
  if (!wasText) {
    const isOther = !was.subarray(0, magicBytes).equals(is.subarray(0, magicBytes));
    // A file that is only encoded again, like a picture made smaller, shares no pieces with the former one.
    return isOther || (isShorter && pieces !== undefined && pieces >= fewPieces && pieces <= mostPieces);
  }
  if (isShorter && (before.size > mostCompared ? is.equals(was.subarray(0, is.length)) : isCut(was, is)))
    return true;
  // Most edits leave most of a file unchanged, which is quick to find.
  return !(pieces !== undefined && pieces >= fewPieces) && !sharesWords(was, is);
}

/** The fraction of evenly spaced pieces of one content that occur in the other; undefined if it is too short. */
function sharedPieces(was: Buffer, is: Buffer): number | undefined {
  const step = Math.floor(was.length / pieceCount);
  if (step < pieceBytes) return undefined;
  let found = 0;
  let all = 0;
  for (let at = 0; at + pieceBytes <= was.length; at += step) {
    all += 1;
    if (is.includes(was.subarray(at, at + pieceBytes))) found += 1;
  }
  return found / all;
}

/** Is a third of its words gone? White space is not counted. */
function isCut(was: Buffer, is: Buffer): boolean {
  const left = new Map<string, number>();
  for (const word of wordsIn(is)) left.set(word, (left.get(word) ?? 0) + 1);
  let kept = 0;
  let all = 0;
  for (const word of wordsIn(was)) {
    const count = left.get(word) ?? 0;
    all += word.length;
    if (count === 0) continue;
    kept += word.length;
    left.set(word, count - 1);
  }
  return kept * 3 <= all * 2;
}

/** A text of few words may be rewritten, as long as some of it is left. */
function sharesWords(was: Buffer, is: Buffer): boolean {
  const [before, now] = [new Set(wordsIn(was)), new Set(wordsIn(is))];
  let kept = 0;
  for (const word of before) if (now.has(word)) kept += 1;
  if (before.size >= fewWords) return kept * 10 >= before.size;
  return kept > 0 || sharesEnds(was, is);
}

/** Do they share beginning and end, for half of the shorter one? */
function sharesEnds(was: Buffer, is: Buffer): boolean {
  const before = was.toString('latin1').trim();
  const now = is.toString('latin1').trim();
  const shorter = Math.min(before.length, now.length);
  let start = 0;
  while (start < shorter && before[start] === now[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === now.at(-1 - end)) end += 1;
  return (start + end) * 2 >= before.length;
}

function wordsIn(text: Buffer): readonly string[] {
  return text.toString('latin1').match(/[\w\x80-\xff]{1,40}/g) ?? [];
}

/** A line break alone is no content. */
export const emptyBytes = 1;
const smallBytes = 200;
const fraction = 20;
const headBytes = 8000;
const magicBytes = 4;
const fewWords = 8;
const pieceCount = 10;
const fewPieces = 0.2;
const mostPieces = 0.7;
const pieceBytes = 24;
const mostCompared = 1024 * 1024;
