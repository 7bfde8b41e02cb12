import { Transform, type TransformCallback } from 'node:stream';
import { type Pair, Spelled } from './spelled.ts';

/**
 * Replaces texts in bytes that arrive in pieces of any size. Lengths stay, so the framing of a message does too. What may
 * be the start of a text is held back until the next piece.
 */
export class Replacement {
  readonly #pairs: readonly (Pair & { readonly sought: string })[];
  readonly #spelled: readonly Spelled[];
  readonly #overlap: number;
  readonly #ignoresCase: boolean;
  #held = '';

  /** `spelled`: texts that may be written in any way, and are then found in either case, as the others are. */
  constructor(pairs: readonly Pair[], spelled: readonly Pair[] = []) {
    this.#ignoresCase = spelled.length > 0;
    this.#pairs = pairs.map((pair) => ({ ...pair, sought: this.#folded(pair.from) }));
    this.#spelled = spelled.map((pair) => new Spelled(pair));
    this.#overlap = Math.max(
      0,
      ...pairs.map(({ from }) => from.length - 1),
      ...this.#spelled.map(({ longest }) => longest - 1),
    );
  }

  /** A whole text at once. If its end was cut off, what may be the start of a text goes, too. */
  text(words: string, isCut = false): string {
    const replaced = this.#replaced(words);
    return isCut ? replaced.slice(0, this.#startsAt(replaced)) : replaced;
  }

  stream(): Transform {
    const take = (chunk: Buffer, _encoding: string, done: TransformCallback) => done(null, this.#take(chunk));
    const flush = (done: TransformCallback) => done(null, Buffer.from(this.#held, 'latin1'));
    return new Transform({ transform: take, flush });
  }

  #replaced(words: string): string {
    const folded = this.#folded(words);
    let rest = words;
    for (const { sought, to } of this.#pairs) {
      for (let at = folded.indexOf(sought); at !== -1; at = folded.indexOf(sought, at + 1)) {
        rest = rest.slice(0, at) + to + rest.slice(at + to.length);
      }
    }
    for (const each of this.#spelled) rest = each.replaceIn(rest, folded);
    return rest;
  }

  #folded(words: string): string {
    return this.#ignoresCase ? words.toLowerCase() : words;
  }

  #take(chunk: Buffer): Buffer {
    const words = this.#replaced(this.#held + chunk.toString('latin1'));
    const kept = this.#startsAt(words);
    this.#held = words.slice(kept);
    return Buffer.from(words.slice(0, kept), 'latin1');
  }

  /** Where the start of a text may stand at the end of the words. */
  #startsAt(words: string): number {
    const from = Math.max(0, words.length - this.#overlap);
    const last = this.#folded(words.slice(from));
    for (let at = 0; at < last.length; at++) {
      const tail = last.slice(at);
      if (this.#pairs.some(({ sought }) => sought.startsWith(tail))) return from + at;
      if (this.#spelled.some((each) => each.at(last, at) === 'begun')) return from + at;
    }
    return words.length;
  }
}
