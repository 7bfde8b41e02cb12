import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Arrival } from '../../contract/call.ts';
import { assertBatch, assertMayBegin, notAMessage } from '../admission.ts';
import {
  asRpcError,
  errorFrame,
  type Incoming,
  type RequestId,
  RpcError,
  readMessage,
  resultFrame,
  rpcCode,
} from '../jsonrpc.ts';
import type { Mcp } from '../mcp.ts';
import {
  assertStatelessRevision,
  claimsEnvelope,
  type Era,
  handshakeRevisions,
  isStatelessRevision,
  readEnvelope,
} from '../revision.ts';
import { endRun, type Run, startRun } from '../run.ts';
import { traceContextOf } from '../trace.ts';
import { readJson } from './body.ts';
import { challengeOf, InsufficientScope, type ProtectedResource } from './challenge.ts';
import { legacyExchange, modernExchange } from './exchange.ts';
import { assertHeadersMatch, hasEnvelopeClaim, headerOf } from './headers.ts';
import type { Listeners } from './listen.ts';
import { createOutlet, type Outlet } from './outlet.ts';
import type { Session, Sessions } from './sessions.ts';

type Request = Extract<Incoming, { kind: 'request' }>;

/** Shared by the requests of one HTTP server. */
export interface HttpDependencies {
  readonly mcp: Mcp;
  readonly sessions: Sessions;
  readonly listeners: Listeners;
  /** Every running request, with its response. */
  readonly running: Map<Run, Outlet>;
  readonly maxBodyBytes: number;
  /** The challenge for insufficient scopes, if foreign tokens are accepted. */
  readonly resource?: ProtectedResource | undefined;
  readonly onFault?: ((error: unknown) => void) | undefined;
}

interface Post {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly outlet: Outlet;
  readonly arrival: Arrival;
}

/** Answers a POST to the MCP endpoint. Never throws. */
export async function answerPost(
  dependencies: HttpDependencies,
  request: IncomingMessage,
  response: ServerResponse,
  arrival: Arrival,
): Promise<void> {
  const outlet = createOutlet(request, response);
  const post: Post = { request, response, outlet, arrival };
  let id: RequestId | null = null;
  try {
    const value = await readJson(request, dependencies.maxBodyBytes);
    if (Array.isArray(value)) return await answerBatch(dependencies, post, value);
    const message = readMessage(value);
    if (message.kind === 'invalid') {
      id = message.id;
      throw notAMessage();
    }
    if (message.kind === 'request') id = message.id;
    const isModern = isModernMessage(request, message);
    if (message.kind === 'request') {
      if (isModern) await answerModern(dependencies, post, message);
      else await answerLegacy(dependencies, post, message);
      return;
    }
    // Requests of the newest revision are cancelled by closing their stream; its clients' notifications have no effect.
    if (!isModern)
      takeLegacy(dependencies.sessions, await findSession(dependencies, request, arrival), message);
    outlet.end(202);
  } catch (error) {
    fail(dependencies, post, id, error);
  }
}

/** A request of revision 2026-07-28, without a session. */
async function answerModern(dependencies: HttpDependencies, post: Post, message: Request): Promise<void> {
  const { request, response, outlet } = post;
  const { id, method, params } = message;
  const envelope = readEnvelope(params);
  assertHeadersMatch(request, envelope.version, method, params);
  assertStatelessRevision(envelope.version);
  const arrival = {
    ...post.arrival,
    client: envelope.client,
    ...traceContextOf(params, post.arrival),
  };
  if (method === 'subscriptions/listen') {
    await dependencies.listeners.open(id, params, arrival, outlet, response);
    return;
  }
  await serve(dependencies, post, message, 'modern', (run) =>
    dependencies.mcp.answer(method, modernExchange(envelope, message, arrival, run, outlet)),
  );
}

/** A request of an older revision: the handshake, one in a session, or one that needs neither. */
async function answerLegacy(dependencies: HttpDependencies, post: Post, message: Request): Promise<void> {
  const { request, outlet, arrival } = post;
  const { id, method, params } = message;
  if (method === 'initialize') {
    const hands = dependencies.mcp.shakeHands(params);
    const session = dependencies.sessions.open(hands, arrival);
    if (!session) throw new RpcError(rpcCode.serverBusy, 'Too many sessions.', undefined, 503);
    outlet.finish(200, resultFrame(id, hands.resultJson), ['mcp-session-id', session.id]);
    return;
  }
  const session = await findSession(dependencies, request, arrival);
  const work = (run: Run) =>
    dependencies.mcp.answer(method, legacyExchange(session, message, arrival, run, outlet));
  await serve(dependencies, post, message, 'legacy', work, session?.running);
}

