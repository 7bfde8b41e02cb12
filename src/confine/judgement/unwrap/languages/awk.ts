import { optionsNamed, readOptions } from '../../words/options.ts';
import { literalWord, type Word } from '../../words/word.ts';
import { type Inner, unread } from '../inner.ts';

/** What an awk program starts: `system("…")`, `print | "…"` and `"…" | getline` (gawk(1), I/O Statements). */
export function unwrapAwk(words: readonly Word[]): readonly Inner[] {
  const options = readOptions(words, {
    valued: 'fFveEilW',
    longValued: ['file', 'field-separator', 'assign', 'source', 'exec', 'include', 'load'],
  });
  const sources = optionsNamed(options, 'e', ['source']).flatMap(({ value }) => value ?? []);
  const isElsewhere = sources.length > 0 || optionsNamed(options, 'fE', ['file', 'exec']).length > 0;
  const programs = isElsewhere ? sources : options.operands.slice(0, 1);
  return programs.flatMap((word) => (word.value === undefined ? [] : startsOf(word.value)));
}

interface Token {
  readonly kind: 'string' | 'name' | 'value' | 'sign';
  readonly text: string;
}

function startsOf(program: string): readonly Inner[] {
  const tokens = tokensOf(program);
  return tokens.flatMap((token, at): Inner[] => {
    const next = tokens[at + 1];
    if (token.kind === 'name' && token.text === 'system' && next?.text === '(')
      return [commandIn(tokens, at + 2, at + 3)];
    if (token.kind !== 'sign' || !/^\|&?$/.test(token.text)) return [];
    return [next?.text === 'getline' ? commandIn(tokens, at - 1, at - 2) : commandIn(tokens, at + 1, at + 2)];
  });
}

/** The command is a constant, with nothing beside it that it could be joined with; or it is not known. */
function commandIn(tokens: readonly Token[], at: number, beside: number): Inner {
  const word = tokens[at];
  const neighbour = tokens[beside];
  const isAlone =
    neighbour === undefined || (neighbour.kind === 'sign' && /^[(){};\n!&|]/.test(neighbour.text));
  return word?.kind === 'string' && isAlone
    ? { kind: 'script', source: literalWord(word.text), posix: true }
    : unread(literalWord(word?.text ?? ''));
}

const token =
  /\s*?(?:(\n)|#[^\n]*|\\\n|[ \t\r]+|"((?:[^"\\\n]|\\[\s\S])*)"|([A-Za-z_]\w*)|(\d[\w.]*|\.\d\w*)|(\|&|\|\||&&|[\s\S]))/gy;

/** A slash begins a pattern where no value stands before it, and divides otherwise. */
function tokensOf(program: string): readonly Token[] {
  const tokens: Token[] = [];
  token.lastIndex = 0;
  const pattern = /\/(?:[^/\\\n[]|\\.|\[\]?(?:[^\]\\\n]|\\.)*\])*\//y;
  let at = 0;
  while (at < program.length) {
    const last = tokens.at(-1);
    const isAfterValue = last !== undefined && (last.kind !== 'sign' || /^[)\]$]$/.test(last.text));
    if (program[at] === '/' && !isAfterValue) {
      pattern.lastIndex = at;
      if (pattern.test(program)) {
        tokens.push({ kind: 'value', text: '/' });
        at = pattern.lastIndex;
        continue;
      }
    }
    token.lastIndex = at;
    const found = token.exec(program);
    if (!found) break;
    const [, newline, string, name, number, sign] = found;
    if (newline !== undefined) tokens.push({ kind: 'sign', text: '\n' });
    else if (string !== undefined) tokens.push({ kind: 'string', text: unescaped(string) });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name });
    else if (number !== undefined) tokens.push({ kind: 'value', text: number });
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign });
    at = token.lastIndex;
  }
  return tokens;
}

function unescaped(text: string): string {
  return text.replace(/\\(?:([0-7]{1,3})|x([\da-fA-F]{1,2})|([\s\S]))/g, (_, octal, hex, char) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return ({ n: '\n', t: '\t', r: '\r' } as Record<string, string>)[char] ?? char;
  });
}
