import { replaceAnnounced } from './announced.ts';
import { replaceKeyBlocks } from './key-blocks.ts';
import { holdsToken, replaceTokens } from './token-forms.ts';

/** Replaces a secret. */
export const hidden = '[redacted]';

/** A text of any length without its secrets: private keys, credentials in an issuer's format, and announced ones. */
export function withoutSecrets(words: string): string {
  return replaceAnnounced(withoutCredentials(words), hidden);
}

/** A text without credentials that are recognizable by form alone: private keys and issuers' tokens. */
export function withoutCredentials(words: string): string {
  return replaceTokens(replaceKeyBlocks(words, hidden), hidden);
}

/** Whether the text contains a credential recognizable by form that is no sample. */
export function holdsCredential(words: string): boolean {
  return holdsToken(words) || /-----BEGIN [A-Z ]{0,30}PRIVATE KEY/.test(words);
}
