import { continued, wholeLength } from './utf8-ends.ts';

export interface CutText {
  readonly head: string;
  readonly tail: string;
  /** The start and length of the omitted middle, in bytes of UTF-8. */
  readonly fromByte: number;
  readonly leftOutBytes: number;
}

/**
 * The first two thirds and the last third of a text over `maxBytes` of UTF-8: a log's cause is at its start and its
 * result at its end. Both are cut at a line if one is near. Undefined if the text fits.
 */
export function cutMiddle(text: string, maxBytes: number): CutText | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return undefined;
  const third = Math.floor(maxBytes / 3);
  // A character is at least one byte, so these slices suffice; the rest of a long text is never encoded.
  const head = firstBytes(Buffer.from(text.slice(0, maxBytes + spareChars)), maxBytes - third);
  const end = Buffer.from(text.slice(-third - spareChars));
  const start = end.length - third;
  const line = end.indexOf(10, start) + 1;
  const tail = end.subarray(line > 0 && line - start < third / 4 ? line : start + continued(end, start));
  return {
    head: head.toString('utf8'),
    tail: tail.toString('utf8'),
    fromByte: head.length,
    leftOutBytes: bytes - head.length - tail.length,
  };
}

/** The outermost characters may be half of a surrogate pair. */
const spareChars = 4;

/** The first bytes of a UTF-8 text, at most `maxBytes`, up to the end of a line if one is near, else of a character. */
export function firstBytes(bytes: Buffer, maxBytes: number): Buffer {
  if (bytes.length <= maxBytes) return bytes;
  const line = bytes.lastIndexOf(10, maxBytes - 1) + 1;
  if (line > maxBytes * 0.75) return bytes.subarray(0, line);
  const end = wholeLength(bytes.subarray(0, maxBytes));
  // A single character that exceeds the limit is returned all the same, so that the reader advances.
  return bytes.subarray(0, end || 1 + continued(bytes, 1));
}
