import { everyReading, Unreadable } from '../explore.ts';
import { type AwkToken, awkTokens } from './awk-tokens.ts';

/** The files that an awk program reads by name, or why it may not run. */
export type AwkVerdict =
  | { readonly ok: true; readonly reads: readonly string[] }
  | { readonly ok: false; readonly kind: 'io' | 'unreadable'; readonly what: string };

/** Judges an awk program by its tokens, in every way that an awk may read it. */
export function judgeAwk(program: string): AwkVerdict {
  try {
    const reads = everyReading((choose) => readsOf(awkTokens(program, choose)));
    return { ok: true, reads: [...new Set(reads.flat())] };
  } catch (error) {
    if (error instanceof AwkIo) return { ok: false, kind: 'io', what: error.message };
    if (error instanceof Unreadable) return { ok: false, kind: 'unreadable', what: error.message };
    throw error;
  }
}

class AwkIo extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'AwkIo';
  }
}

/** Names that reach outside a program, or reach such names by one made at run time. */
const refusedNames = new Map([
  ['system', 'system() runs commands'],
  ['ARGV', 'ARGV chooses the files that are read; name them as operands'],
  ['SYMTAB', 'SYMTAB reaches every variable'],
  ['FUNCTAB', 'FUNCTAB reaches every function'],
  ['extension', 'extension() loads code'],
]);

function readsOf(tokens: readonly AwkToken[]): string[] {
  const reads: string[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (!token || token.kind === 'string' || token.kind === 'regex') continue;
    const { text } = token;
    if (token.kind === 'name') {
      // gawk reads awk::system as system.
      const because = refusedNames.get(text.split('::').at(-1) ?? text);
      if (because) throw new AwkIo(because);
      if (text === 'print' || text === 'printf') assertPrintsOnly(tokens, index);
      if (text === 'getline') reads.push(...getlineFile(tokens, index));
    } else if (text === '|' || text === '|&') throw new AwkIo(`${text} runs commands`);
    else if (text === '>>') throw new AwkIo('>> writes to a file');
    else if (text === '@') throw new AwkIo('@ loads code or calls by name');
    else if (text === '>' && startsLine(tokens, index)) throw new AwkIo('> writes to a file');
  }
  return reads;
}

function startsLine(tokens: readonly AwkToken[], index: number): boolean {
  const before = tokens[index - 1];
  return (
    !before || before.kind === 'newline' || before.text === ';' || before.text === '}' || before.text === '{'
  );
}

const continuesLine = new Set([',', '{', '&&', '||', '?', ':']);

/** A `>` outside parentheses in a print statement writes a file. */
function assertPrintsOnly(tokens: readonly AwkToken[], start: number): void {
  let depth = 0;
  for (let index = start + 1; index < tokens.length; index++) {
    const token = tokens[index];
    if (!token) return;
    if (token.kind === 'newline') {
      if (depth <= 0 && !continuesLine.has(tokens[index - 1]?.text ?? '')) return;
    } else if (token.kind === 'sign') {
      if (token.text === '(' || token.text === '[') depth++;
      else if (token.text === ')' || token.text === ']') depth--;
      else if ((token.text === ';' || token.text === '}') && depth <= 0) return;
      else if (token.text === '>' && depth <= 0) throw new AwkIo('print > writes to a file');
      if (depth < 0) return;
    }
  }
}

/** The file of `getline [variable] < "file"`. Anything but a plain file name is refused. */
function getlineFile(tokens: readonly AwkToken[], start: number): string[] {
  const at = afterVariable(tokens, start + 1);
  if (tokens[at]?.text !== '<' || tokens[at]?.kind !== 'sign') {
    assertNoLaterFile(tokens, start + 1);
    return [];
  }
  const file = tokens[at + 1];
  const after = tokens[at + 2];
  const isAlone =
    !after || after.kind === 'newline' || (after.kind === 'sign' && !'$(["'.includes(after.text[0] ?? '('));
  if (file?.kind !== 'string' || !isAlone) throw new AwkIo('getline reads a file whose name is not plain');
  const name = file.text.slice(1, -1);
  if (name.includes('\\')) throw new AwkIo('getline reads a file whose name has escapes');
  if (name.startsWith('/inet')) throw new AwkIo('/inet is the network');
  return name === '-' ? [] : [name];
}

/** The end of the variable that a getline fills: `x`, `$2`, `$(i + 1)`, `a[i]`. */
function afterVariable(tokens: readonly AwkToken[], start: number): number {
  let at = start;
  let isField = false;
  while (tokens[at]?.kind === 'sign' && tokens[at]?.text === '$') {
    isField = true;
    at++;
  }
  const token = tokens[at];
  if (token?.kind === 'name' || (isField && token?.kind === 'number')) at++;
  else if (isField && token?.text === '(') at = afterBracket(tokens, at);
  if (tokens[at]?.kind === 'sign' && tokens[at]?.text === '[') at = afterBracket(tokens, at);
  return at;
}

function afterBracket(tokens: readonly AwkToken[], start: number): number {
  let depth = 0;
  for (let at = start; at < tokens.length; at++) {
    const { kind, text } = tokens[at] ?? { kind: 'newline', text: '' };
    if (kind !== 'sign') continue;
    if (text === '(' || text === '[') depth++;
    else if ((text === ')' || text === ']') && --depth === 0) return at + 1;
  }
  throw new Unreadable('a bracket is not closed');
}

/** A later `<` in the same expression may belong to the getline; since that is undecidable here, it is refused. */
function assertNoLaterFile(tokens: readonly AwkToken[], start: number): void {
  let depth = 0;
  for (let at = start; at < tokens.length; at++) {
    const token = tokens[at];
    if (token?.kind === 'newline') return;
    if (token?.kind !== 'sign') continue;
    if (token.text === '(' || token.text === '[') depth++;
    else if (token.text === ')' || token.text === ']') depth--;
    else if (token.text === ';' || token.text === '}' || token.text === '{') return;
    else if (token.text === '<' && depth <= 0)
      throw new AwkIo('getline reads a file whose name is not plain');
    if (depth < 0) return;
  }
}
