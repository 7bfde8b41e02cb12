import { type BigIntStats, fstatSync } from 'node:fs';
import type { TextRange, TextSlice, WholeText } from '../../contract/capabilities/files.ts';
import { ToolError } from '../../contract/error.ts';
import { limits } from '../../contract/limits.ts';
import { text } from '../../contract/text/text.ts';
import { counted } from '../../ground/counted.ts';
import { fault, leftUnchanged } from '../fault.ts';
import { readAt, readAtNow } from '../io.ts';
import { locateFromEnd, locateLine } from '../locate.ts';
import { type OpenFile, readFileBytes, toFileStat } from '../reading.ts';
import { decode, encodingOf, type FoundEncoding, headBytes } from './encoding.ts';
import type { LineIndexes } from './line-indexes.ts';
import { mimeOfBytes } from './mime.ts';
import { newlineFinder } from './newlines.ts';
import { byteByIndex, byteInLine, offsetInLine } from './skip-chars.ts';
import { afterLines, countLinesOf, type Taken, takeLines } from './take-lines.ts';

/** Up to this size a file is read whole, which is cheaper than an index. */
const smallBytes = 256 * 1024;

/** Reads a whole text for a change. Throws `unsupported_encoding` if it is not text. */
export async function readWholeText(
  file: OpenFile,
  maxBytes: number,
  shown: string,
  { encoding, signal }: Pick<TextRange, 'encoding' | 'signal'>,
): Promise<WholeText> {
  // Taken before reading: a change during the read then is a conflict, not a lost update.
  const stat = toFileStat(fstatSync(file.fd, { bigint: true }));
  const bytes = await readFileBytes(file, maxBytes, shown, signal);
  const { text, found } = await decodeWhole(bytes, shown, encoding);
  return { text, ...writtenIn(found), stat };
}

/**
 * Reads a range of lines of a text of any size, cut at a line end if it exceeds `maxChars`. Reads only the needed
 * bytes, except that the first read past the start of a large file counts all its lines.
 */
export async function readTextRange(
  file: OpenFile,
  range: TextRange,
  shown: string,
  indexes: LineIndexes,
): Promise<TextSlice> {
  try {
    const stat = fstatSync(file.fd, { bigint: true });
    const slice =
      stat.size <= smallBytes
        ? await readSmall(file, range, shown)
        : await readLarge(file, stat, range, shown, indexes);
    return { ...slice, stat: toFileStat(stat) };
  } catch (cause) {
    throw range.signal?.aborted ? leftUnchanged(shown) : fault(cause, shown);
  }
}

type Slice = Omit<TextSlice, 'stat'>;

async function readSmall(file: OpenFile, range: TextRange, shown: string): Promise<Slice> {
  const bytes = await readFileBytes(file, Number.MAX_SAFE_INTEGER, shown, range.signal);
  const { text: whole, found } = await decodeWhole(bytes, shown, range.encoding);
  const totalLines = countLinesOf(whole);
  const startLine = fromStart(range.startLine, totalLines);
  assertInside(startLine, totalLines, range, shown);
  const start = afterLines(whole, 0, startLine - 1);
  const part = whole.slice(offsetInLine(whole, start, range.charOffset ?? 0, startLine));
  const taken = takeLines(part, { ...bounds(range), startLine, skipLines: 0, isEnd: true });
  return { ...onwards(taken, range), totalLines, ...writtenIn(found) };
}

async function readLarge(
  file: OpenFile,
  stat: BigIntStats,
  range: TextRange,
  shown: string,
  indexes: LineIndexes,
): Promise<Slice> {
  const bytes = Number(stat.size);
  let index = indexes.peek(stat);
  const known = index?.written;
  const found =
    known && (range.encoding ?? known.encoding) === known.encoding
      ? known
      : await encodingOfStart(file.fd, shown, range.encoding);

  const asked = range.startLine ?? 1;
  let startLine = asked;
  let start = found.bomBytes;
  // The last lines are found from the end of the file; they have no line numbers then.
  const fromEnd =
    asked < 0 && range.endLine === undefined && !index
      ? locateFromEnd(file.fd, bytes, found, -asked)
      : undefined;
  if (fromEnd !== undefined) {
    start = fromEnd;
  } else if (asked !== 1) {
    index ??= await indexes.get(file.fd, stat, found, range.signal);
    startLine = fromStart(asked, index.lineCount);
    assertInside(startLine, index.lineCount, range, shown);
    start = locateLine(file.fd, index, found, startLine);
  }

  const chars = range.charOffset ?? 0;
  const { encoding } = found;
  if (chars > 0 && encoding === 'utf-8') {
    // A line may be as long as the file.
    index ??= await indexes.get(file.fd, stat, found, range.signal);
    start = byteByIndex(file.fd, index, start, { chars, line: startLine });
  } else if (chars > 0) {
    start = await byteInLine(file.fd, start, { end: bytes, encoding, chars, line: startLine }, range.signal);
  }
  const wanted = bounds(range);
  const part = await readLines(
    file.fd,
    start,
    bytes,
    found,
    linesWanted(startLine, range),
    wanted.maxChars,
    range.signal,
  );
  const taken = takeLines(await decodePart(part.bytes, found, shown), {
    ...wanted,
    startLine,
    skipLines: 0,
    isEnd: part.isEnd,
  });
  return {
    ...onwards(taken, range),
    ...(index ? { totalLines: index.lineCount } : totalOf(taken, part.isEnd)),
    ...writtenIn(found),
  };
}

