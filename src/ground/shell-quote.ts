/** Quotes a word so that a POSIX shell reads it back as the same text; a plain word is unchanged. */
export function shellQuote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
