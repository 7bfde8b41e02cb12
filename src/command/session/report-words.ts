import { toText } from '../../ground/machine/byte-paths.ts';

export interface ShellReport {
  readonly folder: string;
  readonly variables: ReadonlyMap<string, string>;
}

/**
 * Reads `pwd -P`, NUL, `export -p`, NUL. Undefined if it is not complete: a program in the shell may have written it.
 */
export function readShellReport(bytes: Buffer): ShellReport | undefined {
  // One character per byte: bash prints some bytes as numbers.
  const [folder, exported, ...rest] = bytes.toString('latin1').split('\0');
  if (!folder?.startsWith('/') || exported === undefined || rest.length !== 1 || rest[0] !== '')
    return undefined;
  return { folder: toText(folder.replace(/\n$/, '')), variables: readExports(exported) };
}

/** bash writes `declare -x NAME="VALUE"`, other shells `export NAME='VALUE'`. */
function readExports(text: string): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  const start = /(?:declare -[a-zA-Z]+|export) ([A-Za-z_]\w*)(=?)/y;
  for (let at = 0; at < text.length; ) {
    start.lastIndex = at;
    const found = start.exec(text);
    if (found?.[1] !== undefined && found[2] === '=') {
      const { value, end } = readWord(text, start.lastIndex);
      variables.set(found[1], toText(value));
      at = end;
    }
    const next = text.indexOf('\n', at);
    at = next < 0 ? text.length : next + 1;
  }
  return variables;
}

/** Reads a shell word up to the end of its line, without its quotes. */
function readWord(text: string, from: number): { readonly value: string; readonly end: number } {
  let value = '';
  let at = from;
  while (at < text.length && text[at] !== '\n') {
    const [whole = '', kind, inner = ''] = match(text, at);
    value += kind === undefined ? whole : unquote[kind](inner);
    at += whole.length;
  }
  return { value, end: at };
}

type Quote = keyof typeof unquote;

/** The piece that begins there, its kind of quotes, and the text between the quotes. */
function match(text: string, at: number): readonly [string, Quote | undefined, string] {
  for (const [kind, pattern] of quoted) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) return [found[0], kind, found[1] ?? ''];
  }
  return [text[at] ?? '', undefined, ''];
}

const quoted: readonly (readonly [Quote, RegExp])[] = [
  ['ansi', /\$'((?:[^'\\]|\\[\s\S])*)'/y],
  ['double', /"((?:[^"\\]|\\[\s\S])*)"/y],
  ['single', /'([^']*)'/y],
  ['escaped', /\\([\s\S])/y],
];

const unquote = {
  single: (text: string) => text,
  escaped: (text: string) => text,
  double: (text: string) => text.replace(/\\([\\"$`\n])/g, (_, char: string) => (char === '\n' ? '' : char)),
  ansi: (text: string) =>
    text.replace(/\\([0-7]{1,3}|[\s\S])/g, (whole, said: string) =>
      /^[0-7]/.test(said)
        ? String.fromCharCode(Number.parseInt(said, 8))
        : (controls[said] ?? whole.slice(1)),
    ),
} as const;

const controls: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  v: '\v',
};
