/** AWS Signature Version 4 as its document describes it, for a client that signs and for a server that checks. */
import { createHash, createHmac } from 'node:crypto';

export type Headers = Readonly<Record<string, string>>;

export interface AwsRequest {
  readonly method: string;
  /** As it stands in the request. */
  readonly target: string;
  /** By lower-case name. */
  readonly headers: Headers;
  readonly body: string | Buffer;
}

export interface Key {
  readonly id: string;
  readonly secret: string;
  readonly token?: string;
}

const hash = (words: string | Buffer) => createHash('sha256').update(words).digest('hex');
const unsigned = 'UNSIGNED-PAYLOAD';
export const emptyHash = hash('');

/** How a service reads an address: S3 as it is, the others coded twice. */
export type Service = 's3' | 'dynamodb';

export function signatureOf(
  { method, target, headers }: AwsRequest,
  how: { signed: readonly string[]; payload: string; date: string; scope: string; secret: string },
): string {
  const url = target.split('?');
  const service = how.scope.split('/')[2] as Service;
  const path = service === 's3' ? encode(decode(url[0] ?? '')) : encode(normal(url[0] ?? ''));
  const query = url.slice(1).join('?').split('&').filter(Boolean);
  const pairs = query
    .map((each) => [
      encode(decode(each.split('=')[0] ?? ''), ''),
      encode(decode(each.split('=').slice(1).join('=')), ''),
    ])
    .filter(([name]) => name !== 'X-Amz-Signature')
    .sort(([a = '', b = ''], [c = '', d = '']) => (a < c ? -1 : a > c ? 1 : b < d ? -1 : Number(b > d)));
  const canonical = [
    method,
    path || '/',
    pairs.map((pair) => pair.join('=')).join('&'),
    ...how.signed.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    how.signed.join(';'),
    how.payload,
  ].join('\n');
  return hmacOf(how, ['AWS4-HMAC-SHA256', how.date, how.scope, hash(canonical)]);
}

export function hmacOf(
  { scope, secret }: { scope: string; secret: string },
  lines: readonly string[],
): string {
  let key: string | Buffer = `AWS4${secret}`;
  for (const word of scope.split('/')) key = createHmac('sha256', key).update(word).digest();
  return createHmac('sha256', key).update(lines.join('\n')).digest('hex');
}

export const scopeOf = (service: Service) => `20261130/eu-west-1/${service}/aws4_request`;
export const date = '20261130T093000Z';

/** A client: the request with its signature in a header. */
export function signed(request: AwsRequest, key: Key, service: Service, declared?: string): AwsRequest {
  const payload = declared ?? hash(request.body);
  const headers: Record<string, string> = {
    ...request.headers,
    'x-amz-date': date,
    ...(service === 's3' && { 'x-amz-content-sha256': payload }),
    ...(key.token && { 'x-amz-security-token': key.token }),
  };
  const names = Object.keys(headers).sort();
  const scope = scopeOf(service);
  const signature = signatureOf(
    { ...request, headers },
    { signed: names, payload, date, scope, secret: key.secret },
  );
  headers.authorization = `AWS4-HMAC-SHA256 Credential=${key.id}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...request, headers };
}

/** A client: the address that holds its signature. */
export function presigned(request: AwsRequest, key: Key): AwsRequest {
  const scope = scopeOf('s3');
  const parameters = {
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${key.id}/${scope}`,
    'X-Amz-Date': date,
    'X-Amz-Expires': '900',
    ...(key.token && { 'X-Amz-Security-Token': key.token }),
    'X-Amz-SignedHeaders': 'host',
  };
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const target = `${request.target}${request.target.includes('?') ? '&' : '?'}${query.join('&')}`;
  const how = { signed: ['host'], payload: unsigned, date, scope, secret: key.secret };
  return { ...request, target: `${target}&X-Amz-Signature=${signatureOf({ ...request, target }, how)}` };
}

