/**
 * A coarse index of a file's lines and characters: how many of each precede every block of 64 KiB. A gigabyte takes 256
 * KiB; positions inside a block are found by reading it.
 */
export interface NoteIndex {
  readonly bytes: number;
  /** 3 if the file starts with a byte order mark, else 0. */
  readonly bomBytes: number;
  readonly blocks: number;
  readonly newlines: number;
  readonly totalLines: number;
  readonly isAscii: boolean;
  newlinesBefore(block: number): number;
  charsBefore(block: number): number;
  /** The block with the newline of this number, from 1. */
  blockOfNewline(number: number): number;
  /** The block in which this character begins, counting from 0; the last block for the end of the file. */
  blockOfChar(number: number): number;
}

export const blockBytes = 64 * 1024;

export interface NoteIndexParts {
  readonly bytes: number;
  readonly bomBytes: number;
  readonly endsWithNewline: boolean;
  readonly isAscii: boolean;
  /** Counts before each block, and after the last. */
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
    // A newline at the end adds no line, and an empty file has one line.
    totalLines: Math.max(1, parts.endsWithNewline ? total : total + 1),
    isAscii,
    newlinesBefore: (block) => newlines[block] ?? 0,
    charsBefore: (block) => chars[block] ?? 0,
    blockOfNewline: (number) => lastAtMost(newlines, number - 1, blocks),
    blockOfChar: (number) => lastAtMost(chars, number, blocks),
  };
}

/** The last block with at most `count` counted before it, which contains the next one. */
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
