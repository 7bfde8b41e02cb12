/**
 * Effects that awk and sed programs spell out, for the document's replies and for opening the files that they read. A
 * stage's filter refuses the effects that are hidden from this.
 */
export interface SpelledOut {
  /** Files that the program reads by name. */
  readonly reads: readonly string[];
  /** The first effect that a stage refuses. */
  readonly refused?: { readonly kind: 'reads' | 'writes' | 'runs'; readonly what: string } | undefined;
}

const awkEffects: readonly (readonly [RegExp, 'reads' | 'writes' | 'runs', string])[] = [
  [/\bsystem\s*\(/, 'runs', 'system() runs commands'],
  [/(?<!\|)\|(?!\|)/, 'runs', '| runs commands'],
  [/>>/, 'writes', '>> writes to a file'],
  [/@\s*\w/, 'runs', '@ loads code or calls by name'],
  [/\bARGV\b/, 'reads', 'ARGV chooses the files that are read; name them as operands'],
  [/\b(?:SYMTAB|FUNCTAB)\b/, 'reads', 'SYMTAB and FUNCTAB reach every variable and function'],
];

export function spelledOutInAwk(program: string): SpelledOut {
  const code = awkCode(program);
  const plain = /\bgetline\b[^;{}()\n<]*<\s*"([^"\\\n]+)"(?=\s*(?:[^\w"$(\s]|\n|$))/g;
  const reads = [...program.matchAll(plain)].map(([, name]) => name ?? '');
  const [, kind, what] = awkEffects.find(([sign]) => sign.test(code)) ?? [];
  if (kind && what) return { reads, refused: { kind, what } };
  for (const [, printed = ''] of code.matchAll(/\bprintf?\b([^;}\n]*)/g)) {
    if (/>(?!=)/.test(outsideBrackets(printed)))
      return { reads, refused: { kind: 'writes', what: 'print > writes to a file' } };
  }
  if ((code.match(/\bgetline\b[^;{}()\n<]*</g) ?? []).length > reads.length)
    return { reads, refused: { kind: 'reads', what: 'getline reads a file whose name is not plain' } };
  return { reads: reads.filter((name) => name !== '-') };
}

/** A slash after these begins a regular expression; elsewhere it divides. */
const beforeRegex = /(?:^|[(),{};!&|~=?:\n]|\b(?:print|return|in|case|else))\s*$/;

/** The program with its strings and regular expressions emptied, and without comments. */
function awkCode(program: string): string {
  let code = '';
  for (let at = 0; at < program.length; ) {
    const next = program[at] ?? '';
    if (next === '#') at = lineEnd(program, at);
    else if (next === '\\') at += 2;
    else if (next === '"' || (next === '/' && beforeRegex.test(code.slice(-16)))) {
      code += next + next;
      at = afterDelimiter(program, at + 1, next, next === '/');
    } else {
      code += next;
      at++;
    }
  }
  return code;
}

function outsideBrackets(code: string): string {
  let depth = 0;
  return [...code]
    .filter((char) => {
      if ('(['.includes(char)) depth++;
      if (')]'.includes(char)) depth--;
      return depth === 0;
    })
    .join('');
}

export function spelledOutInSed(script: string): SpelledOut {
  const reads: string[] = [];
  for (let at = 0; at < script.length; ) {
    const command = script[at++] ?? '';
    if (command === '/' || command === '\\') {
      const delimiter = command === '/' ? command : (script[at++] ?? '');
      at = afterDelimiter(script, at, delimiter, true);
      while (/[IM]/.test(script[at] ?? '')) at++;
    } else if (command === 's' || command === 'y') {
      const delimiter = script[at] ?? '';
      at = afterDelimiter(script, at + 1, delimiter, command === 's');
      at = afterDelimiter(script, at, delimiter, false);
      const [flags = ''] = /^[gpiImM\d]*[we]?/.exec(script.slice(at, at + 16)) ?? [];
      if (command === 's' && flags.endsWith('w'))
        return { reads, refused: { kind: 'writes', what: 's///w writes to a file' } };
      if (command === 's' && flags.endsWith('e'))
        return { reads, refused: { kind: 'runs', what: 's///e runs commands' } };
      at += flags.length;
    } else if (command === 'w' || command === 'W')
      return { reads, refused: { kind: 'writes', what: `${command} writes to a file` } };
    else if (command === 'e') return { reads, refused: { kind: 'runs', what: 'e runs commands' } };
    else if (command === 'r' || command === 'R') {
      const end = lineEnd(script, at);
      const name = script.slice(at, end).trim();
      if (name !== '') reads.push(name);
      at = end;
    } else if (command === '#') at = lineEnd(script, at);
    else if (/[aic]/.test(command)) {
      // Its text goes on behind each line that ends in a backslash.
      do at = lineEnd(script, at) + 1;
      while (script[at - 2] === '\\' && at < script.length);
    } else if (/[:btT]/.test(command)) while (/[^\n;}]/.test(script[at] ?? '\n')) at++;
  }
  return { reads };
}

/** The position after the closing delimiter, or the end. A delimiter in brackets does not close an expression. */
function afterDelimiter(text: string, start: number, delimiter: string, isRegex: boolean): number {
  let inBrackets = false;
  for (let at = start; at < text.length; at++) {
    const next = text[at];
    if (next === '\\') at++;
    else if (inBrackets)
      inBrackets = next !== ']' || text[at - 1] === '[' || /\[\^$/.test(text.slice(at - 2, at));
    else if (next === delimiter) return at + 1;
    else if (next === '[' && isRegex) inBrackets = true;
  }
  return text.length;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
