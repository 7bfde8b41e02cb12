import { request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Refusal, Refusals } from './refusal.ts';
import type { Road } from './road.ts';
import { parseAuthority, type Target } from './rules.ts';
import { idleMs } from './tunnel.ts';

/**
 * Forwards one request of plain HTTP. A strict parser has read it, and it is written from the parsed form to a separate
 * connection: two parsers of the same bytes could disagree on where a request ends. `tunnelled` is the host of its
 * CONNECT.
 */
export async function passOn(
  incoming: IncomingMessage,
  answer: ServerResponse,
  { road, refusals, tunnelled }: { road: Road; refusals: Refusals; tunnelled?: Target | undefined },
): Promise<void> {
  const destination = tunnelled ? inTunnel(incoming, tunnelled) : wholeAddress(incoming.url ?? '');
  const coding = incoming.headers['transfer-encoding'];
  if (!destination || (coding !== undefined && coding.toLowerCase() !== 'chunked')) {
    return refuse(incoming, answer, refusals.unreadable);
  }
  const { target, path } = destination;
  const reached = await road(target);
  if (reached.kind === 'refused') return refuse(incoming, answer, reached.refusal);
  const { socket } = reached;
  if (answer.destroyed) {
    socket.destroy();
    return;
  }
  try {
    await exchange(incoming, answer, socket, path, headersFor(incoming, target));
  } catch {
    // Which side broke off is unknown, so the client is only told that the exchange failed.
    if (!answer.headersSent) refuse(incoming, answer, refusals.unreachable(target));
    else answer.destroy();
  } finally {
    socket.destroy();
  }
}

async function exchange(
  incoming: IncomingMessage,
  answer: ServerResponse,
  socket: Socket,
  path: string,
  headers: readonly string[],
): Promise<void> {
  socket.setTimeout(idleMs, () => socket.destroy());
  answer.once('close', () => socket.destroy());
  const outgoing = ask({
    createConnection: () => socket,
    method: incoming.method,
    path,
    headers,
    setHost: false,
  });
  // An error after the last awaited event must not end the server.
  for (const stream of [incoming, answer, outgoing]) stream.on('error', () => {});
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
    outgoing.once('upgrade', () => reject(new Error('the server switched protocols')));
    outgoing.once('close', () => reject(new Error('closed without an answer')));
  });
  // A server may reply before it has read the whole request, and then close.
  pipeline(incoming, outgoing).catch(() => {});
  const response = await answered;
  response.on('error', () => {});
  answer.writeHead(response.statusCode ?? 502, response.statusMessage ?? '', endToEnd(response.rawHeaders));
  await pipeline(response, answer);
}

/** `http://host:port/path`, the form of requests to a proxy. */
function wholeAddress(url: string): { target: Target; path: string } | undefined {
  const match = /^http:\/\/([^/?#]+)([/?][^#]*)?$/i.exec(url);
  const authority = match?.[1];
  if (authority === undefined) return undefined;
  const target = parseAuthority(/:\d+$/.test(authority) ? authority : `${authority}:80`);
  const rest = match?.[2] ?? '/';
  return target && { target, path: rest.startsWith('/') ? rest : `/${rest}` };
}

/** A request inside a tunnel, which must name the tunnel's host. */
function inTunnel(
  incoming: IncomingMessage,
  tunnelled: Target,
): { target: Target; path: string } | undefined {
  const { url = '', headers } = incoming;
  const named = headers.host ?? '';
  const host = parseAuthority(/:\d+$/.test(named) ? named : `${named}:${tunnelled.port}`);
  if (!url.startsWith('/') || host?.host !== tunnelled.host || host.port !== tunnelled.port) return undefined;
  return { target: tunnelled, path: url };
}

/** The host comes from the checked target, and the framing from the parsed request. */
function headersFor(incoming: IncomingMessage, { host, port }: Target): readonly string[] {
  const name = host.includes(':') ? `[${host}]` : host;
  const headers = ['Host', port === 80 ? name : `${name}:${port}`];
  const { 'transfer-encoding': coding, 'content-length': length } = incoming.headers;
  if (coding !== undefined) headers.push('Transfer-Encoding', 'chunked');
  else if (length === undefined && !bodiless.has(incoming.method ?? '')) headers.push('Content-Length', '0');
  return [...headers, ...endToEnd(incoming.rawHeaders, ['host', 'expect'])];
}

const bodiless: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);
/** For the next hop only (RFC 9110, 7.6.1). */
const hopByHop = ['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

function endToEnd(rawHeaders: readonly string[], more: readonly string[] = []): string[] {
  const pairs: (readonly [string, string])[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    pairs.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
  }
  const named = pairs.flatMap(([name, value]) =>
    name.toLowerCase() === 'connection' ? value.split(',').map((word) => word.trim().toLowerCase()) : [],
  );
  // A hop must not remove the headers that frame the body.
  const left = new Set([...hopByHop, ...named.filter((name) => name !== 'content-length'), ...more]);
  return pairs.flatMap(([name, value]) =>
    left.has(name.toLowerCase()) || name.toLowerCase().startsWith('proxy-') ? [] : [name, value],
  );
}

function refuse(
  incoming: IncomingMessage,
  answer: ServerResponse,
  { status, reason, sentence }: Refusal,
): void {
  if (answer.destroyed) return;
  answer.writeHead(status, reason, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  answer.end(`Sekisho: ${sentence}\n`);
  incoming.resume();
}
