import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';
import { type Asked, headerOf } from './asked.ts';

const maxUnpackedBytes = 1 << 20;

/** The start of a body, unpacked; undefined if its coding is not known or it is a bomb. */
export function bodyStartOf(asked: Asked): Buffer | undefined {
  const { bodyStart } = asked.request;
  if (bodyStart.length === 0) return bodyStart;
  const coding = asked.headers.has('content-encoding') ? headerOf(asked, 'content-encoding') : 'identity';
  // The start of a longer body ends in the middle.
  const bounds = { maxOutputLength: maxUnpackedBytes, finishFlush: constants.Z_SYNC_FLUSH };
  try {
    switch (coding?.toLowerCase()) {
      case 'identity':
        return bodyStart;
      case 'gzip':
      case 'x-gzip':
        return gunzipSync(bodyStart, bounds);
      case 'deflate':
        return inflateSync(bodyStart, bounds);
      case 'br':
        return asked.request.bodyIsWhole
          ? brotliDecompressSync(bodyStart, { maxOutputLength: maxUnpackedBytes })
          : undefined;
      default:
        return undefined;
    }
  } catch {
    // It is not in the coding that its header names, or larger than anything that reads.
    return undefined;
  }
}

/** The text of a whole body; undefined if it is longer than what is at hand, or not UTF-8. */
export function bodyTextOf(asked: Asked): string | undefined {
  const bytes = asked.request.bodyIsWhole ? bodyStartOf(asked) : undefined;
  const words = bytes?.toString('utf8');
  return words?.includes('\ufffd') ? undefined : words;
}

/** A whole body as JSON; undefined if it is none, or if a key is repeated, since parsers then disagree. */
export function bodyJsonOf(asked: Asked): unknown {
  const words = bodyTextOf(asked);
  if (words === undefined) return undefined;
  let kept = 0;
  try {
    const value: unknown = JSON.parse(words, function (this: unknown, _key, member: unknown) {
      if (!Array.isArray(this)) kept += 1;
      return member;
    });
    const keys = words.match(/"(?:[^"\\]|\\.)*"(?:\s*:)?/g)?.filter((token) => token.endsWith(':')) ?? [];
    // The root counts as a member, too.
    return keys.length === kept - 1 ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The fields of a whole `application/x-www-form-urlencoded` body; undefined if it is none or repeats one. */
export function bodyFormOf(asked: Asked): ReadonlyMap<string, string> | undefined {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(headerOf(asked, 'content-type') ?? ''))
    return undefined;
  const words = bodyTextOf(asked);
  const pairs = words === undefined ? [] : [...new URLSearchParams(words)];
  const fields = new Map(pairs);
  return words !== undefined && fields.size === pairs.length ? fields : undefined;
}

/** Whether the request brings any body. */
export function hasBody({ request }: Asked): boolean {
  return request.bodyStart.length > 0 || !request.bodyIsWhole || (request.bodyBytes ?? 0) > 0;
}
