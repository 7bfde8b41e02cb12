import { type Text, text } from '../../../contract/text/text.ts';
import { counted } from '../../../ground/counted.ts';
import { replaceAnnounced } from '../../../ground/secrets/announced.ts';
import type { EdgeRequest } from '../request.ts';
import { type Asked, percentDecoded } from './asked.ts';
import { hasBody } from './body.ts';
import { encodedIn } from './encoded.ts';
import { holdsForeignCredential, isOwnKey } from './homes.ts';
import { isLogin, loginCarries } from './login.ts';
import { isSigning } from './signed.ts';

/** How much a reading request may bring along, in characters. */
export interface Allowance {
  readonly path: number;
  readonly segment: number;
  readonly query: number;
  readonly cookies: number;
  /** A password or token. */
  readonly login: number;
  /** All headers together that programs do not send by themselves. */
  readonly headers: number;
  /** Words that read like encoded bytes, in all and at once. */
  readonly encoded: number;
  readonly token: number;
  /** Characters that decode to a text. */
  readonly text: number;
  readonly identifiers: number;
}

/** A host that anyone may own: room for a search, an API key and the page of a list. */
export const forStrangers: Allowance = {
  path: 512,
  segment: 160,
  query: 400,
  cookies: 64,
  login: 96,
  headers: 256,
  encoded: 64,
  token: 36,
  text: 0,
  identifiers: 4,
};

/** A host whose dialect is known, where paths name what is there: room for its cursors, ids and issued tokens. */
export const forKnown: Allowance = {
  path: 1024,
  segment: 255,
  query: 500,
  cookies: 256,
  login: 4096,
  headers: 512,
  encoded: 200,
  token: 160,
  text: 48,
  identifiers: 8,
};

/** Why a reading request is a sending one: it carries more than reading needs. Undefined if it does not. */
export function carriedBy(asked: Asked, allowance: Allowance, mayHaveBody: boolean): Text | undefined {
  if (!mayHaveBody && hasBody(asked)) return text('It has a body.', '本文があります。');
  const { host } = asked.request;
  const query = asked.query.filter((pair) => !isSigning(pair, host) && !isOwnKey(pair[1], host));
  // Hosts spread files over folders by the first letters of their digest.
  const path = asked.path.replace(splitDigest, (digest) => digest.replaceAll('/', ''));
  const segments = path.split('/').map((segment) => percentDecoded(segment) ?? segment);
  const others = otherHeaders(asked);
  return (
    tooLong(asked.path.length, segments, query, allowance) ??
    headersCarry(asked, others, allowance) ??
    loginCarries(asked, allowance.login) ??
    secretIn(segments, query, others, host) ??
    encodedWithin([host.replaceAll('.', ' '), ...segments, ...query.flat(), ...others], allowance)
  );
}

function tooLong(
  pathChars: number,
  segments: readonly string[],
  query: readonly (readonly [string, string])[],
  allowance: Allowance,
): Text | undefined {
  const queryChars = query.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (queryChars > allowance.query)
    return text(
      `Its query has ${counted(queryChars, 'character')}.`,
      `クエリが ${queryChars} 文字あります。`,
    );
  return pathChars > allowance.path ||
    segments.some((segment) => segment.length > allowance.segment || /(?:\s.*){8}/.test(segment))
    ? text('Its path is long.', 'パスが長すぎます。')
    : undefined;
}

/** `objects/0d/1c9e1d6a974c66a1c5b4c6cec7f4860cb444f7`: one value, whose length tells whether it is a digest. */
const splitDigest = /(?<=\/)(?:[\da-f]{2}\/){1,2}[\da-f]{28,62}(?![^/])/g;

/** Why free words of a body are more than reading needs. */
export function wordsCarry(words: readonly string[], host: string, allowance: Allowance): Text | undefined {
  const plain = words.map((word) => percentDecoded(word) ?? word);
  // One search for all is faster, and across so many lines nothing announces anything.
  const all = plain.join('\n'.repeat(9));
  return holdsForeignCredential(all, host) || isAnnounced(all) ? secret : encodedWithin(plain, allowance);
}

const secret = text('It carries a secret.', '秘密の値が含まれています。');

/** Values of all headers but logins, without percent encoding. */
function otherHeaders({ headers }: Asked): readonly string[] {
  return [...headers].flatMap(([name, values]) =>
    isLogin(name) ? [] : values.map((value) => percentDecoded(value) ?? value),
  );
}

