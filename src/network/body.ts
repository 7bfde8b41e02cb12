import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';

/** The codings that we accept and can decode. */
export const acceptedCodings = 'gzip, deflate, br, zstd';

/**
 * Collects a response's body, decodes it, and stops at `maxBytes` of the result: a small body that unpacks to gigabytes
 * costs no more than the limit. Does not wait for decoders that still run when there is enough, or when the signal
 * aborts.
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
    // Servers send invalid names (`UTF-8`, `none`, `aws-chunked`), and browsers show such pages undecoded.
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
    // Codings are listed in the order of application, so the last is undone first. The types lack mixed lists; the
    // function accepts them.
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
/** The limit of RFC 9659 for a zstd frame on the web: 8 MiB. */
const zstdWindowLog = 23;
// Accept bodies without a trailer: the text is complete.
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
export async function* inflateEither(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
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
