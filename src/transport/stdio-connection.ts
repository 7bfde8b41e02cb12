import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Arrival } from '../contract/call.ts';
import { idAtEdges, type Refusal } from '../contract/text/frames.ts';
import { parseMessage } from '../ground/exact-numbers.ts';
import { isRecord } from '../ground/is-record.ts';
import { orElse } from '../ground/or-else.ts';
import { serverStops } from '../ground/waiting/abort.ts';
import { assertBatch, assertMayBegin, notAMessage } from './admission.ts';
import { createAsks } from './asks.ts';
import { changeNotification } from './changes.ts';
import type { Custody, Entrusted } from './custody.ts';
import type { Exchange } from './exchange.ts';
import {
  asRpcError,
  errorFrame,
  type Incoming,
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

export interface StdioConnectionOptions {
  /** Takes the folders that the client works in; without it, the client is not asked. */
  readonly place?: ((folders: readonly string[], arrival: Arrival) => Promise<void>) | undefined;
  /** The process that holds the client's streams, if it outlives this server. */
  readonly custody?: Custody | undefined;
  /** Called for failures that the client does not see. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** One client over stdio: its handshake, if any, its running requests and its subscriptions. */
export class StdioConnection {
  readonly #mcp: Mcp;
  readonly #outbox: Outbox;
  readonly #options: StdioConnectionOptions;
  readonly #running = new Map<RequestId, Run>();
  readonly #subscriptions = new Map<RequestId, Subscription>();
  /** Their keys at the holder of the streams. */
  readonly #subscribed = new Map<RequestId, number>();
  readonly #keeper = createKeeper();
  readonly #asks: ReturnType<typeof createAsks>;
  readonly #throttle = createThrottle();
  #arrival: Arrival;
  #clientCapabilities: Params = {};
  #whenIdle: (() => void) | undefined;
  /** Settles when the client's folders are known; earlier requests wait for it. */
  #placed: Promise<void> | undefined;
  /** The number of batches with open replies. */
  #batches = 0;
  /** The line that is being looked at. */
  #line = '';

  constructor(mcp: Mcp, base: Arrival, outbox: Outbox, options: StdioConnectionOptions = {}) {
    this.#mcp = mcp;
    this.#outbox = outbox;
    this.#options = options;
    this.#asks = createAsks(undefined, options.custody);
    this.#arrival = base;
  }

  receive(text: string): void {
    let value: unknown;
    try {
      value = parseMessage(text, 'params', 'arguments');
    } catch {
      // By JSON-RPC, unreadable messages are answered with a null id.
      this.#outbox.send(errorFrame(null, new RpcError(rpcCode.parseError, 'The line is not JSON.')));
      return;
    }
    this.#line = text;
    if (Array.isArray(value)) void this.#receiveBatch(value);
    else void this.#take(readMessage(value), { send: this.#outbox.send, entrust: this.#entrusted });
    // Work on it has begun, and it may be long.
    this.#line = '';
  }

  /** Receives a line that an earlier server of this connection has answered. */
  replay(text: string): void {
    void this.#take(readMessage(parseMessage(text, 'params', 'arguments')), { send: () => {} });
  }

  refuse(reason: Refusal, head: string, tail: string): void {
    const error = {
      too_large: () => new RpcError(rpcCode.invalidRequest, 'The message is over the size limit.'),
      too_intricate: tooIntricate,
      not_utf8: () => new RpcError(rpcCode.parseError, 'The message is not UTF-8.'),
    }[reason]();
    this.#outbox.send(errorFrame(idAtEdges(head, tail), error));
  }

  /** Resolves when nothing runs. */
  idle(): Promise<void> {
    return this.#running.size === 0 && this.#batches === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#whenIdle = resolve;
        });
  }

  /** Aborts everything that runs. */
  stop(): void {
    for (const run of this.#running.values()) run.cancel.abort(serverStops);
  }

  async close(): Promise<void> {
    this.#keeper.dropAll();
    for (const [id, open] of this.#subscriptions) {
      open.end();
      this.#closed(id);
      this.#outbox.send(resultFrame(id, open.closingResultJson));
    }
    this.#subscriptions.clear();
    await this.#mcp.gateway.leave(this.#arrival);
  }

  /** Drops progress and notifications for a client that is far behind. */
  readonly #announce = (method: string, params?: Params): void => {
    if (!this.#outbox.isCongested()) this.#outbox.send(notificationFrame(method, params));
  };

  /** Revision 2025-03-26 allows several messages in an array; their replies are sent as one. */
  async #receiveBatch(values: readonly unknown[]): Promise<void> {
    try {
      assertBatch(values, true);
    } catch (error) {
      this.#outbox.send(errorFrame(null, asRpcError(error)));
      return;
    }
    this.#batches += 1;
    const answers: string[] = [];
    const keys: number[] = [];
    const reply: Answering = {
      send: (frame) => void answers.push(frame),
      entrust: (request, auditId) => this.#entrustedInBatch(request, auditId),
      settle: (key) => void keys.push(key),
    };
    await Promise.all(values.map((value) => this.#take(readMessage(value), reply)));
    for (const key of keys) this.#options.custody?.settle(key);
    if (answers.length > 0) this.#outbox.send(`[${answers.join(',')}]`);
    this.#batches -= 1;
    this.#settle();
  }

  #take(message: Incoming, reply: Answering): Promise<void> | undefined {
    switch (message.kind) {
      case 'request':
        return this.#serve(message, reply);
      case 'notification':
        this.#notice(message.method, message.params, reply.entrust !== undefined);
        return undefined;
      case 'response':
        this.#asks.settle(message);
        return undefined;
      case 'invalid':
        reply.send(errorFrame(message.id, notAMessage()));
        return undefined;
    }
  }

  async #serve(request: Request, reply: Answering): Promise<void> {
    const { id, method } = request;
    try {
      const isRunning = (each: RequestId) => this.#running.has(each) || this.#subscriptions.has(each);
      assertMayBegin(request, this.#running.size + this.#subscriptions.size, isRunning);
    } catch (error) {
      reply.send(errorFrame(id, asRpcError(error)));
      return;
    }
    const run = startRun();
    this.#running.set(id, run);
    const auditId = this.#options.custody && method === 'tools/call' ? randomUUID() : undefined;
    const trust = reply.entrust && this.#options.custody?.take(reply.entrust(request, auditId), this.#line);
    let frame: string | undefined;
    try {
      const wait = method === 'ping' ? undefined : this.#throttle();
      if (wait) await wait;
      if (this.#placed && method !== 'ping') await this.#placed;
      frame = await this.#answer(request, run, auditId);
    } catch (error) {
      if (!(error instanceof RpcError)) this.#options.onFault?.(error);
      frame = errorFrame(id, asRpcError(error));
    }
    this.#running.delete(id);
    endRun(run);
    // A subscription is answered when it ends.
    if (trust !== undefined && this.#subscriptions.has(id)) this.#subscribed.set(id, trust);
    else if (trust !== undefined) (reply.settle ?? this.#options.custody?.settle)?.(trust);
    if (frame !== undefined && !run.silent) reply.send(frame);
    this.#settle();
  }

  /** A call may have begun; anything else can be asked again. */
  readonly #entrusted = ({ id, method, params }: Request, auditId?: string): Entrusted => {
    const isModern = claimsEnvelope(params);
    if (auditId !== undefined) {
      const words = this.#mcp.interrupted(isModern ? 'modern' : 'legacy', auditId, this.#arrival);
      return { kind: 'say', words: resultFrame(id, words) };
    }
    if (isModern) {
      if (method !== 'subscriptions/listen') return { kind: 'repeat' };
      return { kind: 'say', words: resultFrame(id, closingResultOf(this.#mcp, id)) };
    }
    if (method === 'initialize' || method === 'logging/setLevel') return { kind: 'keep', name: method };
    const name = `watch ${params.uri}`;
    if (method === 'resources/subscribe') return { kind: 'keep', name };
    return method === 'resources/unsubscribe' ? { kind: 'drop', name } : { kind: 'repeat' };
  };

  /** One request of a batch cannot be sent again alone. */
  #entrustedInBatch(request: Request, auditId?: string): Entrusted {
    const entrustment = this.#entrusted(request, auditId);
    if (entrustment.kind === 'say') return entrustment;
    const problem = new RpcError(rpcCode.serverBusy, 'The server was started again. Send the request again.');
    return { kind: 'say', words: errorFrame(request.id, problem) };
  }

  #settle(): void {
    if (this.#running.size > 0 || this.#batches > 0) return;
    this.#outbox.flush();
    this.#whenIdle?.();
  }

  /** The frame to send, if any. */
  async #answer(
    { id, method, params }: Request,
    run: Run,
    auditId: string | undefined,
  ): Promise<string | undefined> {
    if (!claimsEnvelope(params)) {
      if (method === 'initialize') return resultFrame(id, this.#shakeHands(params));
      const exchange = { ...this.#exchangeOf('legacy', id, params, run), auditId };
      return resultFrame(id, await this.#mcp.answer(method, exchange));
    }
    const arrival = this.#arrival;
    const envelope = readEnvelope(params);
    assertStatelessRevision(envelope.version);
    const exchange: Exchange = {
      ...this.#exchangeOf('modern', id, params, run),
      arrival: { ...arrival, client: envelope.client, revision: envelope.version, ...traceContextOf(params) },
      clientCapabilities: envelope.capabilities,
      auditId,
    };
    if (method !== 'subscriptions/listen') return resultFrame(id, await this.#mcp.answer(method, exchange));
    const opened = await openSubscription(this.#mcp, id, params, exchange.arrival, {
      send: (name, body) => this.#outbox.send(notificationFrame(name, body)),
      isCongested: this.#outbox.isCongested,
    });
    if (opened.isEmpty || run.silent) {
      opened.end();
      return resultFrame(id, opened.closingResultJson);
    }
    this.#subscriptions.set(id, opened);
    return undefined;
  }

  #exchangeOf(era: Exchange['era'], id: RequestId, params: Params, run: Run): Exchange {
    return {
      era,
      id,
      params,
      arrival: era === 'legacy' ? { ...this.#arrival, ...traceContextOf(params) } : this.#arrival,
      clientCapabilities: this.#clientCapabilities,
      beganAt: run.beganAt,
      signal: run.cancel.signal,
      notify: (method, body) => {
        if (!run.isOver) this.#announce(method, body);
      },
      ...(era === 'legacy' && {
        ask: (method: string, body: Params) =>
          this.#asks.ask(this.#outbox.send, method, body, askSignal(run)),
        connection: { keep: this.#keeper.keep, drop: this.#keeper.drop, announce: this.#announce },
      }),
    };
  }

  #shakeHands(params: Params): string {
    const hands = this.#mcp.shakeHands(params);
    this.#arrival = { ...this.#arrival, client: hands.client, revision: hands.revision };
    this.#clientCapabilities = hands.clientCapabilities;
    this.#keeper.keep(
      'changes',
      this.#mcp.changes(({ what, connectionId }) => {
        if (connectionId === undefined || connectionId === this.#arrival.connectionId)
          this.#announce(changeNotification[what]);
      }),
    );
    return hands.resultJson;
  }

  /** Clients may be asked after `initialized`, and again after each `roots/list_changed`. */
  #findPlace(): void {
    const { place, onFault } = this.#options;
    if (!place || !namesItsRoots(this.#clientCapabilities, this.#arrival.client?.name)) return;
    const before = this.#placed;
    const find = async () => {
      await before;
      const folders = await rootsOfClient((signal) =>
        this.#asks.ask(this.#outbox.send, 'roots/list', {}, signal),
      );
      if (folders.length > 0) await place(folders, this.#arrival);
    };
    this.#placed = find().catch((error: unknown) => onFault?.(error));
  }

  /** A replayed line is kept already; the line that is being received is another. */
  #notice(method: string, params: Params, isReceived: boolean): void {
    if (isReceived && method === 'notifications/initialized') {
      const trust = this.#options.custody?.take({ kind: 'keep', name: method }, this.#line);
      if (trust !== undefined) this.#options.custody?.settle(trust);
    }
    if (method === 'notifications/initialized' || method === 'notifications/roots/list_changed')
      this.#findPlace();
    if (method !== 'notifications/cancelled') return;
    const id = params.requestId as RequestId;
    const run = this.#running.get(id);
    if (run) cancelRun(run);
    this.#subscriptions.get(id)?.end();
    this.#subscriptions.delete(id);
    this.#closed(id);
  }

  /** The subscription of this request is over. */
  #closed(id: RequestId): void {
    const key = this.#subscribed.get(id);
    if (key !== undefined) this.#options.custody?.settle(key);
    this.#subscribed.delete(id);
  }
}

/** A client with roots that does not answer in this time continues without them. */
const answerMs = 2_000;
const mostRoots = 100;

/** The client's folders as it states them (MCP Roots), the main one first; empty if none is local or comes in time. */
async function rootsOfClient(ask: (signal: AbortSignal) => Promise<unknown>): Promise<readonly string[]> {
  const answer = await ask(AbortSignal.timeout(answerMs)).catch(() => undefined);
  const roots = isRecord(answer) && Array.isArray(answer.roots) ? answer.roots.slice(0, mostRoots) : [];
  return [...new Set(roots.flatMap((root) => (isRecord(root) ? pathOf(root.uri) : [])))];
}

/** Qwen Code names its process's folder as root, but starts the server in the right one. */
function namesItsRoots(capabilities: Params, client: string | undefined): boolean {
  return isRecord(capabilities.roots) && client?.startsWith('qwen-cli-mcp-client') !== true;
}

function pathOf(uri: unknown): string[] {
  if (typeof uri !== 'string' || !uri.startsWith('file:')) return [];
  // A host name, or an invalid percent encoding.
  const path = orElse(() => fileURLToPath(uri), undefined);
  return path === undefined || path.includes('\0') ? [] : [path];
}
