import { cleanText } from '../../contract/text/clean-text.ts';
import { continued, wholeLength } from '../../ground/text/utf8-ends.ts';
import { createFrames } from './frames.ts';

/** Keeps both ends of a stream, each half of `maxBytes`: a log's cause is at its start and its result at its end. */
export function createOutputKeeper(maxBytes: number) {
  const headBytes = Math.ceil(maxBytes / 2);
  const head: Buffer[] = [];
  let tail: Buffer[] = [];
  let kept = 0;
  let tailBytes = 0;
  let total = 0;
  /** The length that counts for the limit: without overwritten frames. */
  let settled = 0;
  const frames = createFrames();
  let finished: { readonly at: number; readonly text: string; readonly truncated: boolean } | undefined;

  function compose() {
    const rest = frames.rest();
    const all = settled + rest.length;
    if (all <= maxBytes) return { text: decode([...head, ...tail, rest]), truncated: false };
    const first = Buffer.concat([...head, rest.subarray(0, headBytes - kept)]);
    const end = Buffer.concat([...tail, rest.subarray(headBytes - kept)]);
    const last = end.subarray(Math.max(0, end.length - (maxBytes - headBytes)));
    const cut = all - first.length - last.length;
    const start = decode([first.subarray(0, wholeLength(first))]);
    return {
      text: `${start}\n[… ${cut} bytes cut …]\n${decode([last.subarray(continued(last))])}`,
      truncated: true,
    };
  }

  function settle(chunk: Buffer): void {
    settled += chunk.length;
    let more = chunk;
    if (kept < headBytes) {
      const part = more.subarray(0, headBytes - kept);
      head.push(part);
      kept += part.length;
      if (part.length === more.length) return;
      more = more.subarray(part.length);
    }
    tail.push(more);
    tailBytes += more.length;
    // Trimmed at twice the needed size, so that trimming is cheap per chunk.
    if (tailBytes > 2 * maxBytes) {
      tail = [Buffer.concat(tail).subarray(-(maxBytes - headBytes) || tailBytes)];
      tailBytes = tail[0]?.length ?? 0;
    }
  }

  return {
    get bytes(): number {
      return total;
    },
    /** How many frames of lines were overwritten and are left out. */
    get overwritten(): number {
      return frames.left;
    },
    add(chunk: Buffer): void {
      total += chunk.length;
      settle(frames.add(chunk));
    },
    /** Cleaned text; a line tells how much was cut from the middle. */
    finish(): { readonly text: string; readonly truncated: boolean } {
      // Cached, because it is read and then returned: megabytes are not composed twice.
      if (finished?.at !== total) finished = { at: total, ...compose() };
      return finished;
    },
  };
}

/** Joined first: one long buffer is decoded several times faster than many pieces, whose ends may cut a character. */
function decode(pieces: readonly Buffer[]): string {
  return cleanText(Buffer.concat(pieces).toString('utf8'));
}
