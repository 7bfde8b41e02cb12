import { randomBytes } from 'node:crypto';

/** An id that people can type and nobody can guess: `apr_7k2m9q4x3v5w8z1t`, 5 bits a character. */
export function randomId(prefix: string, chars: number): string {
  let id = prefix;
  for (const byte of randomBytes(chars)) id += alphabet[byte & 31];
  return id;
}

/** Crockford's: no i, l, o, u to be misread. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
