import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Arrival } from '../contract/call.ts';
import { idAtEdges, type Refusal } from '../contract/text/frames.ts';
import { serverStops } from '../ground/abort.ts';
import { parseMessage } from '../ground/exact-numbers.ts';
import { assertBatch, assertMayBegin, notAMessage } from './admission.ts';
import { createAsks } from './asks.ts';
import { changeNotification } from './changes.ts';
import type { Custody, Entrusted } from './custody.ts';
import type { Exchange } from './exchange.ts';
import {
  asRpcError,
  errorFrame,
  type Incoming,
  isObject,
  notificationFrame,
  type Params,
  type RequestId,
  RpcError,
  readMessage,
  resultFrame,
  rpcCode,
  tooIntricate,
} from './jsonrpc.ts';
import { createKeeper } from './keeper.ts';
import { closingResultOf, openSubscription, type Subscription } from './listen.ts';
import type { Mcp } from './mcp.ts';
import type { Outbox } from './outbox.ts';
import { assertStatelessRevision, claimsEnvelope, readEnvelope } from './revision.ts';
import { askSignal, cancelRun, endRun, type Run, startRun } from './run.ts';
import { createThrottle } from './throttle.ts';
import { traceContextOf } from './trace.ts';

type Request = Extract<Incoming, { kind: 'request' }>;

/** Where the answer to a message goes, and what is entrusted of it until then. */
interface Answering {
  readonly send: (frame: string) => void;
  readonly entrust?: (request: Request, auditId?: string) => Entrusted;
  readonly settle?: (key: number) => void;
}

/** One client over stdio: its handshake, if any, its running requests and its subscriptions. */
export interface StdioConnection {
  receive(text: string): void;
  /** Receives a line that an earlier server of this connection has answered. */
  replay(text: string): void;
  refuse(reason: Refusal, head: string, tail: string): void;
  /** Resolves when nothing runs. */
  idle(): Promise<void>;
  /** Aborts everything that runs. */
  stop(): void;
  close(): Promise<void>;
}

export interface StdioConnectionOptions {
  /** Takes the folders that the client works in; without it, the client is not asked. */
  readonly place?: ((folders: readonly string[], arrival: Arrival) => Promise<void>) | undefined;
  /** The process that holds the client's streams, if it outlives this server. */
  readonly custody?: Custody | undefined;
  /** Called for failures that the client does not see. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

export function createStdioConnection(
  mcp: Mcp,
  base: Arrival,
  outbox: Outbox,
  { place, custody, onFault }: StdioConnectionOptions = {},
): StdioConnection {
  const running = new Map<RequestId, Run>();
  const subscriptions = new Map<RequestId, Subscription>();
  /** Their keys at the holder of the streams. */
  const subscribed = new Map<RequestId, number>();
  const keeper = createKeeper();
  const asks = createAsks(undefined, custody);
  const throttle = createThrottle();
  let arrival = base;
  let clientCapabilities: Params = {};
  let whenIdle: (() => void) | undefined;
  /** Settles when the client's folders are known; earlier requests wait for it. */
  let placed: Promise<void> | undefined;
  /** The number of batches with open replies. */
  let batches = 0;

  /** Drops progress and notifications for a client that is far behind. */
  function announce(method: string, params?: Params): void {
    if (!outbox.isCongested()) outbox.send(notificationFrame(method, params));
  }
  const scope = { keep: keeper.keep, drop: keeper.drop, announce };

  function receive(text: string): void {
    let value: unknown;
    try {
      value = parseMessage(text, 'params', 'arguments');
    } catch {
      // By JSON-RPC, unreadable messages are answered with a null id.
      outbox.send(errorFrame(null, new RpcError(rpcCode.parseError, 'The line is not JSON.')));
      return;
    }
    if (Array.isArray(value)) void receiveBatch(value);
    else void take(readMessage(value), { send: outbox.send, entrust: entrusted });
  }

  /** Revision 2025-03-26 allows several messages in an array; their replies are sent as one. */
  async function receiveBatch(values: readonly unknown[]): Promise<void> {
    try {
      assertBatch(values, true);
    } catch (error) {
      outbox.send(errorFrame(null, asRpcError(error)));
      return;
    }
    batches += 1;
    const answers: string[] = [];
    const keys: number[] = [];
    const reply: Answering = {
      send: (frame) => void answers.push(frame),
      entrust: entrustedInBatch,
      settle: (key) => void keys.push(key),
    };
    await Promise.all(values.map((value) => take(readMessage(value), reply)));
    for (const key of keys) custody?.settle(key);
    if (answers.length > 0) outbox.send(`[${answers.join(',')}]`);
    batches -= 1;
    settle();
  }

