/** Why a jq filter may not run; undefined if it may. */
export function refusedInJq(filter: string): string | undefined {
  return new Reader(filter).refused();
}

const refusedNames = new Map([
  ['env', 'env shows the environment'],
  ['input_filename', 'input_filename shows where files are kept'],
  ['import', 'import reads other files'],
  ['include', 'include reads other files'],
  ['modulemeta', 'modulemeta reads other files'],
  ['get_search_list', 'get_search_list shows where modules are kept'],
  ['$ENV', '$ENV shows the environment'],
  ['$__prog_args', '$__prog_args is not for filters'],
]);

/** Reads a filter's tokens: strings with the filters inside them, fields, names, brackets. */
class Reader {
  readonly #filter: string;
  /** Brackets around the position; `"` is a string that contains the filter. */
  readonly #open: string[] = [];
  #before = '';

  constructor(filter: string) {
    this.#filter = filter;
  }

  refused(): string | undefined {
    let at = 0;
    while (at < this.#filter.length) {
      const rest = this.#filter.slice(at);
      const next = rest[0] ?? '';
      if (next === '#') {
        // jq 1.7 continues a comment after a backslash at its end, 1.6 does not: read the shorter one.
        const end = rest.indexOf('\n');
        at += end < 0 ? rest.length : end;
      } else if (next === '"') at = this.#string(at + 1);
      else if (next === ')' && this.#open.at(-1) === '"') {
        this.#open.pop();
        at = this.#string(at + 1);
      } else {
        const token =
          /^(?:\.[A-Za-z_]\w*|\$(?:__loc__|[A-Za-z_][\w:]*)|@\w+|[A-Za-z_]\w*(?:::\w+)*|\s+|.)/s.exec(
            rest,
          )?.[0] ?? next;
        const because = refusedNames.get(token.split('::').at(-1) ?? token);
        if (because && !this.#isKey(token, at + token.length)) return because;
        if (token.trim() !== '') this.#before = token;
        if ('([{'.includes(token)) this.#open.push(token);
        else if (')]}'.includes(token)) this.#open.pop();
        at += token.length;
      }
      if (at < 0) return 'a string is not closed';
    }
    return undefined;
  }

  /** `{env: 1}` and `{env}` name a key. */
  #isKey(token: string, end: number): boolean {
    if (this.#open.at(-1) !== '{' || (this.#before !== '{' && this.#before !== ',')) return false;
    return !token.startsWith('$') && /^\s*[:,}]/.test(this.#filter.slice(end));
  }

  /** Moves from inside a string to its end, or to the filter inside it; -1 if it does not end. */
  #string(start: number): number {
    for (let at = start; at < this.#filter.length; at++) {
      const next = this.#filter[at];
      if (next === '"') {
        this.#before = '"';
        return at + 1;
      }
      if (next !== '\\') continue;
      at++;
      if (this.#filter[at] === '(') {
        this.#open.push('"');
        this.#before = '(';
        return at + 1;
      }
    }
    return -1;
  }
}
