import type { TextEncoding } from '../../contract/capabilities/files.ts';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { counted } from '../../ground/counted.ts';
import { legacyWidth } from '../../ground/text/legacy-encodings.ts';
import { readAt, readAtNow } from '../io.ts';
import { locateLine } from '../locate.ts';
import { blockBytes, type LineIndex } from './line-index.ts';

/** The offset of a character in the line that begins at `from`. Throws `invalid_parameter` if the line is shorter. */
export function offsetInLine(whole: string, from: number, chars: number, line: number): number {
  let at = from;
  for (let passed = 0; passed < chars; passed++) {
    if (at >= whole.length || (at > from && whole[at - 1] === '\n')) throw pastLine(line, chars, passed);
    at += (whole.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return at;
}

/** The same for a file of UTF-8 by its index, which holds how many characters begin before each block. */
export function byteByIndex(
  fd: number,
  index: LineIndex,
  from: number,
  { chars, line }: Pick<WantedChar, 'chars' | 'line'>,
): number {
  const before = charsBefore(fd, index, from);
  const end = line > index.newlines ? index.bytes : locateLine(fd, index, index.written, line + 1);
  const inLine = charsBefore(fd, index, end) - before;
  if (chars > inLine) throw pastLine(line, chars, inLine);
  const block = index.blockOfChar(before + chars);
  const bytes = readAtNow(fd, block * blockBytes, blockBytes);
  let left = before + chars - index.charsBefore(block);
  let at = 0;
  for (; at < bytes.length; at++) if (beginsChar(bytes[at]) && left-- === 0) break;
  return block * blockBytes + at;
}

function charsBefore(fd: number, index: LineIndex, byte: number): number {
  const block = Math.floor(byte / blockBytes);
  const bytes = readAtNow(fd, block * blockBytes, byte - block * blockBytes);
  return index.charsBefore(block) + bytes.filter(beginsChar).length;
}

function beginsChar(byte = 0): boolean {
  return (byte & 0xc0) !== 0x80;
}

/** The offset of a character in a file's line, read one chunk at a time. */
export async function byteInLine(
  fd: number,
  from: number,
  { end, encoding, chars, line }: WantedChar,
  signal: AbortSignal | undefined,
): Promise<number> {
  let at = from;
  let passed = 0;
  let isOver = false;
  while (passed < chars) {
    if (isOver || at >= end) throw pastLine(line, chars, passed);
    const bytes = await readAt(fd, at, Math.min(chunkBytes, end - at), signal);
    if (bytes.length === 0) throw pastLine(line, chars, passed);
    // A character cut at the end of a chunk is read again: the next chunk begins with it.
    const safe = at + bytes.length < end ? bytes.length - 3 : bytes.length;
    let within = 0;
    while (passed < chars && within < safe && !isOver) {
      isOver = isNewline(bytes, within, encoding);
      within += widthOf(bytes, within, encoding);
      passed++;
    }
    at += within;
  }
  return Math.min(at, end);
}

interface WantedChar {
  /** Where the file ends, in bytes. */
  readonly end: number;
  readonly encoding: TextEncoding;
  readonly chars: number;
  /** For the error message. */
  readonly line: number;
}

const chunkBytes = 1024 * 1024;

function isNewline(bytes: Uint8Array, at: number, encoding: TextEncoding): boolean {
  if (encoding === 'utf-16le') return bytes[at] === 0x0a && bytes[at + 1] === 0;
  if (encoding === 'utf-16be') return bytes[at] === 0 && bytes[at + 1] === 0x0a;
  return bytes[at] === 0x0a;
}

/** The length in bytes of the character that begins here. */
function widthOf(bytes: Uint8Array, at: number, encoding: TextEncoding): number {
  const lead = bytes[at] ?? 0;
  switch (encoding) {
    case 'utf-16le':
    case 'utf-16be': {
      const high = encoding === 'utf-16le' ? (bytes[at + 1] ?? 0) : lead;
      return high >= 0xd8 && high <= 0xdb ? 4 : 2;
    }
    default:
      return legacyWidth(bytes, at, encoding);
  }
}

function pastLine(line: number, asked: number, chars: number): ToolError {
  return new ToolError(
    'invalid_parameter',
    `char_offset is ${asked}, but line ${line} has ${counted(chars, 'character')}.`,
    `char_offset は ${asked} ですが、${line} 行目は ${chars} 文字です。`,
    text(
      'Leave char_offset out to read the line from its start.',
      '行の最初から読むには char_offset を省いてください。',
    ),
    { field: 'char_offset', line_chars: chars },
  );
}
