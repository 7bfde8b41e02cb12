import type { Word } from '../words/word.ts';

/**
 * What is surely so where a command stands, as the shell only comes there by way of it: all that is known around its
 * block, and what the block learns for itself.
 */
export class Known {
  readonly #outer: Known | undefined;
  #names: Set<string> | undefined;
  #folders = none;

  constructor(outer?: Known) {
    this.#outer = outer;
  }

  /** Has this variable been given a value? */
  isSet(name: string): boolean {
    return this.#names?.has(name) === true || this.#outer?.isSet(name) === true;
  }

  set(name: string): void {
    this.#names ??= new Set();
    this.#names.add(name);
  }

  /** The folders that it has gone to, in order; that each is there and was entered is sure. */
  folders(): readonly Word[] {
    const before = this.#outer?.folders() ?? none;
    if (this.#folders.length === 0) return before;
    return before.length === 0 ? this.#folders : [...before, ...this.#folders];
  }

  goTo(folder: Word): void {
    this.#folders = [...this.#folders, folder];
  }
}

const none: readonly Word[] = [];
