import { hash } from 'node:crypto';
import type { FileStat, Place } from '../contract/capabilities/files.ts';
import type { NotePart, NoteReading } from '../contract/capabilities/vault.ts';
import { ToolError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';

/** Reads whole lines while they fit, and a part of a line only if it alone does not fit. */
export async function readPart(place: Place, part: NotePart): Promise<NoteReading> {
  const { startLine, charOffset, endLine, maxChars, signal } = part;
  try {
    const slice = await place.readText({
      startLine,
      // The character before shows whether the line ends there.
      charOffset: Math.max(0, charOffset - 1),
      endLine,
      // Read with CRLF and the last newline, returned with LF and without it.
      maxChars: 2 * maxChars + 3,
      encoding: 'utf-8',
      signal,
    });
    if (slice.encoding !== 'utf-8') throw notText();
    const [before = ''] = charOffset > 0 ? slice.text : '';
    if (charOffset > 0 && /^(?:\r?\n|$)/.test(slice.text)) return await pastLine(place, part, charOffset);
    const found = slice.text.slice(before.length).replaceAll('\r\n', '\n').replace(/\n$/, '');
    const end = offsetOfChar(found, maxChars);
    const isCut = end < found.length;
    const newline = isCut ? found.lastIndexOf('\n', end) : -1;
    const taken = isCut ? found.slice(0, newline === -1 ? end : newline) : found;
    const lastLine = isCut ? startLine + taken.split('\n').length - 1 : slice.endLine;
    const next =
      isCut && newline === -1
        ? { line: startLine, charOffset: charOffset + maxChars }
        : isCut || slice.nextStartLine !== undefined
          ? { line: lastLine + 1, charOffset: 0 }
          : undefined;
    return {
      kind: 'part',
      text: taken,
      chars: countChars(taken),
      startLine,
      endLine: lastLine,
      next,
      cut: next !== undefined && (endLine === undefined || next.line <= endLine),
      version: versionOf(slice.stat),
    };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const { total_lines: totalLines, line_chars: lineChars } = error.details ?? {};
    if (typeof totalLines === 'number') return { kind: 'past_end', totalLines };
    if (typeof lineChars === 'number') return await pastLine(place, part, lineChars);
    throw error.code === 'unsupported_encoding' ? notText() : error;
  }
}

/** The length of a line that ends after at most `chars` characters, its ending included or not. */
async function pastLine(place: Place, { startLine, signal }: NotePart, chars: number): Promise<NoteReading> {
  const from = Math.max(0, chars - 2);
  const range = { startLine, endLine: startLine, charOffset: from, maxChars: 4, encoding: 'utf-8', signal };
  const rest = (await place.readText(range)).text.replace(/\r?\n$/, '');
  return { kind: 'past_line', lineChars: from + countChars(rest) };
}

function countChars(words: string): number {
  return words.length - (words.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

/** The offset of a code point; the end if there are fewer. */
function offsetOfChar(words: string, chars: number): number {
  if (words.length <= chars) return words.length;
  let at = 0;
  for (let left = chars; left > 0 && at < words.length; left--)
    at += (words.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
}

/** Changes whenever the file does; reveals nothing about it. */
function versionOf({ device, inode, bytes, modifiedNs, changedNs }: FileStat): string {
  return hash('sha256', `${device}:${inode}:${bytes}:${modifiedNs}:${changedNs}`).slice(0, 12);
}

export function notText(): ToolError {
  return new ToolError(
    'unsupported_encoding',
    'The note is not UTF-8 text.',
    'ノートが UTF-8 のテキストではありません。',
    text('Convert it to UTF-8 first.', '先に UTF-8 へ変換してください。'),
  );
}
