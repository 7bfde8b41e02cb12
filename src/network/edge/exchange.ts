import { Agent, type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { text } from '../../contract/text/text.ts';
import { wholeOf } from '../../ground/waiting/bounded-stream.ts';
import type { Refusal, Refusals } from '../proxy/refusal.ts';
import type { Reached } from '../proxy/road.ts';
import { parseAuthority, type Target } from '../proxy/rules.ts';
import { idleMs, join } from '../proxy/tunnel.ts';
import { endToEnd, type Field, isSwitch, pairsOf, valuesOf } from './fields.ts';
import type { Gate, Judged } from './gate.ts';
import { forwardGrpc, isGrpc } from './grpc.ts';
import type { Incoming } from './incoming.ts';
import type { Lending } from './keys/keys.ts';
import { lend } from './keys/lend.ts';
import { refusalOf } from './kinds/refusal.ts';
import { type BodyStart, readStart } from './read-start.ts';
import type { EdgeRequest } from './request.ts';

export type Scheme = EdgeRequest['scheme'];

/** The connection that requests came over. */
export interface Line {
  /** The host of its tunnel; undefined if each request names its own. */
  readonly tunnelled?: Target | undefined;
  readonly scheme: Scheme;
  /** The port of the sandbox's loopback that it came from. */
  readonly port: number | undefined;
  readonly open: Open;
  /** For a host that is looked into: connections that were kept open. */
  readonly kept?: Agent | undefined;
}

/** Connects to a host, and has it prove who it is if the scheme is https. */
export type Open = (target: Target, protocol?: 'h2') => Promise<Reached>;

export interface ExchangeOptions {
  readonly refusals: Refusals;
  /** Undefined for a host whose requests are not looked into. */
  readonly gateFor: (target: Target) => Gate | undefined;
}

/**
 * Forwards one request. A strict parser has read it, and it is written from the parsed form to a separate connection:
 * two parsers of the same bytes could disagree on where a request ends. At a gate, none of it leaves before it passes.
 */
export async function passOn(incoming: Incoming, line: Line, options: ExchangeOptions): Promise<void> {
  const { tunnelled } = line;
  const { refusals } = options;
  const destination = tunnelled ? inTunnel(incoming, tunnelled) : wholeAddress(incoming.target);
  if (!destination) return refuse(incoming, tunnelled ? refusals.astray(tunnelled) : refusals.noProxyRequest);
  const codings = valuesOf(incoming.fields, 'transfer-encoding');
  const isChunked = codings.length === 1 && codings[0]?.toLowerCase() === 'chunked';
  if (codings.length > 0 && !isChunked) return refuse(incoming, refusals.unclear);
  const { target, path } = destination;
  const gate = options.gateFor(target);
  let start: BodyStart | undefined;
  let lending: Lending | undefined;
  if (gate) {
    if (!isPlain(incoming)) return refuse(incoming, refusals.unclear);
    start = await startOf(incoming);
    // It broke off, or its parser did.
    if (start && !start.isWhole && incoming.body.destroyed) return incoming.abort();
    const request = requestOf(incoming, { target, path, scheme: line.scheme }, start);
    const judged = await judgeAt(gate, request, { incoming, port: line.port });
    if (!judged) return incoming.abort();
    if (!judged.passes) return refuseByGate(incoming, request, judged);
    lending = judged.lending;
  }
  try {
    if (!lending) return await exchange(incoming, { target, path, start, line });
    const body = incoming.hasBody ? bodyOf(incoming, start) : undefined;
    const whole = body && lending.signing?.needsBody ? await wholeOf(body, mostSignedBytes) : undefined;
    const lent = lend(incoming, lending, whole ? Readable.from([whole]) : body, whole);
    if (!lent) {
      lending.refused(text(refusals.unsigned.reason, '代わりの値による署名ではありません'));
      return refuse(incoming, refusals.unsigned);
    }
    await exchange(lent.incoming, { target, path: lent.path, start: undefined, line });
  } catch (error) {
    // Which side broke off is unknown, so the client is only told that the exchange failed.
    refuse(incoming, error instanceof Unreached ? error.refusal : refusals.unreachable(target));
  }
}

class Unreached extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.reason);
    this.refusal = refusal;
  }
}

