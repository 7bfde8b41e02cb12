/** One variable of a git configuration file, its name as git compares it: `remote.Origin.url`. */
export interface ConfigEntry {
  readonly section: string;
  readonly subsection: string | undefined;
  readonly key: string;
  readonly value: string;
}

/** The same with its place in the text: from the start of its line to the end of its last. */
export interface PlacedEntry extends ConfigEntry {
  readonly from: number;
  readonly to: number;
}

export interface ConfigText {
  readonly entries: readonly PlacedEntry[];
  /** False where git gives the file up; the entries are those before that place. */
  readonly isReadable: boolean;
  /** False where it holds what git does not write by itself and what other readers, or other gits, take otherwise. */
  readonly isPlain: boolean;
}

/** Reads a configuration by git's own grammar (config.c). */
export function readConfig(content: string): ConfigText {
  const entries: PlacedEntry[] = [];
  let at = /^(?:\xef\xbb\xbf|\ufeff)/.exec(content)?.[0].length ?? 0;
  let isPlain = at === 0 && !/[\0\r]/.test(content);
  let name: string | undefined;

  /** The next character; where the text ends, git reads the end of a line. */
  function next(): string {
    const read = content[at++] ?? '\n';
    if (read !== '\r' || content[at] !== '\n') return read;
    at++;
    return '\n';
  }

  function header(): string | undefined {
    let read = '';
    for (let c = next(); c !== ']'; c = next()) {
      if (isSpace(c)) return subsection(read, c);
      if (!/[a-z0-9.-]/i.test(c)) return undefined;
      // `[a.b]` is how sections were named before there were quotes.
      if (c === '.') isPlain = false;
      read += c.toLowerCase();
    }
    return read;
  }

  function subsection(section: string, first: string): string | undefined {
    let c = first;
    do {
      if (c === '\n') return undefined;
      c = next();
    } while (isSpace(c));
    if (c !== '"') return undefined;
    let read = `${section}.`;
    for (c = next(); c !== '"'; c = next()) {
      if (c === '\\') c = next();
      if (c === '\n') return undefined;
      read += c;
    }
    return next() === ']' ? read : undefined;
  }

  function value(): string | undefined {
    let read = '';
    let spaces = 0;
    let hasTab = false;
    let isQuoted = false;
    for (let c = next(); ; c = next()) {
      if (c === '\n') return isQuoted ? undefined : read;
      if (!isQuoted && isSpace(c)) {
        if (read === '') continue;
        spaces++;
        hasTab ||= c !== ' ';
        continue;
      }
      if (!isQuoted && (c === ';' || c === '#')) {
        skipLine();
        return read;
      }
      // Between two words some gits keep a tab, some make a space of it.
      if (hasTab) isPlain = false;
      read += ' '.repeat(spaces);
      spaces = 0;
      if (c === '"') {
        isQuoted = !isQuoted;
        continue;
      }
      if (c !== '\\') {
        read += c;
        continue;
      }
      const escaped = next();
      if (escaped === '\n') isPlain = false;
      else if (Object.hasOwn(escapes, escaped)) read += escapes[escaped];
      else return undefined;
    }
  }

  function skipLine(): void {
    while (next() !== '\n');
  }

  /** False where git stops. */
  function readOne(): boolean {
    const from = at;
    let c = next();
    if (isSpace(c)) return true;
    if (c === '#' || c === ';') {
      skipLine();
      return true;
    }
    if (c === '[') {
      name = header();
      return name !== undefined;
    }
    if (name === undefined || !/[a-z]/i.test(c)) return false;
    let key = '';
    for (; /[a-z0-9-]/i.test(c); c = next()) key += c.toLowerCase();
    while (c === ' ' || c === '\t') c = next();
    if (c !== '\n' && c !== '=') return false;
    // A variable without a value is true.
    const read = c === '\n' ? 'true' : value();
    if (read === undefined) return false;
    const [section = '', ...rest] = name.split('.');
    const sub = rest.length === 0 ? undefined : rest.join('.');
    const to = Math.min(at, content.length);
    entries.push({ section, subsection: sub, key, value: read, from: lineStart(content, from), to });
    return true;
  }

  while (at < content.length) {
    if (!readOne()) return { entries, isReadable: false, isPlain: false };
  }
  // What comes behind a NUL some readers see and some do not.
  return { entries, isReadable: !content.includes('\0'), isPlain };
}

/** Where a line begins, if nothing but blanks stands before. */
function lineStart(content: string, from: number): number {
  let start = from;
  while (content[start - 1] === ' ' || content[start - 1] === '\t') start--;
  return start === 0 || content[start - 1] === '\n' ? start : from;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '\\': '\\', '"': '"' };

function isSpace(c: string): boolean {
  return c === ' ' || c === '\t' || c === '\n' || c === '\r';
}

/** The same entries in the form that git writes. */
export function printConfig(entries: readonly ConfigEntry[]): string {
  let last = '';
  let printed = '';
  for (const entry of entries) {
    const header = printHeader(entry);
    if (header !== last) printed += header;
    last = header;
    printed += printVariable(entry);
  }
  return printed;
}

export function printHeader({ section, subsection }: Pick<ConfigEntry, 'section' | 'subsection'>): string {
  return subsection === undefined
    ? `[${section}]\n`
    : `[${section} "${subsection.replace(/["\\]/g, '\\$&')}"]\n`;
}

export function printVariable({ key, value }: Pick<ConfigEntry, 'key' | 'value'>): string {
  const escaped = value.replace(/[\\"\n\t\b]/g, (c) => `\\${names[c] ?? c}`);
  return `\t${key} = ${/^ | $|[#;\r\v\f]/.test(value) ? `"${escaped}"` : escaped}\n`;
}

const names: Readonly<Record<string, string>> = { '\n': 'n', '\t': 't', '\b': 'b' };

/** How git's messages and its manual name a variable. */
export function nameOf({
  section,
  subsection,
  key,
}: Pick<ConfigEntry, 'section' | 'subsection' | 'key'>): string {
  return subsection === undefined ? `${section}.${key}` : `${section}.${subsection}.${key}`;
}
