import { type Choose, Unreadable } from '../explore.ts';

export interface AwkToken {
  readonly kind: 'name' | 'number' | 'string' | 'regex' | 'newline' | 'sign';
  readonly text: string;
}

const signs = [
  '**=',
  '>>',
  '||',
  '&&',
  '++',
  '--',
  '+=',
  '-=',
  '*=',
  '/=',
  '%=',
  '^=',
  '**',
  '==',
  '<=',
  '>=',
  '!=',
  '!~',
  '|&',
];
const single = new Set([...'{}()[];,+-*/%^!<>|?:~$=@']);
/** Names after which a slash starts an expression. */
const beforeOperand = new Set([
  'print',
  'printf',
  'return',
  'in',
  'case',
  'else',
  'do',
  'exit',
  'delete',
  'while',
  'if',
]);
/** Names that need no arguments, so that a slash after them divides only for some awks. */
const bareNames = new Set(['length', 'getline', 'next', 'nextfile', 'BEGIN', 'END']);

/** Splits an awk program into tokens. `choose` picks a reading if awks differ about a slash. */
export function awkTokens(program: string, choose: Choose): AwkToken[] {
  const tokens: AwkToken[] = [];
  let at = 0;

  const push = (kind: AwkToken['kind'], length: number): void => {
    tokens.push({ kind, text: program.slice(at, at + length) });
    at += length;
  };

  while (at < program.length) {
    const rest = program.slice(at);
    const next = rest[0] ?? '';
    if (next === ' ' || next === '\t') at++;
    else if (/^\\\r?\n/.test(rest)) at += rest.indexOf('\n') + 1;
    else if (next === '\n') push('newline', 1);
    else if (next === '#') {
      const end = rest.indexOf('\n');
      at += end < 0 ? rest.length : end;
    } else if (next === '"') push('string', stringLength(rest));
    else if (/[A-Za-z_]/.test(next))
      push('name', /^[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*/.exec(rest)?.[0].length ?? 1);
    else if (/^\.?\d/.test(rest))
      push('number', /^(?:0[xX][\da-fA-F]+|\d*\.?\d*(?:[eE][+-]?\d+)?)/.exec(rest)?.[0].length ?? 1);
    else if (next === '/' && startsRegex(tokens.at(-1), choose)) push('regex', regexLength(rest, choose));
    else {
      const sign = signs.find((candidate) => rest.startsWith(candidate));
      if (!sign && !single.has(next)) throw new Unreadable(`awk programs have no '${next}'`);
      push('sign', sign?.length ?? 1);
    }
  }
  return tokens;
}

function startsRegex(before: AwkToken | undefined, choose: Choose): boolean {
  if (!before || before.kind === 'newline') return true;
  if (before.kind === 'number' || before.kind === 'string' || before.kind === 'regex') return false;
  if (before.kind === 'name') {
    if (beforeOperand.has(before.text)) return true;
    return bareNames.has(before.text) ? choose() : false;
  }
  if (before.text === ']' || before.text === '$') return false;
  if (before.text === ')' || before.text === '++' || before.text === '--') return choose();
  return true;
}

function stringLength(rest: string): number {
  for (let at = 1; at < rest.length; at++) {
    if (rest[at] === '"') return at + 1;
    if (rest[at] === '\\') at++;
    else if (rest[at] === '\n') break;
  }
  throw new Unreadable('a string is not closed');
}

function regexLength(rest: string, choose: Choose): number {
  let inBrackets = false;
  for (let at = 1; at < rest.length; at++) {
    const next = rest[at];
    if (next === '\n') break;
    if (next === '\\') at++;
    else if (next === '[') inBrackets = true;
    // gawk and mawk continue after a slash in brackets, the original awk ends there; all end at a slash after `[…]`.
    else if (next === '/' && (!inBrackets || !choose())) return at + 1;
  }
  throw new Unreadable('a regular expression is not closed');
}