/** A request that every server reads alike. */
function isPlain({ fields, authority, method, isHttp2, hasBody }: Incoming): boolean {
  if (method === 'CONNECT' || authority === undefined) return false;
  return !isSwitch(fields) || (valuesOf(fields, 'upgrade').length === 1 && !isHttp2 && !hasBody);
}

async function startOf(incoming: Incoming): Promise<BodyStart | undefined> {
  if (!incoming.hasBody) return undefined;
  // The client may wait for this before it sends what is judged.
  if (valuesOf(incoming.fields, 'expect').length > 0) incoming.proceed();
  return readStart(incoming.body, judgedBytes, startMs);
}

const judgedBytes = 64 * 1024;
const startMs = 1000;

function requestOf(
  { method, fields }: Incoming,
  { target, path, scheme }: { target: Target; path: string; scheme: Scheme },
  start: BodyStart | undefined,
): EdgeRequest {
  const length = valuesOf(fields, 'content-length')[0];
  const known = length === undefined ? undefined : Number(length);
  return {
    method: overriddenBy(fields) ?? method,
    scheme,
    ...target,
    target: path,
    headers: fields,
    bodyStart: start?.bytes.subarray(0, judgedBytes) ?? Buffer.alloc(0),
    bodyIsWhole: start === undefined || (start.isWhole && start.bytes.length <= judgedBytes),
    bodyBytes: start === undefined ? 0 : start.isWhole ? start.bytes.length : known,
  };
}

/** Some servers take the method from a field. One that only reads proves nothing, as other servers ignore the field. */
function overriddenBy(fields: readonly Field[]): string | undefined {
  const [method] = ['x-http-method-override', 'x-http-method', 'x-method-override'].flatMap((name) =>
    valuesOf(fields, name),
  );
  return method === undefined || /^(GET|HEAD|OPTIONS)$/i.test(method) ? undefined : method.toUpperCase();
}

/** Undefined if the client left before it was decided. */
async function judgeAt(
  gate: Gate,
  request: EdgeRequest,
  { incoming, port }: { readonly incoming: Incoming; readonly port: number | undefined },
): Promise<Judged | undefined> {
  const left = new AbortController();
  let beats: NodeJS.Timeout | undefined;
  const hold = () => {
    incoming.onGone(() => left.abort(clientLeft));
    if (incoming.isGone()) left.abort(clientLeft);
    const agent = valuesOf(incoming.fields, 'user-agent')[0] ?? '';
    if (!incoming.isHttp2 && impatient.test(agent)) beats = setInterval(() => incoming.proceed(), beatMs);
    return left.signal;
  };
  try {
    return await gate.judge(request, { port, hold });
  } catch (error) {
    if (left.signal.aborted) return undefined;
    throw error;
  } finally {
    clearInterval(beats);
  }
}

/** The stack of an error of its own would keep the request in memory for as long as its question is open. */
const clientLeft = new Error('the client has left');

/** Programs that give up within a minute, and wait on after `100 Continue`; others take it amiss. */
const impatient = /^(python-httpx|pip|yarn|Gradle|Ruby|aws-cli|Botocore|Boto3|HTTP-Tiny)\b/i;
const beatMs = 3000;

interface Exchange {
  readonly target: Target;
  readonly path: string;
  readonly start: BodyStart | undefined;
  readonly line: Line;
}

