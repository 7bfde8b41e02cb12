import { Buffer } from 'node:buffer';
import { cleanText } from '../../../contract/text/clean-text.ts';

/** Collects a stream of any length in bounded memory: its beginning and its end. */
export interface OutputKeeper {
  add(chunk: Buffer): void;
  readonly bytes: number;
  /** Cleaned text; where the middle was cut, a line says how much. */
  finish(): { readonly text: string; readonly truncated: boolean };
}

/** Keeps the first and the last half of `maxBytes`: a log's cause is at its start and its result at its end. */
export function createOutputKeeper(maxBytes: number): OutputKeeper {
  const headBytes = Math.ceil(maxBytes / 2);
  const head: Buffer[] = [];
  let tail: Buffer[] = [];
  let kept = 0;
  let tailBytes = 0;
  let total = 0;
  let finished: { readonly at: number; readonly text: string; readonly truncated: boolean } | undefined;

  function compose() {
    if (total <= maxBytes) return { text: decode([...head, ...tail]), truncated: false };
    const end = Buffer.concat(tail);
    const last = end.subarray(end.length - (maxBytes - headBytes));
    const cut = total - kept - last.length;
    const start = decode([wholeCharacters(Buffer.concat(head))]);
    return {
      text: `${start}\n[… ${cut} bytes cut …]\n${decode([last.subarray(continuationBytes(last))])}`,
      truncated: true,
    };
  }

  return {
    get bytes() {
      return total;
    },
    add(chunk) {
      total += chunk.length;
      if (kept < headBytes) {
        const part = chunk.subarray(0, headBytes - kept);
        head.push(part);
        kept += part.length;
        if (part.length === chunk.length) return;
        chunk = chunk.subarray(part.length);
      }
      tail.push(chunk);
      tailBytes += chunk.length;
      // Twice the need before it is trimmed, so that trimming costs nothing per chunk.
      if (tailBytes > 2 * maxBytes) {
        tail = [Buffer.concat(tail).subarray(-(maxBytes - headBytes) || tailBytes)];
        tailBytes = tail[0]?.length ?? 0;
      }
    },
    finish() {
      // Asked for by whoever looks at it and by whoever returns it: megabytes are not made twice.
      if (finished?.at !== total) finished = { at: total, ...compose() };
      return finished;
    },
  };
}

/** Joined first: one long text is decoded several times faster than many pieces, whose ends may be half a character. */
function decode(pieces: readonly Buffer[]): string {
  return cleanText(Buffer.concat(pieces).toString('utf8'));
}

/** Without the character that the end cuts in two. */
export function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
    }
  }
  return bytes;
}

/** How many bytes at the start belong to a character that began before. */
export function continuationBytes(bytes: Buffer): number {
  let count = 0;
  while (count < 3 && ((bytes[count] ?? 0) & 0xc0) === 0x80) count++;
  return count;
}
