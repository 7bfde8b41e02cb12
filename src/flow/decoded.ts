import { Buffer } from 'node:buffer';

const minEncodedChars = 12;
const maxEncodedChars = 8192;

/** What a word says where it is written as base64, hex or with percent signs; nothing where it is not. */
export function decoded(word: string): string | undefined {
  if (word.length < 6 || word.length > maxEncodedChars) return undefined;
  if (word.includes('%')) return readable(percent(word), word);
  if (word.length < minEncodedChars) return undefined;
  if (/^(?:[0-9a-f]{2})+$/i.test(word)) return readable(Buffer.from(word, 'hex').toString('utf8'), word);
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(word)) return undefined;
  return readable(Buffer.from(word, 'base64').toString('utf8'), word);
}

function percent(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    // A percent sign that encodes nothing.
    return '';
  }
}

/** Other bytes decode to something as well, and it does not look like this. */
function readable(text: string, word: string): string | undefined {
  return text !== word && text.length >= 5 && /^[\t\n\r\x20-\x7e]+$/.test(text) ? text : undefined;
}
