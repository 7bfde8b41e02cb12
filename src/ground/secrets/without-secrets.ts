import { replaceAnnounced } from './announced.ts';
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

const label =
  /-{4,5} ?BEGIN ([A-Z0-9 ]{0,30}(?:PRIVATE KEY(?: BLOCK)?|SECRET KEY)|OpenVPN Static key V1|OPENSSH PRIVATE KEY) ?-{4,5}/g;
const ending = /-{4,5} ?END [A-Za-z0-9 ]{1,60}-{4,5}/g;
/** Lines of a key whose end was cut off: the remaining base64, and headers before it. */
const openLines =
  /(?:(?:\\[nrt]|[\s"'+|>,-])*(?:[A-Z][A-Za-z-]{2,20}: [^\n\\]{1,200}|[A-Za-z0-9+/=]{16,}))*(?:(?:\\[nrt]|[\s"'+|>,-])*[A-Za-z0-9+/]{0,60}={0,2}(?=$|["'\n\\]))?/y;
/** The end of a key whose beginning was cut off. */
const closedLines =
  /(?<![A-Za-z0-9+/=])(?:[A-Za-z0-9+/=]{16,80}(?:\r?\n|\\n)[ \t]{0,20}){0,200}[A-Za-z0-9+/=]{1,80}(?:\r?\n|\\n)[ \t]{0,20}-{4,5} ?END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
const puttyLines = /(Private-Lines: \d{1,4}(?:\r?\n|\\n))(?:[A-Za-z0-9+/=]{1,100}(?:\r?\n|\\r|\\n)*)+/g;

/** The text with `put` in place of each private key: the whole block, even if its beginning or end is missing. */
function replaceKeyBlocks(words: string, put: string): string {
  if (!/PRIVATE|SECRET KEY|OpenVPN|Private-Lines/.test(words)) return words;
  const kept: string[] = [];
  let from = 0;
  /** The next ending found so far, so that many beginnings without an end do not each cause a search. */
  let end: RegExpExecArray | null | undefined;
  for (const found of words.matchAll(label)) {
    if (found.index < from) continue;
    const body = found.index + found[0].length;
    if (end === undefined || (end && end.index < body)) {
      ending.lastIndex = body;
      end = ending.exec(words);
    }
    kept.push(words.slice(from, found.index), put);
    const next = words.indexOf('BEGIN ', body);
    if (end && (next === -1 || end.index < next)) from = end.index + end[0].length;
    else {
      openLines.lastIndex = body;
      openLines.test(words);
      from = Math.max(body, openLines.lastIndex);
    }
  }
  kept.push(words.slice(from));
  return kept.join('').replace(closedLines, put).replace(puttyLines, `$1${put}`);
}
