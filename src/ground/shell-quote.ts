import type { CommandLine } from '../contract/capabilities/process.ts';

/** A command as a person reads it. */
export function shownLine(line: CommandLine): string {
  return line.kind === 'script' ? line.script : [line.program, ...line.args].map(shellQuote).join(' ');
}

/** Quotes a word so that a POSIX shell reads it back as the same text; a plain word is unchanged. */
export function shellQuote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
