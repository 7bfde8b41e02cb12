/**
 * Where lines and characters of a file lie, coarsely: how many of each come before every block of 64 KiB. A
 * gigabyte takes 256 KiB; what is inside a block is found by reading that block.
 */
export interface NoteIndex {
  readonly bytes: number;
  /** 3 where the file starts with a byte order mark, else 0. */
  readonly bomBytes: number;
  readonly blocks: number;
  readonly newlines: number;
  readonly totalLines: number;
  readonly isAscii: boolean;
  newlinesBefore(block: number): number;
  charsBefore(block: number): number;
  /** The block with the newline of this number, from 1. */
  blockOfNewline(number: number): number;
  /** The block in which the character of this number begins, from 0; the last block for one past the end. */
  blockOfChar(number: number): number;
}

export const blockBytes = 64 * 1024;

export interface NoteIndexParts {
  readonly bytes: number;
  readonly bomBytes: number;
  readonly endsWithNewline: boolean;
  readonly isAscii: boolean;
  /** Before each block, and after the last. */
  readonly newlines: Float64Array;
  readonly chars: Float64Array;
}

export function createNoteIndex(parts: NoteIndexParts): NoteIndex {
  const { bytes, bomBytes, newlines, chars, isAscii } = parts;
  const blocks = newlines.length - 1;
  const total = newlines[blocks] ?? 0;
  return {
    bytes,
    bomBytes,
    blocks,
    newlines: total,
    // A newline at the end adds no line, and even nothing is one line.
    totalLines: Math.max(1, parts.endsWithNewline ? total : total + 1),
    isAscii,
    newlinesBefore: (block) => newlines[block] ?? 0,
    charsBefore: (block) => chars[block] ?? 0,
    blockOfNewline: (number) => lastAtMost(newlines, number - 1, blocks),
    blockOfChar: (number) => lastAtMost(chars, number, blocks),
  };
}

/** The last block before which at most `count` were counted: the next one of them lies in it. */
function lastAtMost(counts: Float64Array, count: number, blocks: number): number {
  let low = 0;
  let high = blocks - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((counts[middle] ?? 0) <= count) low = middle;
    else high = middle - 1;
  }
  return low;
}
