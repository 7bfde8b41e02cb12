import { cleanLine } from '../../contract/text/clean-text.ts';

/** A sentence, not a document: it stands in a reply that a model pays for. */
const maxChars = 500;

/** What a person wrote, as a model may be told it: one line, nothing hidden, bounded. Nothing where it says nothing. */
export function cleanWords(words: string): string | undefined {
  const line = cleanLine(words).trim();
  if (line === '') return undefined;
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1)}…`.toWellFormed();
}
