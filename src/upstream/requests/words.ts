import { cleanText } from '../../contract/text/clean-text.ts';

/** Keys of a JSON Schema with text that a person or a model reads. */
const spoken = new Set(['description', 'title']);

/** The same schema without hidden characters in descriptions, titles and names of choices. */
export function cleanWords(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > 64) return value;
  if (Array.isArray(value)) return value.map((member) => cleanWords(member, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (spoken.has(key) && typeof member === 'string') return [key, cleanText(member)];
      if (key === 'enumNames' && Array.isArray(member)) {
        return [key, member.map((name) => (typeof name === 'string' ? cleanText(name) : name))];
      }
      return [key, cleanWords(member, depth + 1)];
    }),
  );
}

/** Whether a name or value in it contains characters that a terminal would obey or a reader not see. */
export function hidesWords(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return cleanText(value) !== value.replace(/\r\n/g, '\n');
  if (typeof value !== 'object' || value === null || depth > 64) return false;
  return Object.entries(value).some(([key, member]) => hidesWords(key) || hidesWords(member, depth + 1));
}