/** Several messages of revision 2025-03-26 in one body, with one response. */
async function answerBatch(
  dependencies: HttpDependencies,
  post: Post,
  values: readonly unknown[],
): Promise<void> {
  const { request, outlet, arrival } = post;
  assertBatch(values, !hasEnvelopeClaim(values, claimsEnvelope));
  const session = await findSession(dependencies, request, arrival);
  const frames: string[] = [];
  const gather: Outlet = {
    canStream: false,
    open: () => {},
    event: () => {},
    beat: () => {},
    end: () => {},
    finish: (_status, frame) => void frames.push(frame),
    isCongested: () => false,
  };
  await Promise.all(
    values.map(async (value) => {
      const message = readMessage(value);
      if (message.kind === 'invalid') return void frames.push(errorFrame(message.id, notAMessage()));
      if (message.kind !== 'request') return takeLegacy(dependencies.sessions, session, message);
      const { method } = message;
      const work = (run: Run) =>
        dependencies.mcp.answer(method, legacyExchange(session, message, arrival, run, gather));
      try {
        await serve(dependencies, { ...post, outlet: gather }, message, 'legacy', work, session?.running);
      } catch (error) {
        // A request that cannot begin must not fail the others in the batch.
        frames.push(errorFrame(message.id, asRpcError(error)));
      }
    }),
  );
  if (frames.length === 0) outlet.end(202);
  else outlet.finish(200, `[${frames.join(',')}]`);
}

/** Runs one request to its reply. A client that hangs up aborts it. */
async function serve(
  dependencies: HttpDependencies,
  { response, outlet }: Post,
  request: Request,
  era: Era,
  work: (run: Run) => Promise<string>,
  siblings?: Map<RequestId, Run>,
): Promise<void> {
  const { id } = request;
  assertMayBegin(request, dependencies.running.size, (each) => siblings?.has(each) === true);
  const run = startRun();
  const hangUp = () => run.cancel.abort(new DOMException('The client hung up.', 'AbortError'));
  response.once('close', hangUp);
  dependencies.running.set(run, outlet);
  siblings?.set(id, run);
  let frame: string;
  let status = 200;
  let headers: readonly string[] = [];
  try {
    frame = resultFrame(id, await work(run));
  } catch (error) {
    if (!(error instanceof RpcError)) dependencies.onFault?.(error);
    const failure = asRpcError(error);
    frame = errorFrame(id, failure);
    if (era === 'modern') status = failure.httpStatus;
    if (failure instanceof InsufficientScope) {
      status = failure.httpStatus;
      const { scope } = failure;
      headers = [
        'www-authenticate',
        challengeOf(dependencies.resource, { error: 'insufficient_scope', scope }),
      ];
    }
  }
  response.off('close', hangUp);
  dependencies.running.delete(run);
  siblings?.delete(id);
  endRun(run);
  if (run.silent) outlet.end();
  else outlet.finish(status, frame, headers);
}

function takeLegacy(sessions: Sessions, session: Session | undefined, message: Incoming): void {
  if (!session) return;
  if (message.kind === 'response') session.asks.settle(message);
  if (message.kind !== 'notification' || message.method !== 'notifications/cancelled') return;
  sessions.cancel(session, message.params.requestId as RequestId);
}

/** Finds the named session. If it ended or is another caller's, it is not found, and the client initializes again. */
export async function findSession(
  dependencies: HttpDependencies,
  request: IncomingMessage,
  arrival: Arrival,
): Promise<Session | undefined> {
  const version = headerOf(request, 'mcp-protocol-version');
  if (version !== undefined && !handshakeRevisions.some((known) => known === version))
    throw new RpcError(rpcCode.invalidRequest, 'Unsupported MCP-Protocol-Version.');
  const id = headerOf(request, 'mcp-session-id');
  if (id === undefined) return undefined;
  const session = await dependencies.sessions.find(id, arrival);
  if (!session) throw new RpcError(rpcCode.serverBusy, 'There is no such session.', undefined, 404);
  return session;
}

function isModernMessage(request: IncomingMessage, message: Incoming): boolean {
  const headerIsModern = isStatelessRevision(headerOf(request, 'mcp-protocol-version'));
  if (message.kind !== 'request' && message.kind !== 'notification') return headerIsModern;
  if (claimsEnvelope(message.params)) return true;
  if (headerIsModern && message.method === 'initialize')
    throw new RpcError(
      rpcCode.headerMismatch,
      'initialize does not exist on the revision that the header names.',
    );
  return headerIsModern;
}

function fail(
  dependencies: HttpDependencies,
  { request, outlet }: Post,
  id: RequestId | null,
  error: unknown,
): void {
  if (!(error instanceof RpcError) && !request.destroyed) dependencies.onFault?.(error);
  const failure = asRpcError(error);
  const status = failure.httpStatus === 200 ? 400 : failure.httpStatus;
  outlet.finish(status, errorFrame(id, failure), status === 413 ? ['connection', 'close'] : []);
  request.resume();
}
