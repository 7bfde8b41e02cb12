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
  // `NAME=value` among the files is an assignment, too.
  const assigned = optionsNamed(options, 'v', ['assign']).flatMap(({ value }) => value ?? []);
  const given = [...assigned, ...options.operands].map(({ value, prefix }) => value ?? prefix);
  return programs.flatMap((word) => (word.value === undefined ? [] : startsOf(word.value, given)));
}

interface Token {
  readonly kind: 'string' | 'name' | 'value' | 'sign';
  readonly text: string;
}

function startsOf(program: string, given: readonly string[]): readonly Inner[] {
  const tokens = tokensOf(program);
  return tokens.flatMap((token, at): readonly Inner[] => {
    const next = tokens[at + 1];
    if (token.kind === 'name' && token.text === 'system' && next?.text === '(')
      return commandsIn(tokens, at + 2, at + 3, given);
    if (token.kind !== 'sign' || !/^\|&?$/.test(token.text)) return [];
    return next?.text === 'getline'
      ? commandsIn(tokens, at - 1, at - 2, given)
      : commandsIn(tokens, at + 1, at + 2, given);
  });
}

/** The command is a constant, or a variable that holds nothing else, with nothing beside it; or it is not known. */
function commandsIn(
  tokens: readonly Token[],
  at: number,
  beside: number,
  given: readonly string[],
): readonly Inner[] {
  const word = tokens[at];
  const isAlone = isEnd(tokens[beside]);
  const texts =
    word?.kind === 'string' ? [word.text] : word?.kind === 'name' ? valuesOf(word.text, tokens, given) : [];
  return isAlone && texts.length > 0
    ? texts.map((source) => ({ kind: 'script', source: literalWord(source), posix: true }))
    : [unread(literalWord(word?.text ?? ''))];
}

function isEnd(token: Token | undefined): boolean {
  return token === undefined || (token.kind === 'sign' && /^[(){};\n!&|]/.test(token.text));
}

/** All that a variable is given, where each is one string and no function, loop, input or option gives it anything else. */
function valuesOf(name: string, tokens: readonly Token[], given: readonly string[]): readonly string[] {
  // A function's parameter and what is read into a variable are not seen as such.
  if (tokens.some(({ kind, text }) => kind === 'name' && /^(function|split|g?sub|for|in)$/.test(text)))
    return [];
  const values: string[] = [];
  for (const option of given) {
    if (option.startsWith(`${name}=`)) values.push(unescaped(option.slice(name.length + 1)));
  }
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== 'name' || token.text !== name) continue;
    if (tokens[at - 1]?.text === 'getline') return [];
    const [sign, value, end] = [tokens[at + 1], tokens[at + 2], tokens[at + 3]];
    const isChanged = sign?.kind === 'sign' && /^[-+*/%^[=]$/.test(sign.text);
    if (!isChanged || (sign.text === '=' && value?.text === '=' && value.kind === 'sign')) continue;
    if (sign.text !== '=' || value?.kind !== 'string' || !isEnd(end)) return [];
    values.push(value.text);
  }
  return values;
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
