import { replaceAnnounced } from './announced.ts';
import { replaceKeyBlocks } from './key-blocks.ts';
import { holdsToken, replaceTokens } from './token-forms.ts';

/** Stands where a secret stood. */
export const hidden = '[redacted]';

/** A text of any length without its secrets: private keys, credentials of an issuer's form, and what is announced as one. */
export function withoutSecrets(words: string): string {
  return replaceAnnounced(withoutCredentials(words), hidden);
}

/** A text without what is a credential by its form alone: private keys, and tokens as issuers write them. */
export function withoutCredentials(words: string): string {
  return replaceTokens(replaceKeyBlocks(words, hidden), hidden);
}

/** Does the text hold a credential by its form, and not a sample of one? */
export function holdsCredential(words: string): boolean {
  return holdsToken(words) || /-----BEGIN [A-Z ]{0,30}PRIVATE KEY/.test(words);
}
