import type { WordPart } from 'unbash';
import { Constant } from './constant.ts';
import type { Page, Spot, Style, WordLike } from './page.ts';
import {
  constant,
  isGrammar,
  isParted,
  isPlainText,
  printQuoted,
  quoted,
  readQuoted,
  runsOf,
  textInQuotes,
} from './quote.ts';
import { printOperand, printRegex, printSubscript } from './verbatim.ts';

/**
 * Which characters may stand bare, which of them would mean less in quotes, and if all else is quoted for sure. What
 * is `never` in a constant that was bare shows that the parser read otherwise than a shell.
 */
interface Bareness {
  readonly bare: RegExp;
  readonly active: RegExp;
  readonly strict: boolean;
  readonly never: RegExp;
}

const inWord = /[ \t\n;&|<>()`'"]|\$[\w{([@*#?$!'"-]/;
const inBraces = /[`'"]|[<>]\(|\$[\w{([@*#?$!'"-]/;

const styles = {
  word: { bare: /^[\w./:@%,+=~-]+/, active: /~/, strict: false, never: inWord },
  element: { bare: /^[\w./:@%,+=~[\]-]+/, active: /[~[\]]/, strict: false, never: inWord },
  // `${x:-a b}` is two words, `${x:-'a b'}` one.
  operand: { bare: /^[\w./:@%,+=~ \t\n-]+/, active: /[~ \t\n]/, strict: false, never: inBraces },
  // What else there is could belong to the operator before it.
  pattern: { bare: /^[\w.:=-]+/, active: /$^/, strict: true, never: inBraces },
  replacement: { bare: /^[\w./:@%,+=~& \t\n-]+/, active: /[~& \t\n]/, strict: true, never: inBraces },
  brace: { bare: /^[\w./:@%,+={}~-]+/, active: /[{},.~-]/, strict: true, never: inWord },
  bracket: { bare: /^[\w./:@%,+=!^[\]-]+/, active: /[-.:=!^[\]]/, strict: true, never: inWord },
  list: {
    bare: /^[\w./:@%,+=|-]+/,
    active: /\|/,
    strict: true,
    never: /[ \t\n;&<>()`'"]|\$[\w{([@*#?$!'"-]/,
  },
} as const satisfies Record<string, Bareness>;

/** Writes a word with every constant in it quoted. */
export function printWord(page: Page, word: WordLike, style: Style): void {
  // To ask for the parts of a word makes them, and most have none.
  if (style === 'word' && isPlainText(word.text)) {
    page.add(isGrammar(word.text) ? quoted(word.text) : word.text);
    return;
  }
  const inQuotes = style === 'word' ? textInQuotes(word.text) : undefined;
  if (inQuotes !== undefined) {
    page.add(constant(inQuotes));
    return;
  }
  const parts = word.parts ?? [literal(word, word.text)];
  if (style === 'regex') printRegex(page, parts);
  else if (style === 'subscript') printSubscript(page, parts);
  else if (style === 'quoted-operand') printOperand(page, parts);
  else printParts(page, parts, styles[style]);
}

function printParts(page: Page, parts: readonly WordPart[], style: Bareness): void {
  // A tilde stands for a home folder only where nothing of the name behind it is quoted.
  const isSplit = parts.some(
    (part) => part.type === 'Literal' && style.active.test(part.text.replace(/\\[\s\S]/g, '')),
  );
  const constant = new Constant(page, style.strict || isSplit);
  for (const [at, part] of parts.entries()) {
    const value = quotedValue(part);
    if (value !== undefined) constant.quote(value);
    else if (part.type === 'Literal') addBare(page, part, style, isSplit, constant);
    else {
      constant.end(isMistakable(part, style));
      printPart(page, part, parts[at + 1], style);
    }
  }
  constant.end(false);
}

/** What a quoted part stands for, if that is known. */
function quotedValue(part: WordPart): string | undefined {
  switch (part.type) {
    case 'SingleQuoted':
      return part.value;
    case 'AnsiCQuoted':
      return isSure(part) ? part.value : undefined;
    case 'LocaleString':
    case 'DoubleQuoted':
      if (part.parts.some(({ type, text }) => type !== 'Literal' || isParted(text))) return undefined;
      return part.parts.map((child) => readQuoted(child.text)).join('');
    default:
      return undefined;
  }
}

function printPart(page: Page, part: WordPart, next: WordPart | undefined, style: Bareness): void {
  switch (part.type) {
    case 'AnsiCQuoted':
      page.add(part.text);
      return;
    case 'LocaleString':
    case 'DoubleQuoted':
      printQuoted(page, part.parts);
      return;
    case 'Glob':
      if (part.kind !== 'bracket') page.add(part.text);
      else if (style === styles.replacement)
        printParts(page, [literal(part, '['), ...part.parts, literal(part, ']')], style);
      else printBetween(page, '[', part.parts, styles.bracket, ']');
      return;
    case 'ExtendedGlob': {
      const parts = part.parts ?? [literal(part, part.pattern)];
      printBetween(page, `${part.operator}(`, parts, styles.list, ')');
      return;
    }
    case 'BraceExpansion':
      // The braces are taken apart before names are read: `{a,$v}b` holds `$vb`.
      if (/\$\w+[,}]/.test(part.text) && next?.type === 'Literal' && /^\w/.test(next.text)) page.refuse(part);
      printBetween(page, '{', part.parts ?? [literal(part, part.text.slice(1, -1))], styles.brace, '}');
      return;
    default:
      page.expansion(part, next, 'bare');
  }
}

function printBetween(
  page: Page,
  open: string,
  parts: readonly WordPart[],
  style: Bareness,
  close: string,
): void {
  page.add(open);
  printParts(page, parts, style);
  page.add(close);
}

function literal({ pos, end }: Spot, text: string): WordPart {
  return { type: 'Literal', pos, end, value: text, text };
}

function addBare(
  page: Page,
  part: Spot & { readonly text: string },
  style: Bareness,
  isSplit: boolean,
  constant: Constant,
): void {
  for (const { text, escaped } of runsOf(part.text)) {
    if (!escaped && style.never.test(text)) page.refuse(part);
    const bare = style.bare.exec(text)?.[0].length ?? 0;
    if (!escaped && bare === text.length) constant.bare(text);
    else if (!isSplit || escaped) constant.quote(text);
    else {
      for (const char of text) {
        if (style.bare.test(char)) constant.bare(char);
        else constant.quote(char);
      }
    }
  }
}

/** Before these a number could be a descriptor, and a name an array. */
function isMistakable(next: WordPart, style: Bareness): boolean {
  if (next.type === 'ProcessSubstitution') return true;
  return style === styles.word && next.type === 'Glob' && next.kind === 'bracket';
}

/**
 * What bytes and characters beyond ASCII become depends on the locale of the shell that runs it. A line feed is left
 * in its plain escape, or it would move the lines below it.
 */
function isSure({ text, value }: WordPart & { type: 'AnsiCQuoted' }): boolean {
  if (value.includes('\n') && /^\$'(?:[^\\'\n]|\\[nt\\'])*'$/.test(text)) return false;
  return /^[\x01-\x7f]*$/.test(value) || !/\\[uUxc0-7]/.test(text);
}
