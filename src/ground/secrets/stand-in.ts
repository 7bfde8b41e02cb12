import { randomInt } from 'node:crypto';

/**
 * A random text in the place of a credential: equally long, with the same kinds of characters in the same places, so that
 * programs which check the form take it, and each encoding of it is as long as that of the credential. A known start
 * (`ghp_`, `sk-`, `AKIA`) stays, as does the head of a JSON web token.
 */
export function standInFor(value: string): string {
  const start = startOf(value);
  return start + [...value.slice(start.length)].map(another).join('');
}

/** Shorter ones cannot be told from other text. */
const leastSecretChars = 12;
export const mostSecretChars = 4096;

export type Unfit = 'short' | 'long' | 'characters' | 'plain';

/** Why a value cannot be a credential here; undefined if it can. */
export function whyUnfit(value: string): Unfit | undefined {
  if (value.length < leastSecretChars) return 'short';
  if (value.length > mostSecretChars) return 'long';
  if (!/^[\x20-\x7e]+$/.test(value) || value !== value.trim()) return 'characters';
  const rest = value.slice(startOf(value).length);
  return (rest.match(/[A-Za-z\d]/g) ?? []).length < leastSecretChars - 4 ? 'plain' : undefined;
}

/** What programs recognize a kind of credential by; never more than a third of it. */
function startOf(value: string): string {
  const [head = ''] =
    /^eyJ[\w-]{10,200}\.(?=[\w-]{10,}\.)|^(?:[A-Za-z]{2,10}[-_]){1,3}|^A[KS]IA/.exec(value) ?? [];
  return head.length * 3 <= value.length ? head : '';
}

function another(char: string): string {
  for (const kind of kinds) if (kind.includes(char)) return kind.charAt(randomInt(kind.length));
  return char;
}

const kinds = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '0123456789'];
