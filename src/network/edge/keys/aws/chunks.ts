import { Transform } from 'node:stream';
import { type Signing, sha256, sign } from './signature.ts';

/**
 * Signs the chunks of a body anew, each of which has a signature that covers it and the one before it, and so the trailer. An
 * error ends the stream if one was not signed with the first key. A chunk is held until it is there as a whole.
 */
export class ChunkSigner extends Transform {
  readonly #from: Signing;
  readonly #to: Signing;
  #last: { readonly from: string; readonly to: string };
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Fewer are not looked at. */
  #neededBytes = 0;
  #isTrailing = false;

  /** `seed`: the signatures of the request. */
  constructor(from: Signing, to: Signing, seed: { readonly from: string; readonly to: string }) {
    super();
    this.#from = from;
    this.#to = to;
    this.#last = seed;
  }

  override _transform(part: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#held.push(part);
    this.#heldBytes += part.length;
    try {
      while (!this.#isTrailing && this.#heldBytes > this.#neededBytes)
        this.#takeChunk(Buffer.concat(this.#held));
      if (this.#isTrailing && this.#heldBytes > maxHeadBytes) throw new Error('a long trailer');
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: (error?: Error | null) => void): void {
    try {
      if (!this.#isTrailing) throw new Error('a body that ends within a chunk');
      const words = Buffer.concat(this.#held).toString('latin1');
      const [, trailer = '', given = ''] =
        /^([\s\S]*?)x-amz-trailer-signature:([\da-f]{64})\r\n/i.exec(words) ?? [];
      // The canonical form of a trailer ends its lines as headers do.
      const kind = ['AWS4-HMAC-SHA256-TRAILER', sha256(trailer.replaceAll('\r\n', '\n'))] as const;
      this.push(
        Buffer.from(given === '' ? words : words.replace(given, this.#signed(given, ...kind)), 'latin1'),
      );
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  /** Passes a chunk on if it is there as a whole. */
  #takeChunk(held: Buffer): void {
    const end = held.indexOf('\r\n');
    this.#keep(held, Math.max(this.#neededBytes, held.length));
    if (end === -1 && held.length < maxHeadBytes) return;
    const [, digits = '', given = ''] =
      /^([\da-f]{1,8});chunk-signature=([\da-f]{64})$/i.exec(held.toString('latin1', 0, Math.max(end, 0))) ??
      [];
    const bytes = Number.parseInt(digits, 16);
    if (!(bytes <= maxChunkBytes)) throw new Error('a chunk that cannot be signed anew');
    const dataEnd = end + 2 + bytes;
    // A line break follows its data; after the last chunk comes the trailer.
    const chunkEnd = dataEnd + (bytes > 0 ? 2 : 0);
    if (held.length < chunkEnd) {
      this.#keep(held, chunkEnd - 1);
      return;
    }
    const hash = sha256(held.subarray(end + 2, dataEnd));
    const signature = this.#signed(given, 'AWS4-HMAC-SHA256-PAYLOAD', sha256(''), hash);
    this.push(`${digits};chunk-signature=${signature}\r\n`);
    if (bytes > 0) this.push(held.subarray(end + 2, chunkEnd));
    this.#isTrailing = bytes === 0;
    this.#keep(held.subarray(chunkEnd), 0);
  }

  #keep(held: Buffer, neededBytes: number): void {
    this.#held = [held];
    this.#heldBytes = held.length;
    this.#neededBytes = neededBytes;
  }

  #signed(given: string, kind: string, ...hashes: readonly string[]): string {
    const lines = (signing: Signing, before: string) => [
      kind,
      signing.date,
      signing.scope,
      before,
      ...hashes,
    ];
    const { from, to } = this.#last;
    if (sign(this.#from, lines(this.#from, from)) !== given) throw new Error('a chunk of another key');
    this.#last = { from: given, to: sign(this.#to, lines(this.#to, to)) };
    return this.#last.to;
  }
}

const maxHeadBytes = 4096;
/** Clients write 64 KiB to 8 MiB. */
const maxChunkBytes = 16 * 1024 * 1024;