/** Headers that programs send by themselves, by how long they get. */
const usualByLength = {
  800: 'accept',
  260: 'host',
  256: 'user-agent',
  160: 'if-none-match',
  128: `accept-language accept-encoding content-type origin if-range x-goog-api-client pacote-pkg-id`,
  80: `accept-charset cache-control connection content-length date dnt expect git-protocol http2-settings
    if-match if-modified-since if-unmodified-since keep-alive npm-auth-type npm-command npm-scope npm-session
    pacote-req-type pacote-version pragma priority proxy-connection range sec-fetch-dest sec-fetch-mode
    sec-fetch-site te traceparent transfer-encoding upgrade upgrade-insecure-requests x-amz-content-sha256
    x-amz-date x-github-api-version x-requested-with`,
};
const usual: ReadonlyMap<string, number> = new Map(
  Object.entries(usualByLength).flatMap(([length, names]) =>
    names.split(/\s+/).map((name) => [name, Number(length)] as const),
  ),
);

function headersCarry({ headers }: Asked, values: readonly string[], allowance: Allowance): Text | undefined {
  const cookies = headers.get('cookie')?.join('; ') ?? '';
  if (cookies.length > allowance.cookies)
    return text(
      `It has long cookies: “${excerpt(cookies)}”.`,
      `クッキーが長すぎます: 「${excerpt(cookies)}」`,
    );
  const others = [...headers].filter(([name, all]) => name !== 'cookie' && isUnusual(name, all.join(', ')));
  const chars = others.reduce((sum, [name, all]) => sum + name.length + all.join(', ').length, 0);
  if (chars <= allowance.headers && !values.some((value) => /[^\t -~]/.test(value))) return undefined;
  const lines = others.map(([name, all]) => `${name}: ${all.join(', ')}`).join('; ');
  return text(
    `Its headers carry data: “${excerpt(lines)}”.`,
    `ヘッダーにデータがあります: 「${excerpt(lines)}」`,
  );
}

function isUnusual(name: string, value: string): boolean {
  return !isLogin(name) && value.length > (usual.get(name) ?? 0) && !(name === 'user-agent' && isPip(value));
}

/** The headers in which a request differs from another, but for those that a program makes anew when it sends it again. */
export function lastingHeaders(headers: EdgeRequest['headers']): EdgeRequest['headers'] {
  return headers.filter(
    ([name, value]) =>
      value.length > ((usual.get(name.toLowerCase()) ?? 0) || (anew.test(name) ? 64 : 0)) &&
      !(isLogin(name.toLowerCase()) && /^(AWS4-HMAC-SHA256|Digest) /i.test(value)),
  );
}

const anew = /(^|-)(id|key|trace|time|timestamp|nonce|signature|request|retry-count)$/i;

/** The start of what a program sends, for a question. */
function excerpt(words: string): string {
  return words.length > 200 ? `${words.slice(0, 200)}…` : words;
}

/** pip describes its machine as JSON. */
function isPip(agent: string): boolean {
  const [, json = ''] = /^pip\/[\w.]{1,20} (\{.{1,900}\})$/.exec(agent) ?? [];
  const words = json.match(/"[^"]*"/g) ?? [];
  return json !== '' && words.every((word) => word.length <= 60);
}

function secretIn(
  segments: readonly string[],
  query: readonly (readonly [string, string])[],
  others: readonly string[],
  host: string,
): Text | undefined {
  const words = [segments.join('/'), ...query.map(([name, value]) => `${name}=${value}`)];
  const isSecret =
    words.some((each) => holdsForeignCredential(each, host)) ||
    // A home takes its own tokens as a login, not in cookies or the names of programs.
    others.some((value) => holdsForeignCredential(value, '') || isAnnounced(value)) ||
    query.some(([name, value]) =>
      /passw|passphrase|secret|private.?key/i.test(name) ? value !== '' : isAnnounced(value),
    ) ||
    segments.some(isAnnounced);
  return isSecret ? secret : undefined;
}

function isAnnounced(value: string): boolean {
  return value.length >= 9 && replaceAnnounced(value, '') !== value;
}

function encodedWithin(texts: readonly string[], allowance: Allowance): Text | undefined {
  const { chars, longest, identifiers, textChars } = encodedIn(texts);
  return textChars > allowance.text ||
    chars > allowance.encoded ||
    longest > allowance.token ||
    identifiers > allowance.identifiers
    ? text('It carries encoded data.', '符号化されたデータが含まれています。')
    : undefined;
}
