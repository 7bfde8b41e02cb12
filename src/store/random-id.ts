import { randomBytes } from 'node:crypto';

/** An id that can be typed but not guessed: `apr_7k2m9q4x3v5w8z1t`, 5 bits a character. */
export function randomId(prefix: string, chars: number): string {
  let id = prefix;
  for (const byte of randomBytes(chars)) id += alphabet[byte & 31];
  return id;
}

/** Crockford's alphabet: no i, l, o or u, which are easily misread. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
