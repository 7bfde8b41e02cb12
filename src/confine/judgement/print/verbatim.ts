import type { DoubleQuotedChild, WordPart } from 'unbash';
import type { Page } from './page.ts';
import { printQuoted, quoted } from './quote.ts';

/** Signs of a regular expression that `[[` reads as they stand; what it reads as a quote, a blank or an end is none. */
const regexText = /^(?:[^\\ \t\n`'"$;&<>]|\\[^\w\t\n]|\$(?![\w{([@*#?$!'"-]))*$/;
/** A number, a name, a sum of them, or the key of a map. */
const subscriptText = /^(?:[\w \t\n+*/%<>=!&|^?:,.@~()#[\]-]|\\[^\n]|\$(?:\w+|[#?$!@*-]|\{#?\w+\}))*$/;

/** The right side of `=~`: a quote would take the meaning of its signs away. */
export function printRegex(page: Page, parts: readonly WordPart[]): void {
  printVerbatim(page, parts, regexText);
}

/** What stands in `a[…]`, behind `${x:` or in arithmetic: numbers, names and sums, or a key. */
export function printSubscript(page: Page, parts: readonly WordPart[]): void {
  printVerbatim(page, parts, subscriptText);
}

function printVerbatim(page: Page, parts: readonly WordPart[], allowed: RegExp): void {
  for (const [at, part] of parts.entries()) {
    switch (part.type) {
      case 'Literal':
      case 'Glob':
      case 'BraceExpansion':
      case 'ExtendedGlob': {
        const text = part.text.replaceAll('\\\n', '');
        if (!allowed.test(text)) page.refuse(part);
        page.add(text);
        break;
      }
      case 'SingleQuoted':
        page.add(quoted(part.value));
        break;
      case 'DoubleQuoted':
        printQuoted(page, part.parts);
        break;
      default:
        page.expansion(part, parts[at + 1], 'bare');
    }
  }
}

/**
 * The word of `"${x:-word}"`, where a single quote is a character and a double quote ends and begins quoting. Bash
 * looks for its end as if single quotes were quotes, so they must come in pairs around what means nothing.
 */
export function printOperand(page: Page, parts: readonly WordPart[]): void {
  const plain = parts.map((part) => (isBare(part) ? part.text : part.type === 'SimpleExpansion' ? 'x' : '$'));
  const [first] = parts;
  if (first && !/^(?:\\[\s\S]|[^\\'"`]|'[^'$`"\\{}]*')*$/.test(plain.join(''))) page.refuse(first);
  for (const [at, part] of parts.entries()) {
    if (isBare(part)) {
      if (opens.test(part.text.replace(/\\[\s\S]/g, ''))) page.refuse(part);
      page.add(escaped(part.text.replace(/\\([$`"\\}\n])/g, unescaped)));
    } else if (part.type === 'DoubleQuoted') {
      for (const [place, child] of part.parts.entries())
        printInner(page, child, part.parts[place + 1] ?? parts[at + 1]);
    } else page.expansion(part, parts[at + 1], 'quotes');
  }
}

/** Here a single quote is one character of many. */
function isBare({ type }: WordPart): boolean {
  return type === 'Literal' || type === 'SingleQuoted' || type === 'Glob' || type === 'BraceExpansion';
}

const opens = /\$[\w{([@*#?$!'"-]/;

function printInner(page: Page, child: DoubleQuotedChild, next: WordPart | undefined): void {
  if (child.type !== 'Literal') page.expansion(child, next, 'quotes');
  else if (child.text.includes("'")) page.refuse(child);
  else page.add(escaped(child.text.replace(/\\([$`"\\\n])/g, unescaped)));
}

function unescaped(_: string, kept: string): string {
  return kept === '\n' ? '' : kept;
}

function escaped(text: string): string {
  return text.replace(/[$`"\\}]/g, '\\$&');
}
