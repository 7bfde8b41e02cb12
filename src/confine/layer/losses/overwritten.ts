import type { Buffer } from 'node:buffer';
import type { Stats } from 'node:fs';
import { readBounded } from './read-bounded.ts';

/**
 * Is next to nothing left of what a file held: is it empty, a fraction, no text any more, of another format, or without its
 * words? Paths are bytes. What is too large to be compared as a whole is compared by how it begins.
 */
export function isOverwritten(former: string, before: Stats, latter: string, now: Stats): boolean {
  if (!before.isFile() || before.size <= emptyBytes) return false;
  // A link or a device where a file was.
  if (!now.isFile() || now.size <= emptyBytes) return true;
  if (before.size >= smallBytes && now.size * fraction < before.size) return true;
  const [was, is] = [former, latter].map((path) => readBounded(path, mostCompared, false));
  if (!was || !is) return false;
  const wasText = !was.subarray(0, headBytes).includes(0);
  if (wasText !== !is.subarray(0, headBytes).includes(0)) return true;
  if (!wasText) return !was.subarray(0, magicBytes).equals(is.subarray(0, magicBytes));
  if (before.size > mostCompared || now.size > mostCompared) return false;
  // Most edits leave most of a file as it was, which is soon seen.
  return !sharesPieces(was, is) && !sharesWords(was, is);
}

/** Are some of the pieces that lie evenly in one text somewhere in the other? */
function sharesPieces(was: Buffer, is: Buffer): boolean {
  const step = Math.floor(was.length / pieces);
  if (step < pieceBytes) return false;
  let found = 0;
  for (let at = 0; at + pieceBytes <= was.length; at += step) {
    if (is.includes(was.subarray(at, at + pieceBytes))) found += 1;
    if (found * 5 >= pieces) return true;
  }
  return false;
}

/** A text of a few words may well be written anew. */
function sharesWords(was: Buffer, is: Buffer): boolean {
  const before = wordsOf(was);
  if (before.size < fewWords) return true;
  const now = wordsOf(is);
  let kept = 0;
  for (const word of before) if (now.has(word)) kept += 1;
  return kept * 10 >= before.size;
}

function wordsOf(text: Buffer): ReadonlySet<string> {
  return new Set(text.toString('latin1').match(/[\w\x80-\xff]{2,40}/g) ?? []);
}

/** A line's end alone is no content. */
export const emptyBytes = 1;
const smallBytes = 200;
const fraction = 20;
const headBytes = 8000;
const magicBytes = 4;
const fewWords = 8;
const pieces = 10;
const pieceBytes = 24;
const mostCompared = 1024 * 1024;
