import type { Buffer } from 'node:buffer';
import { EventEmitter } from 'node:events';

const newline = 10;

/**
 * The input of a session, handed on line by line, so that it is known which bytes a message stood in. It has the part
 * of a `Readable` that the transport uses.
 */
export class LineSource extends EventEmitter {
  readableEnded = false;
  destroyed = false;
  /** Where the line that is being received begins, and the end of the last whole line. */
  from = 0;
  to = 0;
  readonly #waiting: Buffer[] = [];
  #at = 0;
  #isPaused = false;
  #willEnd = false;
  readonly #received: () => void;

  /** `received` is called when what came is handed on. */
  constructor(received: () => void) {
    super();
    this.#received = received;
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
      if (at >= 0) {
        this.from = this.to;
        this.to = this.#at;
      } else if (this.#at - this.to > mostLineBytes) {
        // It is refused when it ends, and need not be kept until then.
        this.to = this.#at;
      }
      this.emit('data', part);
    }
    this.#received();
    if (this.#isPaused || this.#waiting.length > 0 || !this.#willEnd || this.readableEnded) return;
    this.readableEnded = true;
    this.emit('end');
  }
}

/** More than the longest message. */
const mostLineBytes = 80 * 1024 * 1024;
