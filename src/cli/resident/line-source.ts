import { Buffer } from 'node:buffer';
import { EventEmitter } from 'node:events';
import { limits } from '../../contract/limits.ts';

const newline = 10;

/**
 * The input of a session, handed on line by line, so that it is known which bytes a message stood in. It has the part
 * of a `Readable` that the transport uses.
 */
export class LineSource extends EventEmitter {
  readableEnded = false;
  destroyed = false;
  /** The end of the last whole line. */
  to: number;
  readonly #waiting: Buffer[] = [];
  #parts: Buffer[] = [];
  #line: Buffer | undefined;
  #at: number;
  #isPaused = false;
  #willEnd = false;
  readonly #received: () => void;

  /** The first byte is at `from`. `received` is called when what came is handed on. */
  constructor(from: number, received: () => void) {
    super();
    this.to = from;
    this.#at = from;
    this.#received = received;
  }

  /** The line that was received last. */
  line(): string {
    return this.#line?.toString('utf8').trimEnd() ?? '';
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  feed(chunk: Buffer): void {
    this.#waiting.push(chunk);
    this.#flow();
  }

  end(): void {
    this.#willEnd = true;
    this.#flow();
  }

  /** The client is gone. */
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }

  pause(): this {
    this.#isPaused = true;
    return this;
  }

  resume(): this {
    this.#isPaused = false;
    this.#flow();
    this.emit('flows');
    return this;
  }

  #flow(): void {
    while (!this.#isPaused && this.#waiting[0]) {
      const [first] = this.#waiting;
      const at = first.indexOf(newline);
      const part = at < 0 ? first : first.subarray(0, at + 1);
      if (part.length === first.length) this.#waiting.shift();
      else this.#waiting[0] = first.subarray(part.length);
      this.#at += part.length;
      this.#parts.push(part);
      const isTooLong = this.#at - this.to > mostLineBytes;
      if (at < 0 && !isTooLong) continue;
      this.to = this.#at;
      const parts = this.#parts;
      this.#parts = [];
      // The transport refuses it when it ends, and nobody keeps it until then.
      this.#line = isTooLong || parts.length === 1 ? part : Buffer.concat(parts);
      for (const each of isTooLong ? parts : [this.#line]) this.emit('data', each);
    }
    this.#received();
    if (this.#isPaused || this.#waiting.length > 0 || !this.#willEnd || this.readableEnded) return;
    this.readableEnded = true;
    this.emit('end');
  }
}

/** More than a message with its newline. */
const mostLineBytes = limits.stdioMessageBytes + 1;
