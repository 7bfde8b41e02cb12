import type { IncomingMessage } from 'node:http';
import type { Arrival } from '../../contract/call.ts';
import { isLocale, type Locale } from '../../contract/text/text.ts';
import { isRecord } from '../../ground/is-record.ts';
import { type Params, RpcError, rpcCode } from '../jsonrpc.ts';
import { knownRevision } from '../revision.ts';
import { readTraceContext } from '../trace.ts';

/** The sender of a request, by its headers. */
export function arrivalOf(request: IncomingMessage): Arrival {
  return {
    transport: 'http',
    bearer: bearerOf(request),
    sessionToken: headerOf(request, 'sekisho-session-token'),
    coordinatorToken: headerOf(request, 'sekisho-coordinator-token'),
    address: request.socket.remoteAddress,
    revision: knownRevision(headerOf(request, 'mcp-protocol-version')),
    ...readTraceContext(headerOf(request, 'traceparent'), headerOf(request, 'tracestate')),
  };
}

export function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value.trim() : undefined;
}

/** The client's preferred language among ours; undefined if it states none. */
export function localeOf(request: IncomingMessage): Locale | undefined {
  const wanted = (headerOf(request, 'accept-language') ?? '')
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [tag = '', quality] = part.split(';');
      const weight = quality === undefined ? 1 : Number(quality.replace(/^\s*q=/, ''));
      return { language: tag.trim().slice(0, 2).toLowerCase(), weight };
    })
    .filter(({ language, weight }) => isLocale(language) && weight > 0)
    .sort((a, b) => b.weight - a.weight);
  return wanted[0]?.language as Locale | undefined;
}

/** Compares the headers of revision 2026-07-28, by which proxies route, with the body: they must match. */
export function assertHeadersMatch(
  request: IncomingMessage,
  version: string,
  method: string,
  params: Params,
): void {
  assertSame('mcp-protocol-version', headerOf(request, 'mcp-protocol-version'), version);
  assertSame('mcp-method', headerOf(request, 'mcp-method'), method);
  const source = nameSource.get(method);
  const name = source === undefined ? undefined : params[source];
  if (typeof name !== 'string') return;
  const header = headerOf(request, 'mcp-name');
  assertSame('mcp-name', header === undefined ? undefined : decodeHeader(header), name);
}

/** The body's member that `Mcp-Name` repeats. */
const nameSource = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

function assertSame(header: string, value: string | undefined, expected: string): void {
  if (value === expected) return;
  const problem = value === undefined ? 'is missing' : 'differs from the body';
  throw new RpcError(rpcCode.headerMismatch, `The header ${header} ${problem}.`, { header });
}

/** `=?base64?…?=` contains a name that a header cannot hold as plain text. */
function decodeHeader(value: string): string | undefined {
  const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value)?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded ? bytes.toString('utf8') : undefined;
}

function bearerOf({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  // Of several headers, Node passes the first, but a proxy may have checked the last, so none is valid.
  const times = rawHeaders.filter(
    (name, at) => at % 2 === 0 && name.toLowerCase() === 'authorization',
  ).length;
  if (times > 1) return '';
  return /^bearer +(\S+)\s*$/i.exec(authorization)?.[1];
}

/** Whether a message of the batch is of the newest revision, which has no batches. */
export function hasEnvelopeClaim(values: readonly unknown[], claims: (params: Params) => boolean): boolean {
  return values.some((value) => isRecord(value) && isRecord(value.params) && claims(value.params));
}