  function take(message: Incoming, reply: Answering): Promise<void> | undefined {
    switch (message.kind) {
      case 'request':
        return serve(message, reply);
      case 'notification':
        notice(message.method, message.params, reply.entrust !== undefined);
        return undefined;
      case 'response':
        asks.settle(message);
        return undefined;
      case 'invalid':
        reply.send(errorFrame(message.id, notAMessage()));
        return undefined;
    }
  }

  async function serve(request: Request, reply: Answering): Promise<void> {
    const { id, method } = request;
    try {
      const isRunning = (each: RequestId) => running.has(each) || subscriptions.has(each);
      assertMayBegin(request, running.size + subscriptions.size, isRunning);
    } catch (error) {
      reply.send(errorFrame(id, asRpcError(error)));
      return;
    }
    const run = startRun();
    running.set(id, run);
    const auditId = custody && method === 'tools/call' ? randomUUID() : undefined;
    const trust = reply.entrust && custody?.take(reply.entrust(request, auditId));
    let frame: string | undefined;
    try {
      const wait = method === 'tools/call' ? throttle() : undefined;
      if (wait) await wait;
      if (placed && method !== 'ping') await placed;
      frame = await answer(request, run, auditId);
    } catch (error) {
      if (!(error instanceof RpcError)) onFault?.(error);
      frame = errorFrame(id, asRpcError(error));
    }
    running.delete(id);
    endRun(run);
    // A subscription is answered when it ends.
    if (trust !== undefined && subscriptions.has(id)) subscribed.set(id, trust);
    else if (trust !== undefined) (reply.settle ?? custody?.settle)?.(trust);
    if (frame !== undefined && !run.silent) reply.send(frame);
    settle();
  }

  /** A call may have begun; anything else can be asked again. */
  function entrusted({ id, method, params }: Request, auditId?: string): Entrusted {
    const isModern = claimsEnvelope(params);
    if (auditId !== undefined) {
      const words = mcp.interrupted(isModern ? 'modern' : 'legacy', auditId, arrival);
      return { kind: 'say', words: resultFrame(id, words) };
    }
    if (isModern) {
      if (method !== 'subscriptions/listen') return { kind: 'repeat' };
      return { kind: 'say', words: resultFrame(id, closingResultOf(mcp, id)) };
    }
    if (method === 'initialize' || method === 'logging/setLevel') return { kind: 'keep', name: method };
    const name = `watch ${params.uri}`;
    if (method === 'resources/subscribe') return { kind: 'keep', name };
    return method === 'resources/unsubscribe' ? { kind: 'drop', name } : { kind: 'repeat' };
  }

  /** One request of a batch cannot be sent again alone. */
  function entrustedInBatch(request: Request, auditId?: string): Entrusted {
    const entrustment = entrusted(request, auditId);
    if (entrustment.kind === 'say') return entrustment;
    const problem = new RpcError(rpcCode.serverBusy, 'The server was started again. Send the request again.');
    return { kind: 'say', words: errorFrame(request.id, problem) };
  }

  function settle(): void {
    if (running.size > 0 || batches > 0) return;
    outbox.flush();
    whenIdle?.();
  }

  /** The frame to send, if any. */
  async function answer(
    { id, method, params }: Request,
    run: Run,
    auditId: string | undefined,
  ): Promise<string | undefined> {
    if (!claimsEnvelope(params)) {
      if (method === 'initialize') return resultFrame(id, shakeHands(params));
      const exchange = { ...exchangeOf('legacy', id, params, run), auditId };
      return resultFrame(id, await mcp.answer(method, exchange));
    }
    const envelope = readEnvelope(params);
    assertStatelessRevision(envelope.version);
    const exchange: Exchange = {
      ...exchangeOf('modern', id, params, run),
      arrival: { ...arrival, client: envelope.client, revision: envelope.version, ...traceContextOf(params) },
      clientCapabilities: envelope.capabilities,
      auditId,
    };
    if (method !== 'subscriptions/listen') return resultFrame(id, await mcp.answer(method, exchange));
    const opened = await openSubscription(mcp, id, params, exchange.arrival, {
      send: (name, body) => outbox.send(notificationFrame(name, body)),
      isCongested: outbox.isCongested,
    });
    if (opened.isEmpty || run.silent) {
      opened.end();
      return resultFrame(id, opened.closingResultJson);
    }
    subscriptions.set(id, opened);
    return undefined;
  }

