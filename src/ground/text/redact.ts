import { createHash } from 'node:crypto';
import { counted } from '../counted.ts';
import { hidden, withoutSecrets } from '../secrets/without-secrets.ts';

const maxShownChars = 1024;
const maxItems = 100;
const maxDepth = 8;

/** Keys whose values are secrets in any arguments. */
const secretKey =
  /(?:^|[_-])(?:token|passkey|pass(?:word|wd|phrase|code)?|pwd|pw|psk|secret|credentials?|(?:api|access|secret|private|signing|encryption|account|master|shared|session|auth)[_-]?key|authorization|cookies?|connection[_-]?string|mnemonic|(?:seed|recovery)[_-]?phrase|otp)$/i;

/**
 * Arguments for the log: secrets removed by name and by form, long values as digest and length, wide and deep ones cut.
 */
export function redact(value: unknown, secrets: readonly string[], depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return '[deeper values left out]';
  if (Array.isArray(value)) {
    const shown = value
      .slice(0, maxItems)
      .map((item, at) => (announces(value[at - 1]) ? hidden : redact(item, secrets, depth + 1)));
    return value.length > maxItems ? [...shown, `[${value.length - maxItems} more]`] : shown;
  }
  const shown: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [key, member] of Object.entries(value).slice(0, maxItems)) {
    const isSecret = secrets.includes(key) || isSecretName(key) || (key === 'value' && isNamedSecret(value));
    shown[redactText(key)] = isSecret ? hidden : redact(member, secrets, depth + 1);
  }
  return { ...shown };
}

/** Whether a word of a program's list, like `--token`, announces a secret as the next one. */
function announces(word: unknown): boolean {
  return typeof word === 'string' && /^--?[a-z]/i.test(word) && isSecretName(word);
}

/** `{ name: 'DB_PASSWORD', value: … }`. */
function isNamedSecret({ name, key }: { readonly name?: unknown; readonly key?: unknown }): boolean {
  return [name, key].some((each) => typeof each === 'string' && isSecretName(each));
}

function isSecretName(name: string): boolean {
  return secretKey.test(snakeCase(name));
}

export function redactText(words: string): string {
  if (words.length > maxShownChars) {
    const digest = createHash('sha256').update(words).digest('hex').slice(0, 16);
    return `[${counted(words.length, 'character')}, sha256 ${digest}…]`;
  }
  // A secret with its announcement is at least this long, so skip shorter arguments.
  return words.length < 9 ? words : withoutSecrets(words);
}

/** Converts `accessToken` to `access_Token`. */
function snakeCase(key: string): string {
  return key.slice(0, 200).replace(/([a-z\d])([A-Z])/g, '$1_$2');
}
