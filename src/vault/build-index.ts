import { isUtf8 } from 'node:buffer';
import { read, readSync } from 'node:fs';
import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';
import { chunkBytes, type Tallier, type Tally } from '../files/text/tally.ts';
import { cancelled } from '../ground/errors/cancelled.ts';
import { blockBytes, createNoteIndex, type NoteIndex } from './note-index.ts';

/**
 * Reads a file once and counts its lines and characters. The thread pool reads one chunk ahead of the counting, which
 * takes 0.05 ms per chunk: nothing else waits for it, and memory is two chunks for any file. Throws
 * `unsupported_encoding` unless it is UTF-8 text. If the file grew from a `known` one, only the new part is read.
 */
export async function buildIndex(
  tallier: Tallier,
  fd: number,
  bytes: number,
  signal: AbortSignal,
  known?: NoteIndex,
): Promise<NoteIndex> {
  if (signal.aborted) throw cancelled('read');
  const counter = createCounter(tallier, bytes);
  const start = known ? counter.startAfter(known, fd) : 0;
  let slot: 0 | 1 = 0;
  let reading = fill(fd, tallier.chunk(slot), start, bytes);
  try {
    for (let at = start; at < bytes; ) {
      const got = await reading;
      if (signal.aborted) throw cancelled('read');
      at += got;
      if (at < bytes && got < chunkBytes) throw changed();
      const filled = slot;
      slot = slot === 0 ? 1 : 0;
      if (at < bytes) reading = fill(fd, tallier.chunk(slot), at, bytes);
      counter.add(filled, got);
    }
  } finally {
    // The descriptor is closed after this, and its number may soon be another file's.
    await reading.catch(() => undefined);
  }
  return counter.finish();
}

/** The same, synchronously, for a file of at most one chunk. */
export function buildSmallIndex(tallier: Tallier, fd: number, bytes: number): NoteIndex {
  const counter = createCounter(tallier, bytes);
  const chunk = tallier.chunk(0);
  let got = 0;
  while (got < bytes) {
    const more = readSync(fd, chunk, got, bytes - got, got);
    if (more === 0) throw changed();
    got += more;
  }
  if (bytes > 0) counter.add(0, bytes);
  return counter.finish();
}

function createCounter(tallier: Tallier, bytes: number) {
  const blocks = Math.max(1, Math.ceil(bytes / blockBytes));
  const newlines = new Float64Array(blocks + 1);
  const chars = new Float64Array(blocks + 1);
  const found: Tally = { newlines: 0, chars: 0, hasNul: false, isAscii: true };
  let block = 0;
  let carry = 0;
  let bomBytes = 0;
  let endsWithNewline = false;
  let isAscii = true;

  return {
    /** Takes over the counts of whole blocks; returns their end. */
    startAfter(known: NoteIndex, fd: number): number {
      const whole = Math.floor(known.bytes / blockBytes);
      for (; block < whole; block += 1) {
        newlines[block + 1] = known.newlinesBefore(block + 1);
        chars[block + 1] = known.charsBefore(block + 1);
      }
      ({ bomBytes, isAscii } = known);
      const start = whole * blockBytes;
      // A character may have begun in the last counted block.
      const before = tallier.withCarry(0, 3, 0);
      if (start > 0 && readSync(fd, before, 0, 3, start - 3) === 3) carry = cutBytes(before);
      return start;
    },
    add(slot: 0 | 1, length: number) {
      const chunk = tallier.chunk(slot);
      if (block === 0 && length >= 3 && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf)
        bomBytes = 3;
      let chunkIsAscii = true;
      for (let from = 0; from < length; from += blockBytes) {
        tallier.tally(slot, from, Math.min(blockBytes, length - from), found);
        if (found.hasNul) throw notText();
        chunkIsAscii &&= found.isAscii;
        newlines[block + 1] = (newlines[block] ?? 0) + found.newlines;
        chars[block + 1] = (chars[block] ?? 0) + found.chars;
        block += 1;
      }
      endsWithNewline = chunk[length - 1] === 0x0a;
      isAscii &&= chunkIsAscii;
      if (carry === 0 && chunkIsAscii) return;
      const whole = tallier.withCarry(slot, carry, length);
      const cut = cutBytes(whole);
      if (!isUtf8(whole.subarray(0, whole.length - cut))) throw notText();
      carry = cut;
      tallier.withCarry(slot === 0 ? 1 : 0, cut, 0).set(whole.subarray(whole.length - cut));
    },
    finish(): NoteIndex {
      if (carry > 0) throw notText();
      return createNoteIndex({ bytes, bomBytes, endsWithNewline, isAscii, newlines, chars });
    },
  };
}

/** The number of bytes at the end that begin an incomplete character. */
function cutBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

/** Reads a whole chunk, or less at the end of the file. */
async function fill(fd: number, into: Uint8Array, position: number, fileBytes: number): Promise<number> {
  const wanted = Math.min(into.length, fileBytes - position);
  let got = 0;
  while (got < wanted) {
    const more = await readOnce(fd, into, got, wanted - got, position + got);
    if (more === 0) break;
    got += more;
  }
  return got;
}

function readOnce(fd: number, into: Uint8Array, at: number, length: number, position: number) {
  return new Promise<number>((resolve, reject) => {
    read(fd, into, at, length, position, (error, got) => (error ? reject(error) : resolve(got)));
  });
}

export function notText(): ToolError {
  return new ToolError(
    'unsupported_encoding',
    text('The note is not UTF-8 text.', 'ノートが UTF-8 のテキストではありません。'),
    { suggestion: text('Convert it to UTF-8 first.', '先に UTF-8 へ変換してください。') },
  );
}

/** The error if the file shrank while it was read. */
export function changed(): ToolError {
  return new ToolError(
    'conflict',
    text('The note changed while it was being read.', 'ノートが読み取り中に変更されました。'),
    { suggestion: text('Read it again.', 'もう一度読み取ってください。') },
  );
}
