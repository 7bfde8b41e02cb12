import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Arrival } from '../../contract/call.ts';
import type { Admission, Gateway } from '../../contract/gateway.ts';
import type { OauthTrust } from '../../contract/identity.ts';
import { limits } from '../../contract/limits.ts';
import { loopbackHosts } from '../../ground/secure-url.ts';
import { asRpcError, errorFrame } from '../jsonrpc.ts';
import { createMcp, type McpExtension } from '../mcp.ts';
import { type AskRoute, answerAsk, isAskPath, turnAwayAsk } from './ask.ts';
import {
  challengeOf,
  metadataJson,
  metadataPaths,
  type ProtectedResource,
  protectedResourceOf,
} from './challenge.ts';
import { arrivalOf } from './headers.ts';
import { createHealth, type Health } from './health.ts';
import { createListeners } from './listen.ts';
import { answerMetrics } from './metrics.ts';
import { refuse, sendJson } from './outlet.ts';
import { answerPost, type HttpDependencies } from './post.ts';
import { answerSession } from './session-stream.ts';
import { type SessionLimits, Sessions } from './sessions.ts';

export interface HttpOptions {
  readonly gateway: Gateway;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly maxBodyBytes?: number | undefined;
  /** Host names of this server; default: those of the loopback interface. "*" allows any. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Web origins that may call in addition to our own. */
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly maxSessions?: number | undefined;
  readonly sessionIdleMs?: number | undefined;
  /** A secret shared by all servers of one address, so that each can continue a session. Default: a fresh one. */
  readonly sessionKey?: Uint8Array | undefined;
  /** Communication with those servers about these sessions. */
  readonly others?: SessionLimits['others'];
  readonly stopGraceMs?: number | undefined;
  /** The interval for turning slow responses into streams, keeping quiet streams alive and closing idle sessions. */
  readonly beatMs?: number | undefined;
  /** The text of `/metrics`; without it, there is no such page. */
  readonly metrics?: (() => string | Promise<string>) | undefined;
  /** Rejects if the records cannot be reached; `/ready` calls it. */
  readonly recordsAnswer?: (() => Promise<unknown>) | undefined;
  /** Further pages. Returns whether it answered; it authenticates itself. */
  readonly routes?:
    | ((request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>)
    | undefined;
  readonly extension?: McpExtension | undefined;
  /** The issuers of accepted access tokens, for clients to read. Undefined: only our own tokens. */
  readonly trust?: OauthTrust | undefined;
  /** The service for `POST /ask`; without it, there is no such page. */
  readonly ask?: AskRoute['service'] | undefined;
  /** Called for failures that the client does not see. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

export const mcpPath = '/mcp';

const defaultMaxSessions = 1000;
const defaultSessionIdleMs = 30 * 60_000;
const maxSubscriptions = 1024;
const maxConnections = 4096;
const defaultBeatMs = 15_000;

/** Serves MCP over Streamable HTTP at `/mcp`: 2026-07-28 without sessions, older ones with. On node:http, for speed. */
export async function serveHttp(options: HttpOptions): Promise<HttpService> {
  const server = new HttpServer(options);
  await server.listen();
  return server;
}

/** A server that listens. */
export type HttpService = Omit<HttpServer, 'listen'>;

class HttpServer {
  readonly #options: HttpOptions;
  readonly #server: Server;
  readonly #sessions: Sessions;
  readonly #dependencies: HttpDependencies;
  readonly #guard: ReturnType<typeof createGuard>;
  readonly #cors: ReturnType<typeof createCors>;
  readonly #admit: Admit;
  readonly #health: Health;
  /** The paths at which clients find the issuers of tokens. */
  readonly #describedAt: ReadonlySet<string>;
  /** Connections without a request so far. Node does not count them as idle when it stops. */
  readonly #unused = new Set<Socket>();
  #beat: NodeJS.Timeout | undefined;
  #isStopping = false;
  #isDraining = false;

  constructor(options: HttpOptions) {
    const { gateway, onFault, allowedOrigins = [], allowedHosts = loopbackHosts } = options;
    const resource = options.trust && protectedResourceOf(options.trust);
    const mcp = createMcp(gateway, options.extension);
    this.#options = options;
    this.#sessions = new Sessions(mcp, {
      max: options.maxSessions ?? defaultMaxSessions,
      idleMs: options.sessionIdleMs ?? defaultSessionIdleMs,
      key: options.sessionKey ?? randomBytes(32),
      others: options.others,
      onFault,
    });
    this.#dependencies = {
      mcp,
      sessions: this.#sessions,
      listeners: createListeners(mcp, maxSubscriptions),
      running: new Map(),
      maxBodyBytes: options.maxBodyBytes ?? limits.httpBodyBytes,
      resource,
      onFault,
    };
    this.#admit = createAdmit(gateway, resource);
    this.#guard = createGuard({ allowedHosts, allowedOrigins });
    this.#cors = createCors(allowedOrigins);
    this.#describedAt = resource ? metadataPaths(resource, mcpPath) : new Set();
    this.#health = createHealth(
      () => (this.#isStopping ? 'stopping' : this.#isDraining ? 'draining' : 'no'),
      options.recordsAnswer,
    );
    this.#server = createServer(serverLimits, (request, response) => this.#take(request, response));
    this.#server.maxConnections = maxConnections;
    this.#server.on('connection', (socket) => {
      this.#unused.add(socket);
      socket.once('close', () => this.#unused.delete(socket));
    });
  }

  get address(): { readonly host: string; readonly port: number } {
    const { address, port } = this.#server.address() as AddressInfo;
    return { host: address, port };
  }

  /** The number of open sessions of older clients. */
  get sessionCount(): number {
    return this.#sessions.size;
  }

  get running(): number {
    return this.#dependencies.running.size;
  }

  async listen(): Promise<void> {
    const { port, host, onFault, beatMs = defaultBeatMs } = this.#options;
    const server = this.#server;
    server.listen(port, host);
    await once(server, 'listening');
    const { listeners, running } = this.#dependencies;
    this.#beat = setInterval(() => {
      this.#sessions.closeIdle(Date.now()).catch((error: unknown) => onFault?.(error));
      listeners.beat();
      for (const outlet of running.values()) outlet.beat();
      for (const session of this.#sessions.all()) session.stream?.beat();
    }, beatMs);
    this.#beat.unref();
  }

  /** Announces that no more work is wanted, but still accepts it: load balancers notice only after a while. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Accepts no new requests; running ones get a while, then everything ends. */
  async close(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#beat);
    const server = this.#server;
    const { listeners, running } = this.#dependencies;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    listeners.closeAll();
    for (const session of this.#sessions.all()) session.stream?.end();
    const closeIdle = () => {
      server.closeIdleConnections();
      for (const socket of this.#unused) socket.destroy();
    };
    closeIdle();
    let isOver = false;
    const deadline = setTimeout(() => {
      isOver = true;
      for (const run of running.keys()) run.cancel.abort();
      setTimeout(() => server.closeAllConnections(), 2 * limits.killGraceMs).unref();
    }, this.#options.stopGraceMs ?? limits.stopGraceMs);
    // Kept-alive connections would keep the server open.
    const sweep = setInterval(() => {
      closeIdle();
      // Only incomplete requests and unread responses are left.
      if (isOver && running.size === 0) setTimeout(() => server.closeAllConnections(), 100).unref();
    }, 50);
    await closed;
    clearInterval(sweep);
    clearTimeout(deadline);
    await this.#sessions.closeAll();
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    this.#unused.delete(request.socket);
    this.#answer(request, response).catch((error: unknown) => {
      this.#options.onFault?.(error);
      if (response.headersSent) response.destroy();
      else {
        const failure = asRpcError(error);
        const status = failure.httpStatus === 200 ? 500 : failure.httpStatus;
        sendJson(response, status, errorFrame(null, failure));
      }
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { metrics, ask, routes } = this.#options;
    const { resource } = this.#dependencies;
    // A kept connection would only lead back to a server that is about to end.
    if (this.#isDraining) response.setHeader('connection', 'close');
    const refusal = this.#guard(request);
    if (refusal !== undefined) return refuse(response, 403, refusal);
    if (this.#cors(request, response)) return;
    const path = pathOf(request);
    // People and clients add a slash; a redirect would lose the body or the token.
    if (path === mcpPath || path === `${mcpPath}/`) return await this.#answerMcp(request, response);
    if (resource && this.#describedAt.has(path)) {
      response.setHeader('cache-control', 'max-age=300');
      return sendJson(response, 200, metadataJson(resource));
    }
    if (await this.#health.answer(path, response)) return;
    if (path === '/metrics' && metrics) {
      const admission = await this.#admit(request, response, arrivalOf(request), { purpose: 'metrics' });
      if (!admission) return;
      return await answerMetrics({ text: metrics, resource }, request, response, admission);
    }
    if (ask && isAskPath(path)) return await this.#answerQuestion(ask, request, response);
    if (await routes?.(request, response)) return;
    refuse(response, 404, 'There is nothing at this address.');
  }

  async #answerMcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrived = arrivalOf(request);
    const admission = await this.#admit(request, response, arrived);
    if (!admission) return;
    const arrival = { ...arrived, holder: admission.holder };
    if (this.#isStopping) return refuse(response, 503, 'The server is stopping.');
    if (request.method === 'POST') return await answerPost(this.#dependencies, request, response, arrival);
    if (request.method === 'GET' || request.method === 'DELETE')
      return await answerSession(this.#dependencies, request, response, arrival);
    response.setHeader('allow', 'POST, GET, DELETE');
    refuse(response, 405, 'Send POST.');
  }

  async #answerQuestion(
    service: AskRoute['service'],
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { locale } = this.#options.gateway;
    const arrival = arrivalOf(request);
    const turnAway = (status: number) => turnAwayAsk(request, response, status, locale);
    if (!(await this.#admit(request, response, arrival, { turnAway }))) return;
    if (this.#isStopping) return turnAway(503);
    const { running, maxBodyBytes, resource, onFault } = this.#dependencies;
    const route = { service, running, maxBodyBytes, locale, resource, onFault };
    await answerAsk(route, request, response, arrival);
  }
}

const serverLimits = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 32 * 1024,
};

function pathOf({ url = '/' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

/** Admits a sender; undefined if the request was answered with a refusal. */
type Admit = (
  request: IncomingMessage,
  response: ServerResponse,
  arrival: Arrival,
  as?: {
    readonly purpose?: 'calls' | 'metrics';
    /** Writes the refusal; default: as the reply's body. */
    readonly turnAway?: (status: number, reason: string) => void;
  },
) => Promise<Extract<Admission, { ok: true }> | undefined>;

/** A refusal says what the client must send, by RFC 6750 and RFC 9728. */
function createAdmit(gateway: Gateway, resource: ProtectedResource | undefined): Admit {
  return async (request, response, arrival, { purpose = 'calls', turnAway } = {}) => {
    const verdict = await gateway.admits(arrival);
    if (verdict.ok && (purpose === 'metrics' || verdict.observes !== 'only')) return verdict;
    request.resume();
    const refuseWith = turnAway ?? ((status, reason) => refuse(response, status, reason));
    if (verdict.ok) {
      refuseWith(403, 'This token can only read /metrics.');
    } else if (verdict.reason === 'unverifiable') {
      response.setHeader('retry-after', '30');
      refuseWith(503, verdict.problem ?? verdict.reason);
    } else {
      const problem =
        arrival.bearer === undefined ? {} : { error: 'invalid_token' as const, description: verdict.problem };
      response.setHeader('www-authenticate', challengeOf(resource, problem));
      refuseWith(401, verdict.reason);
    }
    return undefined;
  };
}

/** Lets browser pages of the allowed origins call and read replies. Returns whether it answered, as a preflight. */
function createCors(
  allowedOrigins: readonly string[],
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  return (request, response) => {
    const { origin } = request.headers;
    if (origin === undefined || !origins.has(origin.toLowerCase())) return false;
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('vary', 'origin');
    response.setHeader('access-control-expose-headers', 'mcp-session-id, www-authenticate, retry-after');
    if (request.method !== 'OPTIONS') return false;
    response.setHeader('access-control-allow-methods', 'POST, GET, DELETE');
    response.setHeader(
      'access-control-allow-headers',
      'authorization, content-type, accept, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name',
    );
    response.setHeader('access-control-max-age', '600');
    response.writeHead(204).end();
    return true;
  };
}

interface GuardRules {
  /** Host names without a port, e.g. "localhost", "127.0.0.1", "[::1]"; "*" allows any. */
  readonly allowedHosts: readonly string[];
  /** Origins of web pages that may call us, e.g. "https://app.example.com". Our own pages always may. */
  readonly allowedOrigins: readonly string[];
}

/**
 * Returns the reason if a request is to be refused before anything else. The Host header reveals DNS rebinding (a page
 * whose name points to this machine), and Origin any other foreign page.
 */
function createGuard(rules: GuardRules): (request: IncomingMessage) => string | undefined {
  const hosts = new Set(rules.allowedHosts.map((host) => host.toLowerCase()));
  const origins = new Set(rules.allowedOrigins.map((origin) => origin.toLowerCase()));
  return ({ headers }) => {
    const host = headers.host?.toLowerCase() ?? '';
    if (!hosts.has('*') && !hosts.has(hostName(host))) return 'This Host is not served here.';
    const origin = headers.origin?.toLowerCase();
    if (origin === undefined || origins.has(origin)) return undefined;
    return origin === `http://${host}` || origin === `https://${host}`
      ? undefined
      : 'Requests from this Origin are not allowed.';
  };
}

/** The name in a Host header without its port; empty if the header is malformed. */
export function hostName(host: string): string {
  return /^(\[[^\]]*\]|[^:[\]@/]*)(?::\d{0,5})?$/.exec(host)?.[1] ?? '';
}
