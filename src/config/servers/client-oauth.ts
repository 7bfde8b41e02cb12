import { type Text, text } from '../../contract/text/text.ts';

/** Other clients' names of our keys: Claude Code, Gemini, Cursor. */
const renamed: Readonly<Record<string, string>> = {
  client_id: 'clientId',
  CLIENT_ID: 'clientId',
  client_secret: 'clientSecret',
  CLIENT_SECRET: 'clientSecret',
  callbackPort: 'redirectPort',
  scopes: 'scope',
};

const words = new Set(['issuer', 'clientId', 'clientSecret', 'scope', 'grant', 'clientMetadataUrl']);

/** The login of a client's file. A secret is left out unless its one issuer is known, which clients do not write. */
export function clientOauth(value: unknown, notes: Text[]): unknown {
  if (value === false) return false;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    if (value !== true) notes.push(leftOut('oauth'));
    return undefined;
  }
  const { enabled, ...given } = value as Readonly<Record<string, unknown>>;
  if (enabled === false) return false;
  const taken: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(given)) {
    const ours = Object.hasOwn(renamed, key) ? (renamed[key] as string) : key;
    const joined = ours === 'scope' && Array.isArray(member) ? member.join(' ') : member;
    const fits = words.has(ours)
      ? typeof joined === 'string' && joined !== ''
      : ours === 'redirectPort' && Number.isInteger(joined);
    if (fits) taken[ours] = joined;
    else notes.push(leftOut(`oauth.${key}`));
  }
  if (taken.clientSecret !== undefined && taken.issuer === undefined) {
    delete taken.clientSecret;
    notes.push(
      text(
        'oauth.clientSecret is left out: name the issuer that it is for, and add it',
        'oauth.clientSecret は取り込みません。送り先の issuer を書いたうえで追加してください',
      ),
    );
  }
  return Object.keys(taken).length === 0 ? undefined : taken;
}

/** The note for a key without meaning here. */
export function leftOut(key: string): Text {
  return text(`${key} is left out`, `${key} は取り込みません`);
}
