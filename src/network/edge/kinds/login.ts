import { type Text, text } from '../../../contract/text/text.ts';
import { isRecord } from '../../../ground/is-record.ts';
import type { Asked } from './asked.ts';

import { holdsForeignCredential } from './homes.ts';

const logins =
  /^(?:authorization|(?:[a-z]{1,10}-){0,4}(?:api-?key|access-token|auth-token|private-token|job-token|token|security-token))$/;

/** Whether a header of this name holds a login: a password, a token, a key. */
export function isLogin(name: string): boolean {
  return logins.test(name);
}

/** Why the logins of a request are more than a login: a file can stand in a password. */
export function loginCarries({ headers, request }: Asked, maxChars: number): Text | undefined {
  const values = [...headers].filter(([name]) => isLogin(name)).flatMap(([, all]) => all);
  if (values.length > 3) return text('It logs in several times.', '複数の認証情報があります。');
  const secrets = values.map((value) => secretOf(value, maxChars));
  if (secrets.some((secret) => secret === undefined || !isShort(secret, maxChars)))
    return text('Its login is longer than a password.', '認証情報がパスワードより長くなっています。');
  return secrets.some(
    (secret) => secret !== undefined && holdsForeignCredential(withoutJwt(secret), request.host),
  )
    ? text('It carries a credential of another service.', '別のサービスの認証情報が含まれています。')
    : undefined;
}

/** People make passwords, and programs the longer tokens. */
const passwordShare = 2 / 3;

/** The parts of a login, without the forms of its scheme; undefined if it cannot be read or is long. */
function secretOf(value: string, maxChars: number): string | undefined {
  const [, scheme = '', rest = ''] = /^([A-Za-z][\w-]{0,20})\s+(.+)$/.exec(value) ?? [];
  switch (scheme.toLowerCase()) {
    case 'basic': {
      const decoded = Buffer.from(rest, 'base64').toString('utf8');
      // A password is a line of text.
      return /^[^\u0000-\u001f\u007f\ufffd]*$/.test(decoded) && decoded.length <= maxChars * passwordShare
        ? decoded
        : undefined;
    }
    case 'aws4-hmac-sha256':
      return /^Credential=[\w/.-]{20,200}, ?SignedHeaders=[a-z\d;-]{1,600}, ?Signature=[\da-f]{64}$/.test(
        rest,
      )
        ? ''
        : undefined;
    case '':
      return value;
    default:
      return rest;
  }
}

function isShort(secret: string, maxChars: number): boolean {
  const bare = withoutJwt(secret);
  return bare.length <= maxChars && secret.length - bare.length <= maxJwtChars;
}

const maxJwtChars = 3000;
const jwt = /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,700}(?![\w.-])/g;

/** A text without signed tokens (RFC 7519) whose claims are short. */
function withoutJwt(words: string): string {
  return words.replace(jwt, (token) => (isPlainJwt(token) ? '' : token));
}

function isPlainJwt(token: string): boolean {
  const [head, claims] = token.split('.').slice(0, 2).map(jsonOf);
  return (
    isRecord(head) &&
    typeof head.alg === 'string' &&
    isRecord(claims) &&
    'exp' in claims &&
    areShort([head, claims])
  );
}

function jsonOf(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

function areShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= 128;
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, member]) => key.length <= 64 && areShort(member));
}