async function exchange(incoming: Incoming, how: Exchange, isAgain = false): Promise<void> {
  const { target, path, line } = how;
  if (line.scheme === 'https' && isGrpc(incoming)) {
    const socket = await openOrThrow(line.open, target, 'h2');
    const authority = incoming.authority ?? target.host;
    return forwardGrpc(incoming, { authority, path, body: bodyOf(incoming, how.start), socket });
  }
  const switches = line.kept !== undefined && isSwitch(incoming.fields);
  // Only a request without a body leaves its connection in step, and only one that reads can be sent again.
  const mayKeep = !incoming.hasBody && !switches && !isAgain && /^(GET|HEAD|OPTIONS)$/.test(incoming.method);
  const kept = mayKeep ? line.kept : undefined;
  const socket = kept ? undefined : await openOrThrow(line.open, target);
  if (incoming.isGone()) {
    socket?.destroy();
    return;
  }
  const outgoing = startRequest({
    ...(kept ? { agent: kept, ...keyOf(incoming, how) } : { createConnection: () => socket }),
    method: incoming.method,
    path,
    headers: headersFor(incoming, target, line.scheme, switches).flat(),
    setHost: false,
  });
  // An error after the last awaited event must not end the server.
  for (const stream of [incoming.body, outgoing]) stream.on('error', () => {});
  incoming.onGone(() => outgoing.destroy());
  try {
    const answered = answerTo(outgoing);
    send(incoming, how.start, outgoing);
    const { response, upgraded } = await answered;
    if (upgraded) await switchTo(incoming, response, upgraded);
    else await giveBack(incoming, response);
  } catch (error) {
    const isStale = kept !== undefined && outgoing.reusedSocket && !incoming.isGone();
    if (isStale && !(error instanceof Answering)) return exchange(incoming, how, true);
    throw error;
  } finally {
    if (!kept) socket?.destroy();
  }
}

/** It failed after its answer had begun. */
class Answering extends Error {}

async function openOrThrow(open: Open, target: Target, protocol?: 'h2'): Promise<Socket> {
  const reached = await open(target, protocol);
  if (reached.kind === 'refused') throw new Unreached(reached.refusal);
  return reached.socket;
}

/** A login by one of these is the connection's, which then serves its client alone. */
const loginOfConnection = /^(NTLM|Negotiate)\b/i;

/** By which an agent tells connections apart. */
function keyOf({ fields }: Incoming, { target, line }: Exchange) {
  const isOwn = valuesOf(fields, 'authorization').some((value) => loginOfConnection.test(value));
  return { ...target, localAddress: isOwn ? String(line.port) : undefined };
}

/** Keeps connections for later requests to their hosts. */
export function keepConnections(open: Open): Agent {
  const agent = new Agent({ keepAlive: true, timeout: idleMs });
  agent.createConnection = ({ host, port }, callback) => {
    openOrThrow(open, { host: String(host), port: Number(port) }).then(
      (socket) => callback?.(null, socket),
      (error) => callback?.(error, undefined as unknown as Duplex),
    );
    return undefined;
  };
  return agent;
}

function answerTo(
  outgoing: ClientRequest,
): Promise<{ readonly response: IncomingMessage; readonly upgraded?: Socket | undefined }> {
  return new Promise((resolve, reject) => {
    const unanswered = () => reject(new Error('closed without an answer'));
    outgoing.once('response', (response) => {
      // The error of each request that ends well would cost more than the answer.
      outgoing.off('close', unanswered);
      resolve({ response });
    });
    outgoing.once('upgrade', (response, socket, head) => {
      if (head.length > 0) socket.unshift(head);
      resolve({ response, upgraded: socket as Socket });
    });
    outgoing.once('error', reject);
    outgoing.once('close', unanswered);
  });
}

/** A server may answer before it has read the whole request, and then close. */
function send(incoming: Incoming, start: BodyStart | undefined, outgoing: ClientRequest): void {
  if (!incoming.hasBody) {
    outgoing.end();
    return;
  }
  // Trailers come after it was judged, so that they stay behind.
  pipeline(Readable.from(bodyOf(incoming, start), { objectMode: false }), outgoing).catch(() =>
    outgoing.destroy(),
  );
}

async function* bodyOf({ body }: Incoming, start: BodyStart | undefined) {
  if (start && start.bytes.length > 0) yield start.bytes;
  if (!start?.isWhole) yield* body;
}

/** A body without a declared hash is read before it is signed; the largest that services take so is 16 MB. */
const mostSignedBytes = 17 * 1024 * 1024;