  function exchangeOf(era: Exchange['era'], id: RequestId, params: Params, run: Run): Exchange {
    const { signal } = run.cancel;
    return {
      era,
      id,
      params,
      arrival: era === 'legacy' ? { ...arrival, ...traceContextOf(params) } : arrival,
      clientCapabilities,
      signal,
      notify: (method, body) => {
        if (!run.isOver) announce(method, body);
      },
      ...(era === 'legacy' && {
        ask: (method: string, body: Params) => asks.ask(outbox.send, method, body, askSignal(run)),
        connection: scope,
      }),
    };
  }

  function shakeHands(params: Params): string {
    const hands = mcp.shakeHands(params);
    arrival = { ...arrival, client: hands.client, revision: hands.revision };
    clientCapabilities = hands.clientCapabilities;
    keeper.keep(
      'changes',
      mcp.changes(({ what, connectionId }) => {
        if (connectionId === undefined || connectionId === base.connectionId)
          announce(changeNotification[what]);
      }),
    );
    return hands.resultJson;
  }

  /** Clients may be asked after `initialized`, and again after each `roots/list_changed`. */
  function findPlace(): void {
    if (!place || !namesItsRoots(clientCapabilities, arrival.client?.name)) return;
    const before = placed;
    const find = async () => {
      await before;
      const folders = await rootsOfClient((method, params, signal) =>
        asks.ask(outbox.send, method, params, signal),
      );
      if (folders.length > 0) await place(folders, arrival);
    };
    placed = find().catch((error: unknown) => onFault?.(error));
  }

  /** A replayed line is kept already; the line that is being received is another. */
  function notice(method: string, params: Params, isReceived: boolean): void {
    if (isReceived && method === 'notifications/initialized') {
      const trust = custody?.take({ kind: 'keep', name: method });
      if (trust !== undefined) custody?.settle(trust);
    }
    if (method === 'notifications/initialized' || method === 'notifications/roots/list_changed') findPlace();
    if (method !== 'notifications/cancelled') return;
    const id = params.requestId as RequestId;
    const run = running.get(id);
    if (run) cancelRun(run);
    subscriptions.get(id)?.end();
    subscriptions.delete(id);
    closed(id);
  }

  /** The subscription of this request is over. */
  function closed(id: RequestId): void {
    const key = subscribed.get(id);
    if (key !== undefined) custody?.settle(key);
    subscribed.delete(id);
  }

  return {
    receive,
    replay: (text) => void take(readMessage(parseMessage(text, 'params', 'arguments')), { send: () => {} }),
    refuse(reason, head, tail) {
      const error = {
        too_large: () => new RpcError(rpcCode.invalidRequest, 'The message is over the size limit.'),
        too_intricate: tooIntricate,
        not_utf8: () => new RpcError(rpcCode.parseError, 'The message is not UTF-8.'),
      }[reason]();
      outbox.send(errorFrame(idAtEdges(head, tail), error));
    },
    idle: () =>
      running.size === 0 && batches === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            whenIdle = resolve;
          }),
    stop() {
      for (const run of running.values()) run.cancel.abort(serverStops);
    },
    async close() {
      keeper.dropAll();
      for (const [id, open] of subscriptions) {
        open.end();
        closed(id);
        outbox.send(resultFrame(id, open.closingResultJson));
      }
      subscriptions.clear();
      await mcp.gateway.leave(arrival);
    },
  };
}

/** Sends our request to the client; rejects if the signal aborts first. */
type AskClient = (method: string, params: Params, signal: AbortSignal) => Promise<unknown>;

/** A client with roots that does not answer in this time continues without them. */
const answerMs = 2_000;
const mostRoots = 100;

/**
 * The folders that the client works in, as it states them (MCP 2025-11-25, Roots), the main one first; empty if it does
 * not answer in time or names no local folders.
 */
async function rootsOfClient(ask: AskClient): Promise<readonly string[]> {
  const answer = await ask('roots/list', {}, AbortSignal.timeout(answerMs)).catch(() => undefined);
  const roots = isObject(answer) && Array.isArray(answer.roots) ? answer.roots.slice(0, mostRoots) : [];
  return [...new Set(roots.flatMap((root) => (isObject(root) ? pathOf(root.uri) : [])))];
}

/** Qwen Code names its process's folder as root, but starts the server in the right one. */
function namesItsRoots(capabilities: Params, client: string | undefined): boolean {
  return isObject(capabilities.roots) && client?.startsWith('qwen-cli-mcp-client') !== true;
}

function pathOf(uri: unknown): string[] {
  if (typeof uri !== 'string' || !uri.startsWith('file:')) return [];
  try {
    const path = fileURLToPath(uri);
    return path.includes('\0') ? [] : [path];
  } catch {
    // A host name, or an invalid percent encoding.
    return [];
  }
}
