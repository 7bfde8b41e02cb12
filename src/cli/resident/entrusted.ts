import type { Buffer } from 'node:buffer';
import type { Taken } from './frames.ts';

interface Line {
  readonly kind: 'repeat' | 'keep';
  readonly name: string | undefined;
  readonly bytes: Buffer;
}

/** The lines that a resident server has entrusted to the small program, in case it dies. */
export class Entrusted {
  readonly #open = new Map<number, Line | string>();
  readonly #kept = new Map<string, Buffer>();

  /** `lineOf` gives the bytes of the line that was taken. */
  take({ key, kind, words = '', name }: Taken, lineOf: () => Buffer): void {
    if (key === undefined || kind === undefined) return;
    if (kind === 'say') this.#open.set(key, words);
    else if (kind === 'drop') {
      this.#kept.delete(name ?? '');
      this.#open.set(key, { kind: 'repeat', name, bytes: lineOf() });
    } else this.#open.set(key, { kind, name, bytes: lineOf() });
  }

  settle(key: number): void {
    const line = this.#open.get(key);
    this.#open.delete(key);
    if (typeof line === 'object' && line.kind === 'keep') this.#kept.set(line.name ?? '', line.bytes);
  }

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  /** The server has died: what the client is told, what the next server gets as answered, and what it gets again. */
  release(): {
    readonly said: string;
    readonly answered: readonly string[];
    readonly again: readonly Buffer[];
  } {
    const open = [...this.#open.values()];
    this.#open.clear();
    return {
      said: open.flatMap((each) => (typeof each === 'string' ? [`${each}\n`] : [])).join(''),
      answered: [...this.#kept.values()].map((bytes) => bytes.toString('utf8')),
      again: open.flatMap((each) => (typeof each === 'string' ? [] : [each.bytes])),
    };
  }
}
