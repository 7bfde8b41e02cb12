import { createHash, createHmac } from 'node:crypto';
import { type Field, valuesOf } from '../../fields.ts';

/** A key of AWS; the token belongs to one that expires. */
export interface AwsPair {
  readonly id: string;
  readonly secret: string;
  readonly token: string | undefined;
}

/** Of `ID:SECRET` or `ID:SECRET:TOKEN`. */
export function awsPairOf(value: string): AwsPair {
  const [id = '', secret = '', token] = value.split(':');
  return { id, secret, token };
}

/** The fields that a signature of Version 4 covers, beside the request itself. */
export interface Signing {
  /** `20261130T093000Z`. */
  readonly date: string;
  /** `20261130/eu-west-1/s3/aws4_request`. */
  readonly scope: string;
  readonly pair: AwsPair;
}

export interface SignedRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly fields: readonly Field[];
  /** In lower case and sorted, and each in `fields`. */
  readonly signed: readonly string[];
  /** A SHA-256 in hex, or a word in its place. */
  readonly payload: string;
}

/**
 * Clients write the canonical form of an address in different ways, and services read it as theirs do: S3 as it is sent,
 * the others coded twice, with dots resolved or not. A signature says which one was meant.
 */
export const canonicalWays: readonly ((target: string) => readonly [path: string, query: string])[] = [
  pathAsSent,
  (path: string) => pathAsSent(coded(withoutDots(path))),
  // RFC 3986 leaves a slash after dots at the end; botocore does not.
  (path: string) => pathAsSent(coded(withoutDots(path.replace(/\/\.{1,2}$/, '$&/')))),
  (path: string) => pathAsSent(coded(path)),
  (path: string) => coded(decoded(path)),
].flatMap((canonicalPath) =>
  [queryOf((word) => word), queryOf((word) => coded(decoded(word), '')), queryOf(formCoded)].map(
    (canonicalQuery) => (target: string) => {
      const [path = '', ...query] = target.split('?');
      return [canonicalPath(path), canonicalQuery(query.join('?'))] as const;
    },
  ),
);

/** In hex. */
export function signatureOf(
  { method, target, fields, signed, payload }: SignedRequest,
  signing: Signing,
  way: (typeof canonicalWays)[number],
): string {
  const headers = signed.map((name) => `${name}:${valuesOf(fields, name).map(trimmed).join(',')}\n`);
  const canonical = [method, ...way(target), headers.join(''), signed.join(';'), payload].join('\n');
  return sign(signing, ['AWS4-HMAC-SHA256', signing.date, signing.scope, sha256(canonical)]);
}

/** Of lines that are signed, in hex. */
export function sign({ scope, pair }: Signing, lines: readonly string[]): string {
  const key = scope
    .split('/')
    .reduce<string | Buffer>((under, word) => hmac(under, word).digest(), `AWS4${pair.secret}`);
  return hmac(key, lines.join('\n')).digest('hex');
}

export function sha256(words: string | Uint8Array): string {
  return createHash('sha256').update(words).digest('hex');
}

function hmac(key: string | Buffer, words: string) {
  return createHmac('sha256', key).update(words);
}

function trimmed(value: string): string {
  return value.trim().replace(/ +/g, ' ');
}

function pathAsSent(path: string): string {
  return path === '' ? '/' : path;
}

function withoutDots(path: string): string {
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') kept.pop();
    else if (part !== '.' && part !== '') kept.push(part);
  }
  return `/${kept.join('/')}${kept.length > 0 && path.endsWith('/') ? '/' : ''}`;
}

function queryOf(code: (word: string) => string) {
  return (query: string) =>
    query
      .split('&')
      .filter((pair) => pair !== '' && !/^X-Amz-Signature=/i.test(pair))
      .map((pair) => {
        const [name = '', ...value] = pair.split('=');
        return [code(name), code(value.join('='))] as const;
      })
      .sort(([a, b], [c, d]) => (a === c ? compare(b, d) : compare(a, c)))
      .map((pair) => pair.join('='))
      .join('&');
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** As forms do, with a plus for a space. */
function formCoded(word: string): string {
  return coded(decoded(word.replaceAll('+', ' ')), '');
}

/** Bytes stay bytes: an address may hold what is no UTF-8. */
function decoded(word: string): Buffer {
  const bytes = word.replace(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1');
}

/** RFC 3986, with capitals; of a path the slashes stay. */
function coded(word: string | Buffer, kept = '/'): string {
  const bytes = typeof word === 'string' ? Buffer.from(word, 'latin1') : word;
  return [...bytes]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[\w.~-]/.test(char) || char === kept
        ? char
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}
