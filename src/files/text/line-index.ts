import type { FoundEncoding } from './encoding.ts';

/** Bytes between two marks of an index: a look-up reads at most this much. */
export const blockBytes = 64 * 1024;

/** A sparse index of a large file's lines: 8 bytes for each 64 KiB. */
export interface LineIndex {
  readonly bytes: number;
  /** Detected at the start of the file when it was counted. */
  readonly written: FoundEncoding;
  readonly newlines: number;
  readonly lineCount: number;
  /** Newlines before a block. */
  newlinesBefore(block: number): number;
  /** The block with the newline of this number, from 1. */
  blockOfNewline(number: number): number;
}

/** `before[i]` is the number of newlines before block `i`; the last entry is the total. */
export function createLineIndex(
  bytes: number,
  written: FoundEncoding,
  before: Float64Array,
  endsWithNewline: boolean,
): LineIndex {
  const newlines = before[before.length - 1] ?? 0;
  return {
    bytes,
    written,
    newlines,
    lineCount: Math.max(1, newlines + (endsWithNewline ? 0 : 1)),
    newlinesBefore: (block) => before[block] ?? newlines,
    blockOfNewline(number) {
      let low = 0;
      let high = before.length - 2;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((before[middle] ?? 0) < number) low = middle;
        else high = middle - 1;
      }
      return low;
    },
  };
}