async function giveBack(incoming: Incoming, response: IncomingMessage): Promise<void> {
  response.on('error', () => {});
  const fields = pairsOf(response.rawHeaders);
  const named = valuesOf(fields, 'trailer');
  const hasTrailers = named.length > 0;
  const answer = incoming.answer({
    status: response.statusCode ?? 502,
    reason: response.statusMessage ?? '',
    fields: [...endToEnd(fields), ...(hasTrailers ? [['Trailer', named.join(', ')] as const] : [])],
    hasTrailers,
  });
  try {
    if (answer.body) await pipeline(response, answer.body, { end: false });
    else response.resume();
    answer.end(pairsOf(response.rawTrailers));
  } catch (error) {
    incoming.abort();
    throw new Answering(undefined, { cause: error });
  }
}

async function switchTo(incoming: Incoming, response: IncomingMessage, upgraded: Socket): Promise<void> {
  const client = (incoming.body as IncomingMessage).socket;
  const { hider } = incoming;
  const fields = pairsOf(response.rawHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 101 Switching Protocols\r\n${fields.join('')}\r\n`;
  client.write(hider?.text(head) ?? head);
  if (!hider) return join(client, upgraded);
  await Promise.all([pipeline(client, upgraded), pipeline(upgraded, hider.stream(), client)]);
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
  { target: path, authority = '' }: Incoming,
  tunnelled: Target,
): { target: Target; path: string } | undefined {
  const host = parseAuthority(/:\d+$/.test(authority) ? authority : `${authority}:${tunnelled.port}`);
  if (!path.startsWith('/') || host?.host !== tunnelled.host || host.port !== tunnelled.port)
    return undefined;
  return { target: tunnelled, path };
}

/** The host comes from the checked target, and the framing from the parsed request. */
function headersFor(
  { method, fields, hasBody, isHttp2 }: Incoming,
  { host, port }: Target,
  scheme: Scheme,
  switches: boolean,
): readonly Field[] {
  const name = host.includes(':') ? `[${host}]` : host;
  const headers: Field[] = [['Host', port === (scheme === 'https' ? 443 : 80) ? name : `${name}:${port}`]];
  const isChunked = valuesOf(fields, 'transfer-encoding').length > 0;
  const hasLength = valuesOf(fields, 'content-length').length > 0;
  if (isChunked || (isHttp2 && hasBody && !hasLength)) headers.push(['Transfer-Encoding', 'chunked']);
  else if (!hasLength && !bodiless.has(method)) headers.push(['Content-Length', '0']);
  if (switches) headers.push(['Connection', 'Upgrade'], ['Upgrade', 'websocket']);
  return [...headers, ...endToEnd(fields, ['host', 'expect'])];
}

const bodiless: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

function refuse(incoming: Incoming, { status, reason, sentence }: Refusal): void {
  if (incoming.isGone()) return;
  end(incoming, {
    status,
    reason,
    fields: [['Content-Type', 'text/plain; charset=utf-8']],
    body: `Sekisho: ${sentence}\n`,
  });
}

async function refuseByGate(
  incoming: Incoming,
  request: EdgeRequest,
  { verdict, because }: Extract<Judged, { passes: false }>,
): Promise<void> {
  const { status, reason, headers, body } = refusalOf(verdict.dialect, request, because.en);
  // git reads an answer over HTTP/2 only when it has sent everything. An upload that breaks off needs none.
  if (verdict.dialect === 'git') await finished(incoming.body.resume(), { writable: false }).catch(() => {});
  if (!incoming.isGone()) end(incoming, { status, reason, fields: headers, body });
}

function end(
  incoming: Incoming,
  {
    status,
    reason,
    fields,
    body,
  }: { status: number; reason: string; fields: readonly Field[]; body: string | Buffer },
): void {
  try {
    const answer = incoming.answer({ status, reason, fields, closes: true, isEmpty: body.length === 0 });
    answer.body?.write(body);
    answer.end();
    incoming.body.resume();
  } catch {
    // The answer has begun.
    incoming.abort();
  }
}
