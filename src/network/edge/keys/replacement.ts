import { Transform, type TransformCallback } from 'node:stream';
import { mixedForms } from './forms.ts';
import { literal, type Pair, Spelled } from './spelled.ts';

/**
 * Replaces texts in bytes that arrive in pieces of any size. Lengths stay, so the framing of a message does too. What may
 * be the start of a text is held back until the next piece.
 */
export class Replacement {
  readonly #pairs: readonly (Pair & { readonly sought: string })[];
  readonly #spelled: readonly Spelled[];
  readonly #overlap: number;
  /** Whether a text can hold one at all: one look, where each would take several. */
  readonly #hint: RegExp;
  /** The characters that one may begin with. */
  readonly #firsts: ReadonlySet<string>;
  readonly #ignoresCase: boolean;

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
    const hints = [
      ...this.#pairs.map(({ sought }) => literal(sought.slice(0, hintChars))),
      ...this.#spelled.map(({ hint }) => hint),
    ];
    this.#hint = new RegExp(hints.length > 0 ? hints.join('|') : '(?!)', this.#ignoresCase ? 'i' : '');
    this.#firsts = new Set([
      ...this.#pairs.map(({ sought }) => sought.charAt(0)),
      ...this.#spelled.flatMap(({ firsts }) => firsts),
    ]);
  }

  /** A whole text at once. If its end was cut off, what may be the start of a text goes, too. */
  text(words: string, isCut = false): string {
    const replaced = this.#replaced(words);
    return isCut ? replaced.slice(0, this.#startsAt(replaced)) : replaced;
  }

  stream(): Transform {
    let held = '';
    const transform = (chunk: Buffer, _encoding: string, done: TransformCallback) => {
      const before = held + chunk.toString('latin1');
      const words = this.#replaced(before);
      const kept = this.#startsAt(words);
      held = words.slice(kept);
      const isSame = words === before && kept === chunk.length && before.length === kept;
      done(null, isSame ? chunk : Buffer.from(words.slice(0, kept), 'latin1'));
    };
    const flush = (done: TransformCallback) => done(null, Buffer.from(held, 'latin1'));
    return new Transform({ transform, flush });
  }

  #replaced(words: string): string {
    if (!this.#hint.test(words)) return words;
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

  /** Where the start of a text may stand at the end of the words. */
  #startsAt(words: string): number {
    const from = Math.max(0, words.length - this.#overlap);
    const last = this.#folded(words.slice(from));
    for (let at = 0; at < last.length; at++) {
      if (!this.#firsts.has(last.charAt(at))) continue;
      const tail = last.slice(at);
      if (this.#pairs.some(({ sought }) => sought.startsWith(tail))) return from + at;
      if (this.#spelled.some((each) => each.at(last, at) === 'begun')) return from + at;
    }
    return words.length;
  }
}

const hintChars = 6;

/** Puts stand-ins in place of values, in the forms in which a host may show them. */
export function hiderFor(
  shown: readonly { readonly value: string; readonly standIn: string }[],
): Replacement {
  return new Replacement(
    shown.flatMap(({ value, standIn }) => mixedForms(value, standIn)),
    shown.map(({ value, standIn }) => ({ from: value, to: standIn })),
  );
}
