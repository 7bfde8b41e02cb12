import type { Page } from './page.ts';
import { constant, isGrammar, quoted } from './quote.ts';

/** Constant text of a word, gathered from pieces in whatever quotes and written as one. */
export class Constant {
  readonly #page: Page;
  readonly #strict: boolean;
  #text = '';
  #some = false;
  #isBare = true;

  /** With `strict`, bare text stays apart from what was quoted, and that stays in quotes. */
  constructor(page: Page, strict: boolean) {
    this.#page = page;
    this.#strict = strict;
  }

  quote(text: string): void {
    if (this.#strict && this.#isBare) this.end(false);
    this.#text += text;
    this.#some = true;
    this.#isBare = false;
  }

  bare(text: string): void {
    if (this.#strict && !this.#isBare) this.end(false);
    this.#text += text;
    this.#some ||= text !== '';
  }

  /** Writes what was gathered, in quotes for sure where what follows could give it another meaning. */
  end(mistakable: boolean): void {
    const text = this.#text;
    if (this.#some) {
      // A name or a number, and no path, which a tilde may begin.
      if ((mistakable && /^\w+$/.test(text)) || (this.#isBare ? isGrammar(text) : this.#strict))
        this.#page.add(quoted(text));
      else this.#page.add(this.#isBare ? text : constant(text));
    }
    this.#text = '';
    this.#some = false;
    this.#isBare = true;
  }
}
