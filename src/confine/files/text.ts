import { fstatSync } from 'node:fs';
import { ToolError } from '../../contract/error.ts';
import type { TextRange, TextSlice, WholeText } from '../../contract/files.ts';
import { limits } from '../../contract/limits.ts';
import { text } from '../../contract/text.ts';
import { decode, encodingOf } from './encoding.ts';
import { mimeOfBytes } from './mime.ts';
import type { OpenFile } from './reading.ts';
import { readFileBytes, toFileStat } from './reading.ts';

/** All of a text, for those who change it. Throws `unsupported_encoding` for what is not text. */
export async function readWholeText(
  file: OpenFile,
  maxBytes: number,
  shown: string,
  signal?: AbortSignal,
): Promise<WholeText> {
  // Taken before reading: a change while we read then shows as a conflict, not as a lost update.
  const stat = toFileStat(fstatSync(file.fd, { bigint: true }));
  const bytes = await readFileBytes(file, maxBytes, shown, signal);
  const found = encodingOf(bytes);
  if (!found) throw await notText(bytes, shown);
  return {
    text: decode(bytes.subarray(found.bomBytes), found.encoding),
    encoding: found.encoding,
    hasBom: found.bomBytes > 0,
    stat,
  };
}

/** A range of lines of a text, cut at a line end where it passes `maxChars`. */
export async function readTextRange(file: OpenFile, range: TextRange, shown: string): Promise<TextSlice> {
  const whole = await readWholeText(file, Number.MAX_SAFE_INTEGER, shown, range.signal);
  const lines = whole.text.split(/(?<=\n)/);
  const startLine = range.startLine ?? 1;
  const totalLines = Math.max(1, lines.length);
  const last = Math.min(range.endLine ?? totalLines, totalLines);
  const maxChars = range.maxChars ?? limits.readChars;
  let chars = 0;
  let endLine = startLine - 1;
  const kept: string[] = [];
  while (endLine < last) {
    const line = lines[endLine] ?? '';
    if (chars + line.length > maxChars && kept.length > 0) break;
    kept.push(line);
    chars += line.length;
    endLine++;
  }
  const truncated = endLine < last;
  return {
    text: kept.join(''),
    startLine,
    endLine,
    totalLines,
    truncated,
    ...(truncated ? { nextStartLine: endLine + 1 } : {}),
    encoding: whole.encoding,
    hasBom: whole.hasBom,
  };
}

export async function notText(head: Uint8Array, shown: string): Promise<ToolError> {
  const { mime } = await mimeOfBytes(head.subarray(0, 4096), shown);
  return new ToolError(
    'unsupported_encoding',
    text(`${shown} is not text: it looks like ${mime}.`, `${shown} はテキストではありません (${mime})。`),
    { details: { mime_type: mime } },
  );
}
