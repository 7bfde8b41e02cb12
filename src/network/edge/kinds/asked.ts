import { type Text, text } from '../../../contract/text/text.ts';
import type { EdgeRequest } from '../request.ts';

/** A request read once for all dialects. */
export interface Asked {
  readonly request: EdgeRequest;
  /** As sent, or as a header or parameter overrides it. */
  readonly method: string;
  /** Without the query; letters and digits that were percent-encoded are decoded, and nothing else. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Values of each header by its name in lower case. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** Why its form can be read in two ways, so that it is never taken for a reading one. */
  readonly odd: Text | undefined;
}

export function readRequest(request: EdgeRequest): Asked {
  const mark = request.target.indexOf('?');
  const rawPath = mark === -1 ? request.target : request.target.slice(0, mark);
  const query = mark === -1 ? [] : parametersOf(request.target.slice(mark + 1));
  const headers = new Map<string, readonly string[]>();
  for (const [name, value] of request.headers) {
    const key = name.toLowerCase();
    headers.set(key, [...(headers.get(key) ?? []), value]);
  }
  const overriding = overridesOf(headers, query).find((method) => method !== request.method);
  return {
    request,
    method: overriding ?? request.method,
    path: decodeUnreserved(rawPath),
    query: query ?? [],
    headers,
    odd:
      (overriding === undefined
        ? undefined
        : text(
            `It is sent as ${request.method} and names ${overriding}.`,
            `${request.method} で送られ、${overriding} を名乗っています。`,
          )) ??
      oddTarget(request.target, rawPath) ??
      (query === undefined ? unreadable : oddHeaders(headers, request)),
  };
}

/** The single value of a header; undefined if it is missing or repeated. */
export function headerOf({ headers }: Asked, name: string): string | undefined {
  const values = headers.get(name);
  return values?.length === 1 ? values[0] : undefined;
}

/** The single value of a query parameter; undefined if it is missing or repeated. */
export function parameterOf({ query }: Asked, name: string): string | undefined {
  const values = query.filter(([key]) => key === name);
  return values.length === 1 ? values[0]?.[1] : undefined;
}

/** The text of a part of a path or query; undefined if its encoding is invalid. */
export function percentDecoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

const maxParameters = 200;

function parametersOf(query: string): readonly (readonly [string, string])[] | undefined {
  const pairs = query.split('&', maxParameters + 1).filter((pair) => pair !== '');
  if (pairs.length > maxParameters) return undefined;
  const read: (readonly [string, string])[] = [];
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const plain = pair.replaceAll('+', ' ');
    const name = percentDecoded(at === -1 ? plain : plain.slice(0, at));
    const value = at === -1 ? '' : percentDecoded(plain.slice(at + 1));
    if (name === undefined || value === undefined) return undefined;
    read.push([name, value]);
  }
  return read;
}

const overriding = `x-http-method-override x-http-method x-method-override _method _http_method`.split(/\s+/);

function overridesOf(
  headers: ReadonlyMap<string, readonly string[]>,
  query: readonly (readonly [string, string])[] = [],
): readonly string[] {
  const inQuery = query.filter(([name]) => overriding.includes(name.toLowerCase())).map(([, value]) => value);
  return [...overriding.flatMap((name) => headers.get(name) ?? []), ...inQuery].map((method) =>
    method.trim().toUpperCase(),
  );
}

/** Escapes of letters, digits and `-._~` mean the same as these (RFC 3986, 2.3). */
function decodeUnreserved(path: string): string {
  return path.replace(/%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi, (code) =>
    String.fromCharCode(Number.parseInt(code.slice(1), 16)),
  );
}

const unreadable = text('Its query cannot be read.', 'クエリを読み取れません。');

function oddTarget(target: string, rawPath: string): Text | undefined {
  if (!target.startsWith('/')) return text('Its target is not a path.', '対象がパスではありません。');
  if (/[^!-~]|[\\#]|%(?![0-9a-f]{2})|%00/i.test(target) || /%(?:[01][0-9a-f]|7f|5c)/i.test(rawPath)) {
    return text(
      'Its target has characters that hosts read in different ways.',
      '対象に、ホストによって読み方の違う文字があります。',
    );
  }
  if (/%25[0-9a-f]{2}/i.test(rawPath))
    return text('Its path is encoded twice.', 'パスが二重に符号化されています。');
  const path = percentDecoded(rawPath);
  if (path === undefined) return text('Its path is not UTF-8.', 'パスが UTF-8 ではありません。');
  return /(?:^|\/)\.{1,2}(?:[/;]|$)/.test(path)
    ? text('Its path has segments such as “..”.', 'パスに「..」などの区切りがあります。')
    : undefined;
}

/** Headers that name another target than the request's own. */
const rerouting = ['x-original-url', 'x-rewrite-url', 'x-forwarded-prefix', 'x-original-uri'];

function oddHeaders(
  headers: ReadonlyMap<string, readonly string[]>,
  { host, port }: EdgeRequest,
): Text | undefined {
  if (rerouting.some((name) => headers.has(name)))
    return text('A header names another path.', 'ヘッダーが別のパスを指しています。');
  const named = headers.get('host') ?? [];
  const name = host.includes(':') ? `[${host}]` : host;
  const fits = named.every((value) => [name, `${name}:${port}`].includes(value.toLowerCase()));
  return named.length > 1 || !fits
    ? text('Its Host header is not the host of the connection.', 'Host ヘッダーが接続先のホストと違います。')
    : undefined;
}
