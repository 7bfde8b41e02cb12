/** The constants of a line: variables that get one value in all of it. Order and branches are ignored. */
export class Names {
  readonly #values = new Map<string, string | undefined>();
  /** The programs that variables surely name, where the full path is not known. */
  readonly #programs = new Map<string, string | undefined>();

  constructor(variables: Readonly<Record<string, string>> = {}) {
    for (const [name, value] of Object.entries(variables)) this.give(name, value);
  }

  /** Undefined stands for a value that is known only when the line runs. */
  give(name: string, value: string | undefined): void {
    this.#programs.set(name, undefined);
    this.#values.set(name, this.has(name) && this.valueOf(name) !== value ? undefined : value);
  }

  /** Notes a path to this program in an unknown folder: `"$HOME/bin/x"`, `$(command -v x)`. */
  giveProgram(name: string, program: string): void {
    this.#programs.set(name, this.has(name) ? undefined : program);
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
