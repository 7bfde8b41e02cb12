import type { NotePart, NoteReading } from '../contract/capabilities/vault.ts';
import { blockBytes } from './note-index.ts';
import { countChars, type OpenNote, skipChars } from './open-note.ts';

/** Reads whole lines while they fit, and a part of a line only if it alone does not fit. */
export function readPart(note: OpenNote, part: NotePart): NoteReading {
  const { index, version } = note.kept;
  const { totalLines } = index;
  const { startLine, charOffset, maxChars } = part;
  if (startLine > totalLines) return { kind: 'past_end', totalLines };

  let start = note.startOfLine(startLine);
  if (charOffset > 0) {
    const before = note.charsBefore(start);
    const lineChars = note.charsBefore(note.endOfLine(startLine, start)) - before;
    if (charOffset > lineChars) return { kind: 'past_line', lineChars };
    start = note.startOfChar(before + charOffset);
  }

  const endLine = Math.min(part.endLine ?? totalLines, totalLines);
  const stop = lastByteThatMayCount(note, start, endLine, maxChars);
  const bytes = note.bytes(start, stop);
  const taken = takeLines(bytes, stop === index.bytes, index.isAscii, startLine, endLine, maxChars);
  const decoded = bytes.toString(index.isAscii ? 'latin1' : 'utf8', 0, taken.end);
  const next =
    taken.charsOfLine !== undefined
      ? {
          line: taken.line,
          charOffset: taken.charsOfLine + (taken.line === startLine ? charOffset : 0),
        }
      : taken.line < totalLines
        ? { line: taken.line + 1, charOffset: 0 }
        : undefined;
  if (next?.charOffset === 0) note.kept.known = { line: next.line, byte: start + taken.after };
  return {
    kind: 'part',
    text: decoded.includes('\r\n') ? decoded.replaceAll('\r\n', '\n') : decoded,
    chars: taken.chars,
    startLine,
    endLine: taken.line,
    totalLines,
    ...(next && { next }),
    cut: taken.cut,
    version,
  };
}

interface Taken {
  /** The last line that was read, wholly or in part. */
  readonly line: number;
  /** The number of characters of that line, if only a part was read. */
  readonly charsOfLine?: number;
  readonly chars: number;
  /** Offset after the text, and after the newline that follows it. */
  readonly end: number;
  readonly after: number;
  readonly cut: boolean;
}

function takeLines(
  bytes: Buffer,
  endsFile: boolean,
  isAscii: boolean,
  startLine: number,
  endLine: number,
  maxChars: number,
): Taken {
  const count = isAscii ? (_: Buffer, from: number, to: number) => to - from : countChars;
  let chars = 0;
  let end = 0;
  let at = 0;
  for (let line = startLine; ; line += 1) {
    const newline = bytes.indexOf(0x0a, at);
    // No newline in sight and more to come: the line is longer than the limit.
    const isWhole = newline !== -1 || endsFile;
    const lineEnd =
      newline === -1 ? bytes.length : newline > at && bytes[newline - 1] === 0x0d ? newline - 1 : newline;
    const separator = line === startLine ? 0 : 1;
    const lineChars = separator + count(bytes, at, lineEnd);
    if (!isWhole || chars + lineChars > maxChars) {
      if (separator === 1) return { line: line - 1, chars, end, after: at, cut: true };
      const cutAt = isAscii ? maxChars : skipChars(bytes, 0, maxChars);
      return { line, charsOfLine: maxChars, chars: maxChars, end: cutAt, after: cutAt, cut: true };
    }
    chars += lineChars;
    end = lineEnd;
    at = newline === -1 ? bytes.length : newline + 1;
    if (line >= endLine) return { line, chars, end, after: at, cut: false };
  }
}

/** Bytes beyond this cannot be in the reply, by the generously counted limit or by the range's last block. */
function lastByteThatMayCount(note: OpenNote, start: number, endLine: number, maxChars: number): number {
  const { index } = note.kept;
  // A character has at most 4 bytes, and CRLF counts as one but has 2; one more character shows the excess.
  const byLimit = start + (maxChars + 1) * (index.isAscii ? 2 : 4) + 2;
  const byRange = endLine > index.newlines ? index.bytes : (index.blockOfNewline(endLine) + 1) * blockBytes;
  return Math.min(index.bytes, byLimit, byRange);
}
