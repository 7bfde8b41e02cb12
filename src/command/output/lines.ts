/** Lines about a command that come while it runs. The reader of its output may change. */
export class Lines {
  readonly all: string[] = [];
  #reader: ((line: string) => void) | undefined;

  add(line: string): void {
    this.all.push(line);
    this.#reader?.(line);
  }

  /** Gets the lines so far, and those that come. */
  follow(reader: (line: string) => void): void {
    for (const line of this.all) reader(line);
    this.#reader = reader;
  }
}
