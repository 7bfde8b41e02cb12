import type { FoundEncoding } from './encoding.ts';

/** Bytes between two marks of an index: a look-up reads at most this much. */
export const blockBytes = 64 * 1024;

/** A sparse index of a large file's lines and characters: 16 bytes for each 64 KiB. */
export type LineIndex = ReturnType<typeof createLineIndex>;

/** `newlines[i]` and `chars[i]` are counts before block `i`; the last entries are the totals. */
export function createLineIndex(
  bytes: number,
  written: FoundEncoding,
  { newlines, chars }: { readonly newlines: Float64Array; readonly chars: Float64Array },
  endsWithNewline: boolean,
) {
  const total = newlines.at(-1) ?? 0;
  return {
    bytes,
    /** Detected at the start of the file when it was counted. */
    written,
    newlines: total,
    lineCount: Math.max(1, total + (endsWithNewline ? 0 : 1)),
    /** Newlines before a block. */
    newlinesBefore: (block: number): number => newlines[block] ?? total,
    /** The block with the newline of this number, from 1. */
    blockOfNewline: (number: number): number => lastAtMost(newlines, number - 1),
    /** Characters that begin before a block. Of UTF-8 only. */
    charsBefore: (block: number): number => chars[block] ?? 0,
    /** The block in which this character begins, from 0; the last block for the end of the file. */
    blockOfChar: (number: number): number => lastAtMost(chars, number),
  };
}

/** The last block with at most `count` counted before it, which contains the next one. */
function lastAtMost(before: Float64Array, count: number): number {
  let low = 0;
  let high = before.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((before[middle] ?? 0) <= count) low = middle;
    else high = middle - 1;
  }
  return low;
}
