/** One variable of a git configuration file, with its name in git's canonical case: `remote.Origin.url`. */
export interface ConfigEntry {
  readonly section: string;
  readonly subsection: string | undefined;
  readonly key: string;
  readonly value: string;
}

/** The same with its position: from the start of its first line to the end of its last. */
export interface PlacedEntry extends ConfigEntry {
  readonly from: number;
  readonly to: number;
}

export interface ConfigText {
  readonly entries: readonly PlacedEntry[];
  /** False if git rejects the file; the entries are those before that point. */
  readonly isReadable: boolean;
  /** False if it contains forms that git itself does not write and that other readers or gits interpret differently. */
  readonly isPlain: boolean;
}

/** Parses a configuration by git's own grammar (config.c). */
export function readConfig(content: string): ConfigText {
  const entries: PlacedEntry[] = [];
  let at = /^(?:\xef\xbb\xbf|\ufeff)/.exec(content)?.[0].length ?? 0;
  let isPlain = at === 0 && !/[\0\r]/.test(content);
  let name: string | undefined;

  /** The next character; at the end of the text, git reads a line end. */
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
      // `[a.b]` is the old syntax of subsections.
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
      // Between words some gits keep a tab, others make it a space.
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

  /** False if git stops here. */
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
  // Some readers stop at a NUL, others do not.
  return { entries, isReadable: !content.includes('\0'), isPlain };
}

/** The start of the line, if only blanks precede. */
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

/** A variable's name as in git's messages and manual. */
export function nameOf({
  section,
  subsection,
  key,
}: Pick<ConfigEntry, 'section' | 'subsection' | 'key'>): string {
  return subsection === undefined ? `${section}.${key}` : `${section}.${subsection}.${key}`;
}
