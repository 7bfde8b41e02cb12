import type { DoubleQuotedChild } from 'unbash';
import type { Page } from './page.ts';

/** Means itself to every shell, wherever it stands in a word. */
const plain = /^[\w./:@%,+-]+$/;
const grammar = new Set(
  'if then elif else fi for while until do done case esac in select function time coproc'.split(' '),
);

/** Does it mean itself in a word, however that is read? Most words are no more than this. */
export function isPlainText(text: string): boolean {
  return /^[\w./:@%,+=-]+$/.test(text);
}

/** What a word stands for that is one piece of constant text in quotes. */
export function textInQuotes(text: string): string | undefined {
  return /^(?:'[^']*'|"[^"$`\\]*")$/.test(text) ? text.slice(1, -1) : undefined;
}

const plainWords = /^[\w./:@%,+=-]+(?: [\w./:@%,+=-]+)*$/;
const someGrammar = new RegExp(`(?:^|[ =])(?:${[...grammar].join('|')})(?: |$)`);

/** Is it nothing but such words, with a blank between them? Most commands are no more than this. */
export function isPlainCommand(text: string): boolean {
  return plainWords.test(text) && !someGrammar.test(text);
}

/** A constant as it stands in a command: bare where that is all the same, else in quotes. */
export function constant(text: string): string {
  return plain.test(text) && !grammar.has(text) ? text : quoted(text);
}

/**
 * A constant in quotes, whatever it is. Not even its own quotes have a backslash: for the end of a list in brackets that
 * stands in a substitution, bash looks once without heeding one.
 */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

/** A word of the shell's own, at the start of a command. */
export function isGrammar(text: string): boolean {
  return grammar.has(text);
}

/** What text between double quotes stands for. */
export function readQuoted(raw: string): string {
  return raw.replace(/\\([$`"\\\n])/g, (_, kept: string) => (kept === '\n' ? '' : kept));
}

/** `$` at the end of a line that goes on: a shell reads `${x}` of `$`, a line feed and `{x}`, and the parser text. */
export function isParted(raw: string): boolean {
  return raw.includes('$\\\n') && /(?:^|[^\\])(?:\\\\)*\$(?:\\\n)+[\w{([@*#?$!-]/.test(raw);
}

/** Double quotes around text and expansions. */
export function printQuoted(page: Page, parts: readonly DoubleQuotedChild[]): void {
  page.add('"');
  for (const [at, part] of parts.entries()) {
    if (part.type === 'Literal') {
      // With the `$` of what follows, a shell reads its own number, `$$`.
      if (isParted(part.text) || (parts[at + 1] && /\$(?:\\\n)+$/.test(part.text))) page.refuse(part);
      page.add(readQuoted(part.text).replace(/[$`"\\]/g, '\\$&'));
    } else page.expansion(part, parts[at + 1], 'quotes');
  }
  page.add('"');
}

/** Characters of bare text that were written alike. */
interface Run {
  readonly text: string;
  /** A backslash stood before each. */
  readonly escaped: boolean;
}

/** Bare text without its backslashes. */
export function runsOf(raw: string): readonly Run[] {
  if (!raw.includes('\\')) return raw === '' ? [] : [{ text: raw, escaped: false }];
  const runs: { text: string; escaped: boolean }[] = [];
  for (const [part, kept] of raw.matchAll(/\\([\s\S])|\\$|[^\\]+/g)) {
    if (kept === '\n') continue;
    const escaped = part.startsWith('\\');
    const last = runs.at(-1);
    if (last?.escaped === escaped) last.text += kept ?? part;
    else runs.push({ text: kept ?? part, escaped });
  }
  return runs;
}
