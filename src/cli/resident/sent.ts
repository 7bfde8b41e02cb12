import { Buffer } from 'node:buffer';

/** The bytes that were sent and may have to be sent again. Positions count from the first byte of the connection. */
export class Sent {
  #chunks: Buffer[] = [];
  #from = 0;

  constructor(first: readonly Buffer[] = []) {
    this.#chunks = first.filter(({ length }) => length > 0);
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  /** Forgets what lies before this position. */
  drop(to: number): void {
    while (this.#chunks[0] && this.#from + this.#chunks[0].length <= to)
      this.#from += this.#chunks.shift()?.length ?? 0;
    const [first] = this.#chunks;
    if (!first || to <= this.#from) return;
    this.#chunks[0] = first.subarray(to - this.#from);
    this.#from = to;
  }

  /** A copy of what lies between two positions. */
  slice(from: number, to: number): Buffer {
    const parts: Buffer[] = [];
    let at = this.#from;
    for (const chunk of this.#chunks) {
      if (at >= to) break;
      if (at + chunk.length > from) parts.push(chunk.subarray(Math.max(0, from - at), to - at));
      at += chunk.length;
    }
    return Buffer.concat(parts);
  }

  all(): readonly Buffer[] {
    return this.#chunks;
  }
}
