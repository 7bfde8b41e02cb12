/** Reads the data types of ssh (RFC 4251, section 5). Throws where the bytes end too early. */
export class Reading {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isOver(): boolean {
    return this.#at === this.#bytes.length;
  }

  byte(): number {
    this.#at += 1;
    return this.#bytes.readUInt8(this.#at - 1);
  }

  string(): Buffer {
    const from = this.#at + 4;
    const end = from + this.#bytes.readUInt32BE(this.#at);
    if (end > this.#bytes.length) throw new RangeError('the string is longer than its message');
    this.#at = end;
    return this.#bytes.subarray(from, end);
  }

  text(): string {
    return this.string().toString('latin1');
  }
}

export function stringOf(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Reads messages from a stream, each a string with a type and a content. Ends at the first that is too long. */
export async function* messagesIn(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of stream) {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= 4) {
      const end = 4 + bytes.readUInt32BE(0);
      if (end > maxMessageBytes || end === 4) return;
      if (bytes.length < end) break;
      yield bytes.subarray(4, end);
      bytes = bytes.subarray(end);
    }
  }
}

/** As OpenSSH's agent takes them. */
const maxMessageBytes = 256 * 1024;
