import type { Word } from '../words/word.ts';

/** The constants of a line: variables that get one value in all of it, or few. Order and branches are ignored. */
export class Names {
  readonly #values = new Map<string, string | undefined>();
  /** All values of a variable; undefined if one is not known, or there are too many. */
  readonly #choices = new Map<string, readonly string[] | undefined>();
  readonly #lists = new Map<string, readonly Word[]>();
  /** The programs that variables surely name, where the full path is not known. */
  readonly #programs = new Map<string, string | undefined>();

  constructor(variables: Readonly<Record<string, string>> = {}) {
    for (const [name, value] of Object.entries(variables)) this.give(name, value);
  }

  /** Undefined stands for a value that is known only when the line runs. */
  give(name: string, value: string | undefined): void {
    this.#lists.delete(name);
    const former = this.has(name) ? this.choicesOf(name) : [];
    const all = value === undefined ? undefined : former && [...new Set([...former, value])];
    this.#choices.set(name, all && all.length <= mostChoices ? all : undefined);
    this.#programs.set(name, undefined);
    this.#values.set(name, this.has(name) && this.valueOf(name) !== value ? undefined : value);
  }

  /** Notes the words of an array, which is known if it is assigned once. */
  giveList(name: string, words: readonly Word[], isAppended: boolean): void {
    const former = this.has(name) ? this.#lists.get(name) : [];
    const isKnown = isAppended || !this.has(name);
    this.give(name, undefined);
    if (former && isKnown) this.#lists.set(name, [...former, ...words]);
  }

  listOf(name: string): readonly Word[] | undefined {
    return this.#lists.get(name);
  }

  choicesOf(name: string): readonly string[] | undefined {
    return this.#choices.get(name);
  }

  /** The same constants, where this one has that value. */
  with(name: string, value: string): Names {
    const names = new Names();
    for (const [other, known] of this.#values) names.give(other, known);
    names.#values.set(name, value);
    return names;
  }

  /** Notes a path to this program in an unknown folder: `"$HOME/bin/x"`, `$(command -v x)`. */
  giveProgram(name: string, program: string): void {
    this.#programs.set(name, this.has(name) ? undefined : program);
    this.#choices.set(name, undefined);
    this.#values.set(name, undefined);
  }

  /** The program that the variable surely names. */
  programOf(name: string): string | undefined {
    return this.#programs.get(name);
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  get all(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** Undefined if it has another value in another place, or one that is not known. */
  valueOf(name: string): string | undefined {
    // The last process that the line itself started.
    return name === '!' ? '$!' : this.#values.get(name);
  }
}

/** Each is a command of its own. */
const mostChoices = 16;
