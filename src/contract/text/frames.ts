import { isUtf8 } from 'node:buffer';
import { isTooIntricate } from './intricate.ts';

export type Refusal = 'too_large' | 'too_intricate' | 'not_utf8';

export interface FrameLimits {
  readonly maxBytes: number;
  /** Of the JSON in a line; see `isTooIntricate`. */
  readonly maxValues: number;
  readonly maxDepth: number;
}

export interface FrameEvents {
  /** So many bytes were received: a line with its newline, before it is handed on, or a part of one over the limit. */
  readonly onReceived?: ((bytes: number) => void) | undefined;
  readonly onFrame: (text: string) => void;
  /** A line was over a limit or not UTF-8 and skipped; its first and last bytes help to find the request's id. */
  readonly onRefused: (reason: Refusal, head: string, tail: string) => void;
}

const edgeBytes = 512;
const newline = 0x0a;

/**
 * Splits a byte stream into lines. Chunks are kept in a list until their line ends, so a line costs its length once,
 * however many chunks it came in; a line over the limit is skipped without being kept.
 */
export function createFrameReader(frameLimits: FrameLimits, events: FrameEvents): (chunk: Buffer) => void {
  const { maxBytes } = frameLimits;
  let parts: Buffer[] = [];
  let bytes = 0;
  let told = 0;

  function take(part: Buffer): void {
    bytes += part.length;
    if (bytes <= maxBytes) {
      parts.push(part);
      return;
    }
    // Over the limit, only the two ends are kept.
    events.onReceived?.(bytes - told);
    told = bytes;
    const recent = Buffer.concat([parts.at(-1) ?? part.subarray(0, 0), part]);
    const head = Buffer.from((parts[0] ?? part).subarray(0, edgeBytes));
    parts = [head, Buffer.from(recent.subarray(Math.max(0, recent.length - edgeBytes)))];
  }

  function end(): void {
    const line = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    const tooLarge = bytes > maxBytes;
    events.onReceived?.(bytes + 1 - told);
    parts = [];
    bytes = 0;
    told = 0;
    const refusal = tooLarge ? 'too_large' : refusalOf(line, frameLimits);
    if (refusal) {
      events.onRefused(refusal, edge(line, 0, edgeBytes), edge(line, -edgeBytes));
    } else {
      const text = line.toString('utf8');
      if (text.trim() !== '') events.onFrame(text);
    }
  }

  return (chunk) => {
    let start = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, start)) {
      take(chunk.subarray(start, at));
      end();
      start = at + 1;
    }
    if (start < chunk.length) take(chunk.subarray(start));
  };
}

function refusalOf(line: Buffer, frameLimits: FrameLimits): Refusal | undefined {
  if (!isUtf8(line)) return 'not_utf8';
  return isTooIntricate(line, frameLimits) ? 'too_intricate' : undefined;
}

function edge(line: Buffer, start: number, end?: number): string {
  return line.subarray(start, end).toString('latin1').trimEnd();
}

/**
 * The id of a request that was refused unread, if it is the first or last member of the message, as clients write it. A
 * wrong guess would answer another request, so anything less clear gives null.
 */
export function idAtEdges(head: string, tail: string): string | number | null {
  const id = '("(?:[\\w.:/-]{1,128})"|-?\\d{1,15})';
  const found =
    new RegExp(`^\\{(?:"jsonrpc":"2\\.0",)?"id":${id},`).exec(head) ??
    new RegExp(`,"id":${id}(?:,"jsonrpc":"2\\.0")?\\}$`).exec(tail);
  return found?.[1] === undefined ? null : (JSON.parse(found[1]) as string | number);
}
