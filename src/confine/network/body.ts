import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';

/** The codings that we ask for and can undo. */
export const acceptedCodings = 'gzip, deflate, br, zstd';

/**
 * Collects a response's body, undoing its content codings, and stops at `maxBytes` of what comes out: a small
 * body that unpacks to gigabytes costs no more than the limit. Nobody waits for a decoder: what it still does when there
 * is enough, or when the signal aborts, it does for itself.
 */
export async function collectBody(
  response: IncomingMessage,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ readonly body: Buffer; readonly truncated: boolean }> {
  const codings = (response.headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    // Servers write names there that are none (`UTF-8`, `none`, `aws-chunked`), and browsers show the page as it came.
    .filter((coding) => codingNames.has(coding));
  if (codings.length > maxCodings) throw new Error('too many content codings');

  const chunks: Buffer[] = [];
  let bytes = 0;
  let truncated = false;
  const { promise: whole, resolve, reject } = Promise.withResolvers<void>();
  async function collect(source: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of source) {
      const room = maxBytes - bytes;
      chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      bytes += Math.min(chunk.length, room);
      truncated = chunk.length > room;
      if (truncated) return resolve();
    }
  }

  const giveUp = () => reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    // Codings are named in the order they were applied, so the last is undone first.
    // The types know no list of mixed steps; the function does.
    const steps = [response, ...codings.reverse().map(decoder), collect];
    pipeline(steps as unknown as NodeJS.ReadWriteStream[], { signal }).then(resolve, reject);
    await whole;
  } finally {
    signal.removeEventListener('abort', giveUp);
    response.destroy();
  }
  return { body: Buffer.concat(chunks), truncated };
}

const maxCodings = 3;
const codingNames: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd']);
/** What RFC 9659 lets a zstd frame on the web ask for: 8 MiB. */
const zstdWindowLog = 23;
// A server that closes without the trailer has still sent its text.
const lenient = { finishFlush: zlib.constants.Z_SYNC_FLUSH };

function decoder(coding: string): NodeJS.ReadWriteStream | typeof inflateEither {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip(lenient);
    case 'deflate':
      return inflateEither;
    case 'br':
      return zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH });
    case 'zstd':
      return zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: zstdWindowLog } });
    default:
      throw new Error(`unknown content coding ${coding}`);
  }
}

/** Servers send `deflate` with and without the zlib header; the first byte tells which. */
async function* inflateEither(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;
  const hasHeader = ((first.value[0] ?? 0) & 0x0f) === 8;
  const inflate = hasHeader ? zlib.createInflate(lenient) : zlib.createInflateRaw(lenient);
  async function* again(): AsyncGenerator<Buffer> {
    yield first.value as Buffer;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }
  const input = Readable.from(again());
  input.once('error', (error) => inflate.destroy(error));
  yield* input.pipe(inflate);
}
