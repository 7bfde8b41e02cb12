/** A long text without its middle. */
export interface CutText {
  readonly head: string;
  readonly tail: string;
  /** Where the middle begins, and how long it is, as UTF-8. */
  readonly fromByte: number;
  readonly leftOutBytes: number;
}

/**
 * The beginning and the end of a text that is over `maxBytes` as UTF-8, two thirds and one: a log's cause is at its
 * start and its result at its end. Both end at a line where one is near. Undefined where all of it fits.
 */
export function cutMiddle(text: string, maxBytes: number): CutText | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return undefined;
  const third = Math.floor(maxBytes / 3);
  // A character is a byte at least, so these hold what is looked at: of megabytes no bytes are made that go out again.
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

/** The first and the last may be half a character of two. */
const spareChars = 4;

/**
 * The first bytes of a UTF-8 text, at most `maxBytes`, up to the end of a line where one is near, else of a
 * character.
 */
export function firstBytes(bytes: Buffer, maxBytes: number): Buffer {
  if (bytes.length <= maxBytes) return bytes;
  const line = bytes.lastIndexOf(10, maxBytes - 1) + 1;
  if (line > maxBytes * 0.75) return bytes.subarray(0, line);
  let end = maxBytes;
  while (end > 0 && isContinuation(bytes[end])) end--;
  // A character that is longer than what fits goes out all the same: a reader must get on.
  return bytes.subarray(0, end || 1 + continued(bytes, 1));
}

/** How many bytes from there on belong to a character that began before. */
function continued(bytes: Buffer, from: number): number {
  let count = 0;
  while (count < 3 && isContinuation(bytes[from + count])) count++;
  return count;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