/** A server: why it takes no such request; undefined if the key signed it, with its token and all that was declared. */
export function whyRefused(request: AwsRequest, key: Key): string | undefined {
  const { headers, target, body } = request;
  const query = new URLSearchParams(target.split('?').slice(1).join('?'));
  const login = /^AWS4-HMAC-SHA256 Credential=([^,]*), ?SignedHeaders=([^,]*), ?Signature=(\w+)$/.exec(
    headers.authorization ?? '',
  );
  const [credential, names, given] = login
    ? [login[1], login[2], login[3]]
    : [query.get('X-Amz-Credential'), query.get('X-Amz-SignedHeaders'), query.get('X-Amz-Signature')];
  const [id, ...scope] = (credential ?? '').split('/');
  if (id !== key.id) return `another key: ${id}`;
  const token = login ? headers['x-amz-security-token'] : (query.get('X-Amz-Security-Token') ?? undefined);
  if (token !== key.token) return `another token: ${token}`;
  const date = (login ? headers['x-amz-date'] : query.get('X-Amz-Date')) ?? '';
  const payload = headers['x-amz-content-sha256'] ?? (login ? hash(body) : unsigned);
  const how = { signed: (names ?? '').split(';'), payload, date, scope: scope.join('/'), secret: key.secret };
  if (!how.signed.includes('host')) return 'the host is not signed';
  if (signatureOf(request, how) !== given) return 'another signature';
  if (/^STREAMING-AWS4/.test(payload))
    return whyChunksRefused(body.toString('latin1'), { ...how, seed: given ?? '' });
  return /^[\da-f]{64}$/.test(payload) && hash(body) !== payload ? 'another body' : undefined;
}

export interface ChunkKey {
  readonly secret: string;
  readonly scope: string;
  readonly date: string;
  readonly seed: string;
}

/** A body in signed chunks, and a trailer if one is given. */
export function chunked(parts: readonly string[], { seed, ...how }: ChunkKey, trailer?: string): string {
  let last = seed;
  const chunks = [...parts, ''].map((part) => {
    last = hmacOf(how, [
      'AWS4-HMAC-SHA256-PAYLOAD',
      how.date,
      how.scope,
      last,
      emptyHash,
      hash(Buffer.from(part, 'latin1')),
    ]);
    return `${part.length.toString(16)};chunk-signature=${last}\r\n${part}${part === '' ? '' : '\r\n'}`;
  });
  if (trailer === undefined) return `${chunks.join('')}\r\n`;
  last = hmacOf(how, ['AWS4-HMAC-SHA256-TRAILER', how.date, how.scope, last, hash(`${trailer}\n`)]);
  return `${chunks.join('')}${trailer}\r\nx-amz-trailer-signature:${last}\r\n\r\n`;
}

function whyChunksRefused(body: string, how: ChunkKey): string | undefined {
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    const end = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.slice(at, end), 16);
    if (size === 0) {
      const [trailer] = /^x-amz-checksum[^\r]*/m.exec(body.slice(end)) ?? [];
      return chunked(parts, how, trailer) === body ? undefined : 'another chunk';
    }
    parts.push(body.slice(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
    if (!(at < body.length)) return 'a body that is cut off';
  }
}

function decode(words: string): Buffer {
  return Buffer.from(
    words.replace(/%([\da-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  );
}

function encode(bytes: Buffer | string, kept = '/'): string {
  let coded = '';
  for (const byte of Buffer.from(bytes as string)) {
    const char = String.fromCharCode(byte);
    coded +=
      /[A-Za-z\d_.~-]/.test(char) || char === kept
        ? char
        : `%${byte.toString(16).padStart(2, '0').toUpperCase()}`;
  }
  return coded;
}

/** The document: "normalize URI paths according to RFC 3986", but for S3. */
function normal(path: string): string {
  const url = new URL(
    `http://a${path.replace(/\/+/g, '/').replaceAll('%2e', '%252e').replaceAll('%2E', '%252E')}`,
  );
  return url.pathname.replaceAll('%252e', '%2e').replaceAll('%252E', '%2E');
}