function writtenIn({ encoding, bomBytes, isGuess }: FoundEncoding) {
  return { encoding, ...(isGuess && { isGuess }), hasBom: bomBytes > 0 };
}

/** The skipped start of a line counts towards the position to continue from. */
function onwards(taken: Taken, { charOffset = 0 }: TextRange): Taken {
  const { nextCharOffset } = taken;
  return nextCharOffset === undefined ? taken : { ...taken, nextCharOffset: nextCharOffset + charOffset };
}

async function encodingOfStart(fd: number, shown: string, named: string | undefined): Promise<FoundEncoding> {
  const head = readAtNow(fd, 0, headBytes);
  const found = await encodingOf(head, true, named);
  if (!found) throw await notText(head, shown);
  return found;
}

interface Part {
  readonly bytes: Uint8Array;
  /** The bytes reach the end of the file. */
  readonly isEnd: boolean;
}

/**
 * Reads from `start` until it has `lines` newlines or more than `maxChars` characters, or until the end of the file.
 */
async function readLines(
  fd: number,
  start: number,
  end: number,
  found: FoundEncoding,
  lines: number,
  maxChars: number,
  signal: AbortSignal | undefined,
): Promise<Part> {
  const finder = newlineFinder(found.encoding);
  // A character has at most 4 bytes in these encodings; one extra character shows that there is more.
  const mostBytes = Math.min(end - start, (maxChars + 1) * 4);
  let length = Math.min(mostBytes, lines === Number.POSITIVE_INFINITY ? mostBytes : headBytes);
  for (;;) {
    const bytes = await readAt(fd, start, length, signal);
    const isEnd = start + bytes.length >= end || bytes.length < length;
    let at = 0;
    let seen = 0;
    while (seen < lines) {
      const next = finder.after(bytes, at);
      if (next === -1) break;
      at = next;
      seen++;
    }
    if (seen === lines) return { bytes: bytes.subarray(0, at), isEnd: isEnd && at === bytes.length };
    if (isEnd || length === mostBytes) {
      // The last character may be cut: keep whole lines, or whole characters if there is no whole line.
      const whole = isEnd ? bytes.length : at;
      return { bytes: bytes.subarray(0, whole || wholeChars(bytes, found)), isEnd };
    }
    length = Math.min(mostBytes, length * 8);
  }
}

/** `bytes` without a character that is cut at the end. */
function wholeChars(bytes: Uint8Array, { encoding }: FoundEncoding): number {
  for (let drop = 0; drop < 4; drop++) {
    try {
      decode(bytes.subarray(0, bytes.length - drop), encoding);
      return bytes.length - drop;
    } catch {
      // Try one byte less.
    }
  }
  return bytes.length;
}

async function decodeWhole(
  bytes: Uint8Array,
  shown: string,
  named: string | undefined,
): Promise<{ text: string; found: FoundEncoding }> {
  const found = await encodingOf(bytes, false, named);
  if (!found) throw await notText(bytes, shown);
  return { text: await decodePart(bytes.subarray(found.bomBytes), found, shown), found };
}

async function decodePart(bytes: Uint8Array, found: FoundEncoding, shown: string): Promise<string> {
  try {
    return decode(bytes, found.encoding);
  } catch {
    throw await notText(bytes, shown);
  }
}

function bounds({ endLine, maxChars, maxBytes }: TextRange) {
  return {
    endLine: endLine ?? Number.POSITIVE_INFINITY,
    maxChars: maxChars ?? limits.readChars,
    maxBytes: maxBytes ?? Number.POSITIVE_INFINITY,
  };
}

function linesWanted(startLine: number, range: TextRange): number {
  if (startLine < 0) return Number.POSITIVE_INFINITY;
  return Math.max(1, (range.endLine ?? Number.POSITIVE_INFINITY) - startLine + 1);
}

function fromStart(line: number | undefined, totalLines: number): number {
  if (line === undefined) return 1;
  return Math.max(1, line < 0 ? totalLines + 1 + line : line);
}

function totalOf(taken: Taken, isEnd: boolean) {
  return isEnd && taken.startLine > 0 && taken.nextStartLine === undefined
    ? { totalLines: taken.endLine }
    : {};
}

function assertInside(startLine: number, totalLines: number, { endLine }: TextRange, shown: string): void {
  if (startLine > totalLines)
    throw new ToolError(
      'invalid_parameter',
      `start_line is past the end: ${shown} has ${counted(totalLines, 'line')}.`,
      `start_line がファイルの終わりを超えています。${shown} は ${totalLines} 行です。`,
      { details: { total_lines: totalLines } },
    );
  if (endLine !== undefined && endLine < startLine)
    throw new ToolError(
      'invalid_parameter',
      `end_line ${endLine} comes before line ${startLine}, the first of the range.`,
      `end_line ${endLine} が範囲の最初の行 ${startLine} より前です。`,
    );
}

async function notText(head: Uint8Array, shown: string): Promise<ToolError> {
  const { mime } = await mimeOfBytes(head.subarray(0, 4096), shown);
  return new ToolError(
    'unsupported_encoding',
    mime.startsWith('text/')
      ? text(`${shown} is not valid UTF-8.`, `${shown} は UTF-8 として正しくありません。`)
      : text(`${shown} is not text: it looks like ${mime}.`, `${shown} はテキストではありません (${mime})。`),
    {
      details: { mime_type: mime },
      ...(!head.includes(0) && {
        suggestion: text(
          'If it is text, name its encoding, e.g. encoding: "latin1".',
          'テキストであれば、encoding に文字コードを指定してください。例: "latin1"',
        ),
      }),
    },
  );
}
