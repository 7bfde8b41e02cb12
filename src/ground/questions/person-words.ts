import { cleanLine } from '../../contract/text/clean-text.ts';

/** A sentence, not a document: it becomes part of a reply that a model pays for. */
const maxChars = 500;

/** A person's text for a model: one line, nothing hidden, limited in length. Undefined if empty. */
export function cleanWords(words: string): string | undefined {
  const line = cleanLine(words).trim();
  if (line === '') return undefined;
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1)}…`.toWellFormed();
}
