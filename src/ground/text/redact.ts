import { createHash } from 'node:crypto';
import { counted } from '../counted.ts';

const maxShownChars = 1024;
const maxItems = 100;
const maxDepth = 8;
const hidden = '[redacted]';

/** Keys whose values are secrets in anybody's arguments. */
const secretKey =
  /(?:^|[_-])(?:token|passkey|password|passwd|passphrase|pwd|secret|credentials?|(?:api|access|secret|private|signing|encryption)[_-]?key|authorization|cookie)$/i;

/** Shapes of credentials that end up in contents and commands. Linear: no nested repetition. */
const secretShapes =
  /\b(?:skt_[\w-]{20,200}|sess_[\w-]{20,200}|sk-[\w-]{20,200}|gh[pousr]_\w{20,255}|github_pat_\w{20,255}|xox[abprs]-[\w-]{10,200}|xapp-[\w-]{10,200}|A[KS]IA[0-9A-Z]{16}|glpat-[\w-]{20,200}|npm_\w{36}|hf_\w{30,200}|SG\.[\w-]{10,40}\.[\w-]{20,100}|[spr]k_(?:live|test)_\w{10,200}|AIza[\w-]{35}|ya29\.[\w-]{20,2000}|eyJ[\w-]{10,2000}\.[\w-]{10,4000}\.[\w-]{10,1000})|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/g;

/**
 * Does the text hold a credential by its shape? Not every word that begins like one is: `sk-` begins names as well, and
 * `sk-xxxx` stands for one in documents.
 */
export function holdsCredential(words: string): boolean {
  for (const [found] of words.matchAll(secretShapes)) {
    if (found.startsWith('-----')) return true;
    if (/\d/.test(found) && (/[A-Z]/.test(found) || /[a-z\d]{16}/.test(found))) return true;
  }
  return false;
}

/** What stands after a word that announces a secret: headers, `password=…`, `--password …`. */
const announcedSecrets =
  /(\b(?:bearer|basic)\s{1,4}|(?:password|passwd|passphrase|passkey|secret|token|(?:api|access|secret|private)[_-]?key)["']?\s?[=:]\s?["']?|\s--?(?:password|passwd|passphrase|token|secret|api-key)\s{1,4}["']?)[^\s"'@&;|]{4,2000}/gi;

/** `curl -u user:password`; `docker run -u 1000:1000` names a group. */
const userSecrets =
  /(\s(?:-u|--user)[\s=]{1,4}["']?[^\s:"'@/]{1,64}:)(?!\d{1,10}(?:[\s"']|$))[^\s"']{1,200}/g;

/** The password of an address: `://user:password@`. */
const addressSecrets = /(:\/\/[^\s/:@]{1,64}:)[^\s/@]{1,200}(?=@)/g;

/**
 * Arguments as the log may keep them: secrets taken out by name and by shape, long values as digest and length,
 * wide and deep ones cut.
 */
export function redact(value: unknown, secrets: readonly string[], depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return '[deeper values left out]';
  if (Array.isArray(value)) {
    const shown = value.slice(0, maxItems).map((item) => redact(item, secrets, depth + 1));
    return value.length > maxItems ? [...shown, `[${value.length - maxItems} more]`] : shown;
  }
  const shown: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [key, member] of Object.entries(value).slice(0, maxItems)) {
    const isSecret = secrets.includes(key) || secretKey.test(snakeCase(key));
    shown[redactText(key)] = isSecret ? hidden : redact(member, secrets, depth + 1);
  }
  return { ...shown };
}

/** A text as the log may keep it. */
export function redactText(words: string): string {
  if (words.length > maxShownChars) {
    const digest = createHash('sha256').update(words).digest('hex').slice(0, 16);
    return `[${counted(words.length, 'character')}, sha256 ${digest}…]`;
  }
  // A secret and what announces it are at least that long; many arguments are shorter and need no search.
  return words.length < 9 ? words : withoutSecrets(words);
}

/** A text of any length, without what looks like a secret by its shape or by what announces it. */
export function withoutSecrets(words: string): string {
  return words
    .replace(secretShapes, hidden)
    .replace(announcedSecrets, `$1${hidden}`)
    .replace(userSecrets, `$1${hidden}`)
    .replace(addressSecrets, `$1${hidden}`);
}

/** `accessToken` is `access_Token` by another custom. */
function snakeCase(key: string): string {
  return key.slice(0, 200).replace(/([a-z\d])([A-Z])/g, '$1_$2');
}
