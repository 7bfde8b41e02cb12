interface Entry {
  readonly values: Set<string>;
  readonly lists: (readonly string[])[];
  /** The program that its value surely names, if the full path is not known. */
  program?: string;
  /** It also gets values that are unknown before the line runs. */
  isOpen: boolean;
}

const maxValues = 16;

/** The constants of a line: all values that a variable gets anywhere in it. Order and branches are ignored. */
export class Names {
  readonly #entries = new Map<string, Entry>();

  constructor(variables: Readonly<Record<string, string>> = {}) {
    for (const [name, value] of Object.entries(variables)) this.give(name, value);
  }

  /** Undefined stands for a value that is known only when the line runs. */
  give(name: string, value: string | undefined): void {
    const entry = this.#entry(name);
    if (entry.program !== undefined) entry.program = '';
    if (value === undefined || entry.values.size >= maxValues) entry.isOpen = true;
    else entry.values.add(value);
  }

  giveList(name: string, elements: readonly (string | undefined)[]): void {
    const entry = this.#entry(name);
    const known = elements.filter((element) => element !== undefined);
    if (known.length < elements.length || entry.lists.length >= maxValues) entry.isOpen = true;
    else entry.lists.push(known);
  }

  /** Notes a path to this program in an unknown folder: `"$HOME/bin/x"`, `$(command -v x)`. */
  giveProgram(name: string, program: string): void {
    const entry = this.#entry(name);
    entry.isOpen = true;
    entry.program = entry.program === undefined && entry.values.size === 0 ? program : '';
  }

  /** The program that the variable surely names. */
  programOf(name: string): string | undefined {
    return this.#entries.get(name)?.program || undefined;
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  get all(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** All possible values of the variable; undefined if they are not known. */
  valuesOf(name: string): readonly string[] | undefined {
    // The last process that the line itself started.
    if (name === '!') return ['$!'];
    const entry = this.#entries.get(name);
    return entry && !entry.isOpen && entry.lists.length === 0 ? [...entry.values] : undefined;
  }

  listsOf(name: string): readonly (readonly string[])[] | undefined {
    const entry = this.#entries.get(name);
    return entry && !entry.isOpen && entry.values.size === 0 ? entry.lists : undefined;
  }

  #entry(name: string): Entry {
    const known = this.#entries.get(name);
    if (known) return known;
    const entry: Entry = { values: new Set(), lists: [], isOpen: false };
    this.#entries.set(name, entry);
    return entry;
  }
}
