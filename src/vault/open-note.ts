import { Buffer } from 'node:buffer';
import { readSync } from 'node:fs';
import { changed } from './build-index.ts';
import { blockBytes, type NoteIndex } from './note-index.ts';

/** Data kept between reads of a note: its index, and where the last read ended. */
export interface KeptNote {
  readonly index: NoteIndex;
  readonly version: string;
  /** The last bytes; empty if the note is not cached. */
  readonly tail: Buffer;
  /** The start of a recently read line, so that continuing need not search for it. */
  known: { readonly line: number; readonly byte: number };
  /** The last bytes read; their buffer is reused. */
  window: { readonly from: number; readonly bytes: Buffer };
  buffer: Buffer;
}

export function keepNote(index: NoteIndex, version: string, tail: Buffer = empty): KeptNote {
  return {
    index,
    version,
    tail,
    known: { line: 1, byte: index.bomBytes },
    window: { from: 0, bytes: empty },
    buffer: empty,
  };
}

/** A note that is open for one read. Finds bytes by line and by character. */
export interface OpenNote {
  readonly kept: KeptNote;
  /** Bytes from `from` up to `to`, valid until the next call. */
  bytes(from: number, to: number): Buffer;
  startOfLine(line: number): number;
  /** The byte after the line's text. */
  endOfLine(line: number, start: number): number;
  /** The number of characters that begin before this byte. */
  charsBefore(byte: number): number;
  /** The byte at which this character begins. */
  startOfChar(number: number): number;
}

const empty = Buffer.alloc(0);
const readAheadBytes = 4 * blockBytes;
const lf = 0x0a;
const cr = 0x0d;

export function openNote(fd: number, kept: KeptNote): OpenNote {
  const { index } = kept;

  function bytes(from: number, to: number): Buffer {
    const { window } = kept;
    const windowEnd = window.from + window.bytes.length;
    if (from >= window.from && to <= windowEnd)
      return window.bytes.subarray(from - window.from, to - window.from);
    // A read that continues the last one is sequential: read ahead.
    const readsOn = window.bytes.length > 0 && from >= window.from && from <= windowEnd;
    const until = Math.min(index.bytes, readsOn ? Math.max(to, from + readAheadBytes) : to);
    // A new buffer for every read would cost more than the reading itself.
    if (kept.buffer.length < until - from) kept.buffer = Buffer.allocUnsafeSlow(until - from);
    kept.window = { from: 0, bytes: empty };
    const read = kept.buffer.subarray(0, until - from);
    fillNow(fd, read, from);
    kept.window = { from, bytes: read };
    return read.subarray(0, to - from);
  }

  function block(number: number): Buffer {
    return bytes(number * blockBytes, Math.min(index.bytes, (number + 1) * blockBytes));
  }

  /** The byte after the newline of this number, from 1. */
  function afterNewline(number: number): number {
    const found = index.blockOfNewline(number);
    const blockStart = found * blockBytes;
    const { known } = kept;
    const helps = known.byte >= blockStart && known.line - 1 <= number;
    let at = helps ? known.byte : blockStart;
    let left = number - (helps ? known.line - 1 : index.newlinesBefore(found));
    if (left === 0) return at;
    const base = at;
    const searched = bytes(base, Math.min(index.bytes, blockStart + blockBytes));
    for (; left > 0; left -= 1) {
      const newline = searched.indexOf(lf, at - base);
      if (newline === -1) throw changed();
      at = base + newline + 1;
    }
    return at;
  }

  function startOfLine(line: number): number {
    const byte = line === 1 ? index.bomBytes : afterNewline(line - 1);
    kept.known = { line, byte };
    return byte;
  }

  function charsBefore(byte: number): number {
    if (index.isAscii) return byte;
    const number = Math.min(index.blocks - 1, Math.floor(byte / blockBytes));
    return index.charsBefore(number) + countChars(block(number), 0, byte - number * blockBytes);
  }

  return {
    kept,
    bytes,
    startOfLine,
    charsBefore,
    endOfLine(line, start) {
      if (line > index.newlines) return index.bytes;
      const newline = afterNewline(line) - 1;
      return newline > start && bytes(newline - 1, newline)[0] === cr ? newline - 1 : newline;
    },
    startOfChar(number) {
      if (index.isAscii) return Math.min(number, index.bytes);
      const found = index.blockOfChar(number);
      const read = block(found);
      return found * blockBytes + skipChars(read, 0, number - index.charsBefore(found));
    },
  };
}

/** The number of code points that begin between two offsets. */
export function countChars(bytes: Uint8Array, from: number, to: number): number {
  let chars = 0;
  for (let at = from; at < to; at += 1) if (((bytes[at] ?? 0) & 0xc0) !== 0x80) chars += 1;
  return chars;
}

/** The offset of the code point `chars` further on; the end if there are fewer. */
export function skipChars(bytes: Uint8Array, from: number, chars: number): number {
  let left = chars;
  let at = from;
  for (; at < bytes.length; at += 1) {
    if (((bytes[at] ?? 0) & 0xc0) === 0x80) continue;
    if (left === 0) break;
    left -= 1;
  }
  return at;
}

function fillNow(fd: number, into: Buffer, position: number): void {
  for (let got = 0; got < into.length; ) {
    const more = readSync(fd, into, got, into.length - got, position + got);
    if (more === 0) throw changed();
    got += more;
  }
}
