import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputPage } from '../contract/capabilities/pipeline.ts';
import { ToolError } from '../contract/error.ts';
import { cleanText } from '../contract/text/clean-text.ts';
import { text } from '../contract/text/text.ts';
import { readAtNow } from '../files/io.ts';
import { continued, wholeLength } from '../ground/text/utf8-ends.ts';
import { defer, deferred } from '../ground/waiting/defer.ts';

/** The most of an output that is kept for reading on. */
export const keptBytes = 64 * 1024 * 1024;
const keptOutputs = 8;

export interface CollectedOutput {
  readonly text: string;
  readonly bytes: number;
  readonly truncated: boolean;
  readonly nextCursor?: string | undefined;
  /** It exceeded what is kept, so the pipeline was stopped. */
  readonly stopped: boolean;
}

/** The outputs of one session that were too long for a reply. */
export type OutputShelf = ReturnType<typeof createOutputShelf>;

export function createOutputShelf(folder: string) {
  const kept: { readonly id: string; readonly path: string; readonly bytes: number }[] = [];
  let made = 0;

  async function collect(stream: AsyncIterable<Buffer>, shownBytes: number): Promise<CollectedOutput> {
    const head: Buffer[] = [];
    let bytes = 0;
    let stopped = false;
    let file: Awaited<ReturnType<typeof open>> | undefined;
    const id = String(++made);
    const path = join(folder, id);
    await using _ = deferred(() => file?.close());
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (file === undefined && bytes <= shownBytes) {
        head.push(chunk);
        continue;
      }
      if (file === undefined) {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        file = await open(path, 'wx+', 0o600);
        await file.writeFile(Buffer.concat(head));
      }
      await file.writeFile(chunk);
      if (bytes > keptBytes) {
        stopped = true;
        break;
      }
    }
    if (file === undefined)
      return { text: cleanText(Buffer.concat(head).toString('utf8')), bytes, truncated: false, stopped };
    kept.push({ id, path, bytes });
    for (const old of kept.splice(0, Math.max(0, kept.length - keptOutputs)))
      rmSync(old.path, { force: true });
    return {
      ...cut(path, bytes, shownBytes / 2, stopped),
      bytes,
      nextCursor: `${id}.${headEnd(path, shownBytes / 2)}`,
      truncated: true,
      stopped,
    };
  }

  return {
    /** Shows at most `shownBytes` of it, from its beginning and its end. */
    collect,
    readOn(cursor: string, shownBytes: number): OutputPage {
      const [, id, at] = /^(\d+)\.(\d+)$/.exec(cursor) ?? [];
      const output = kept.find((candidate) => candidate.id === id);
      const from = Number(at);
      if (!output || from > output.bytes)
        throw new ToolError(
          'not_found',
          'This cursor is no longer valid.',
          'このカーソルはもう使えません。',
          text('Send the command again without cursor.', 'cursor を付けずにコマンドを送り直してください。'),
        );
      const page = pageOf(output.path, from, shownBytes);
      const next = from + page.length;
      return {
        text: cleanText(page.toString('utf8')),
        ...(next < output.bytes ? { nextCursor: `${id}.${next}` } : {}),
      };
    },
    close() {
      kept.length = 0;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The start and the end of a long output, cut at a line if one is near. */
function cut(path: string, bytes: number, half: number, stopped: boolean): { readonly text: string } {
  const head = readAt(path, 0, headEnd(path, half));
  const from = bytes - half;
  const tail = readAt(path, from, half);
  const line = tail.indexOf(10) + 1;
  const start = line > 0 && line < 4096 ? line : continued(tail);
  const gap = from + start - head.length;
  const mark = stopped
    ? `[… ${gap} bytes cut, and the pipeline was stopped at ${bytes} …]`
    : `[… ${gap} bytes cut …]`;
  const joint = head.at(-1) === 10 ? '' : '\n';
  return {
    text: cleanText(`${head.toString('utf8')}${joint}${mark}\n${tail.subarray(start).toString('utf8')}`),
  };
}

function headEnd(path: string, half: number): number {
  return lineEnd(readAt(path, 0, half)).length;
}

function pageOf(path: string, from: number, shownBytes: number): Buffer {
  const page = readAt(path, from, shownBytes);
  return page.length < shownBytes ? page : lineEnd(page);
}

/** Drops an incomplete line or character at the end. */
function lineEnd(bytes: Buffer): Buffer {
  const line = bytes.lastIndexOf(10) + 1;
  if (line > bytes.length - 4096 && line > 0) return bytes.subarray(0, line);
  // A single character that exceeds the page is shown all the same, so that the reader advances.
  return bytes.subarray(0, wholeLength(bytes) || bytes.length);
}

function readAt(path: string, position: number, length: number): Buffer {
  const fd = openSync(path, 'r');
  using _ = defer(() => closeSync(fd));
  return readAtNow(fd, position, length);
}
