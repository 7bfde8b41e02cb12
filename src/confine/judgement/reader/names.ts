interface Entry {
  readonly values: Set<string>;
  readonly lists: (readonly string[])[];
  /** The program that it surely names by a path that is not known in full. */
  program?: string;
  /** It also gets values that nobody can read beforehand. */
  isOpen: boolean;
}

const maxValues = 16;

/** The constants of a line: every value that a name gets anywhere in it. Order and branches are not followed. */
export class Names {
  readonly #entries = new Map<string, Entry>();

  constructor(variables: Readonly<Record<string, string>> = {}) {
    for (const [name, value] of Object.entries(variables)) this.give(name, value);
  }

  /** Undefined stands for a value that is only known when the line runs. */
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

  /** A path to this program, wherever that lies: `"$HOME/bin/x"`, `$(command -v x)`. */
  giveProgram(name: string, program: string): void {
    const entry = this.#entry(name);
    entry.isOpen = true;
    entry.program = entry.program === undefined && entry.values.size === 0 ? program : '';
  }

  /** The program that the name surely stands for. */
  programOf(name: string): string | undefined {
    return this.#entries.get(name)?.program || undefined;
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  get all(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** All that the name can hold; undefined if that is not known. */
  valuesOf(name: string): readonly string[] | undefined {
    // The process that the line itself started last.
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
