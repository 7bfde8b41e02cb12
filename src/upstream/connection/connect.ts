import type { Client, ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import type { ServerProcess } from '../../contract/capabilities/process.ts';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import type { HttpStart, ServerSettings, StdioStart } from '../../contract/upstream.ts';
import type { Access } from '../oauth/access.ts';
import { createAuthorizedFetch, refusalIn } from '../oauth/request.ts';
import { createSubscriptions, type SetWatched } from '../requests/subscribe.ts';
import type { RemoteTool } from '../tools/definition.ts';
import { listTools } from '../tools/list-tools.ts';
import { createBoundedFetch } from './bounded-fetch.ts';
import { Pipe } from './pipe.ts';
import { RemoteError, type RemoteRequest, SessionLost } from './remote.ts';
import { isNotSent, remoteErrorIn, requestBySdk } from './request-by-sdk.ts';

export interface Connection {
  readonly offers: {
    readonly resources: boolean;
    readonly prompts: boolean;
    readonly completions: boolean;
    readonly subscriptions: boolean;
  };
  listTools(): Promise<readonly RemoteTool[]>;
  request(request: RemoteRequest): Promise<unknown>;
  /** A request that a live server answers at once. */
  readonly sign: Pick<RemoteRequest, 'method' | 'params'>;
  /** Sets the resources whose changes are reported. */
  readonly setWatched: SetWatched;
  readonly closed: Promise<void>;
  /** Whether the server cannot announce changed tools: over HTTP without an open stream. */
  readonly isQuiet: boolean;
  /** Whether it ended because the server forgot the session, which is no failure. */
  isLost(): boolean;
  /** The end of the server's stderr, for the log. */
  lastWords(): string;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly info: { readonly name: string; readonly version: string };
  readonly startProcess: (start: StdioStart) => Promise<ServerProcess>;
  readonly onChanged: (what: 'tools' | 'prompts' | 'resources') => void;
  /** A watched resource changed. */
  readonly onUpdated: (uri: string) => void;
  readonly elicit: (params: ElicitRequest['params'], signal: AbortSignal) => Promise<ElicitResult>;
  /** The tokens for the server. Undefined: none are sent. */
  readonly access?: Access | undefined;
  /** Sends requests whose headers may name secrets. Default: `fetch`. */
  readonly send?: typeof fetch | undefined;
}

/** Starts or contacts the server and performs the handshake. Throws `unavailable` or `timed_out`. */
export async function connect(settings: ServerSettings, options: ConnectOptions): Promise<Connection> {
  const { start, startTimeoutMs } = settings;
  const signal = AbortSignal.timeout(startTimeoutMs);
  if (start.kind === 'http') return connectHttp(start, settings, options, signal);
  try {
    return await connectStdio(start, settings, options, signal, 'legacy');
  } catch (error) {
    // Most servers support the handshake of older revisions; one that supports only the newest answers with an error.
    if (!(error instanceof HandshakeRefused)) throw error;
    return await connectStdio(start, settings, options, signal, 'modern');
  }
}

class HandshakeRefused extends Error {}

async function connectStdio(
  start: StdioStart,
  settings: ServerSettings,
  options: ConnectOptions,
  signal: AbortSignal,
  era: 'legacy' | 'modern',
): Promise<Connection> {
  const child = await options.startProcess(start);
  const pipe = new Pipe(child);
  const closed = child.ended.then(() => {});
  const ended = child.ended.then(async ({ code, signal: by }): Promise<never> => {
    await pipe.drained();
    throw failed(pipe.lastWords(), new Error(by ? `It was ended by ${by}.` : `It ended with code ${code}.`));
  });
  // Each request races it; without requests, the rejection is unhandled.
  ended.catch(() => {});
  try {
    const client = await openClient(options, era === 'legacy' ? 'legacy' : { pin: '2026-07-28' });
    await Promise.race([
      client.connect(pipe.transport, { signal, timeout: settings.startTimeoutMs }),
      ended,
      aborted(signal, settings.startTimeoutMs, pipe),
    ]);
    return connectionOf(client, closed, settings, pipe);
  } catch (error) {
    const hasEnded = pipe.isClosed();
    await child.kill();
    if (hasEnded) return await ended;
    if (error instanceof ToolError) throw error;
    if (era === 'legacy' && isProtocolError(error)) throw new HandshakeRefused();
    throw failed(pipe.lastWords(), error);
  }
}

async function connectHttp(
  start: HttpStart,
  settings: ServerSettings,
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<Connection> {
  if (!start.isSafe)
    throw new ToolError(
      'unavailable',
      `The server ${settings.name} is on another machine and its url is plain http, which anyone in between can read and change.`,
      `サーバー ${settings.name} は別のマシンにあり、url が暗号化されない http です。途中で読まれ、書き換えられるおそれがあります。`,
      text(
        'The operator can use https://, or set "plainHttp": true for it.',
        '運用者が https:// にするか、このサーバーに "plainHttp": true を指定してください。',
      ),
    );
  try {
    return await shakeHands(start, settings, options, signal, 'auto');
  } catch (error) {
    // A server that does not know the newest revision may ignore the question or fail at it.
    if (error instanceof ToolError || isNotSent(error)) throw notReached(error);
  }
  try {
    return await shakeHands(start, settings, options, signal, 'legacy');
  } catch (error) {
    throw signal.aborted ? startTimedOut(settings.startTimeoutMs, error) : notReached(error);
  }
}

function notReached(error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  const said = error instanceof RemoteError && error.http ? ` (HTTP ${error.http.status})` : '';
  return new ToolError(
    'unavailable',
    `The server cannot be reached${said}.`,
    `サーバーに接続できません${said}。`,
    { cause: error },
  );
}

async function shakeHands(
  start: HttpStart,
  settings: ServerSettings,
  options: ConnectOptions,
  signal: AbortSignal,
  era: 'legacy' | 'auto',
): Promise<Connection> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const boundedFetch = createBoundedFetch(options.send);
  const authorized =
    options.access && createAuthorizedFetch(settings.name, start.url, options.access, boundedFetch);
  const transport = new StreamableHTTPClientTransport(new URL(start.url), {
    requestInit: { headers: { ...start.headers } },
    fetch: authorized ?? boundedFetch,
  });
  const client = await openClient(options, era, settings.startTimeoutMs);
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  try {
    await client.connect(transport, { signal, timeout: settings.startTimeoutMs });
    return connectionOf(client, closed, settings);
  } catch (error) {
    // Report why it was not connected, not an error of closing.
    await client.close().catch(() => {});
    throw refusalIn(error) ?? remoteErrorIn(error) ?? error;
  }
}

async function openClient(
  options: ConnectOptions,
  mode: 'legacy' | 'auto' | { pin: string },
  startTimeoutMs?: number,
): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/client');
  const told = (what: 'tools' | 'prompts' | 'resources') => ({
    autoRefresh: false,
    debounceMs: 50,
    onChanged: () => options.onChanged(what),
  });
  const client = new Client(options.info, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: {
      mode,
      ...(startTimeoutMs !== undefined && { probe: { timeoutMs: Math.min(maxProbeMs, startTimeoutMs / 3) } }),
    },
    listChanged: { tools: told('tools'), prompts: told('prompts'), resources: told('resources') },
    // Foreign schemas are not compiled here; the callers validate results.
    jsonSchemaValidator: {
      getValidator: () => (input: unknown) => ({
        valid: true as const,
        // biome-ignore lint/suspicious/noExplicitAny: the type is the SDK's to choose
        data: input as any,
        errorMessage: undefined,
      }),
    },
  });
  client.setRequestHandler('elicitation/create', (request, { mcpReq }) =>
    options.elicit(request.params, mcpReq.signal),
  );
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    options.onUpdated(params.uri),
  );
  return client;
}

/** A live server answers the first question sooner; the rest of the time is for the handshake. */
const maxProbeMs = 5000;

function connectionOf(
  client: Client,
  closed: Promise<void>,
  settings: ServerSettings,
  pipe?: Pipe,
): Connection {
  const offered = client.getServerCapabilities() ?? {};
  // The newest revision identifies the client in each request, which the SDK does.
  const isModern = client.getNegotiatedProtocolVersion() === '2026-07-28';
  let isLost = false;
  const schemas = new Map<unknown, RemoteTool>();
  const forgotten = Promise.withResolvers<void>();
  let underWay = 0;
  /** If the session is lost, each running request gets its own error. */
  async function throughSdk(request: RemoteRequest): Promise<unknown> {
    underWay += 1;
    try {
      const tool = isModern ? schemas.get(request.params.name) : undefined;
      return await requestBySdk(client, request, tool, () => underWay === 1);
    } catch (error) {
      if (error instanceof SessionLost) {
        isLost = true;
        forgotten.resolve();
      }
      throw error;
    } finally {
      underWay -= 1;
      // The session is lost, so errors of closing do not matter.
      if (isLost && underWay === 0) void client.close().catch(() => {});
    }
  }
  const request = pipe && !isModern ? (asked: RemoteRequest) => pipe.request(asked) : throughSdk;
  return {
    offers: {
      resources: offered.resources !== undefined,
      prompts: offered.prompts !== undefined,
      completions: offered.completions !== undefined,
      subscriptions: offered.resources?.subscribe === true,
    },
    async listTools() {
      if (offered.tools === undefined) return [];
      const tools = await listTools(request, settings.callTimeoutMs);
      schemas.clear();
      for (const tool of tools) schemas.set(tool.name, tool);
      return tools;
    },
    setWatched: createSubscriptions(client, isModern),
    request,
    sign: { method: isModern ? 'server/discover' : 'ping', params: {} },
    closed: Promise.race([closed, forgotten.promise]),
    isQuiet: pipe === undefined,
    isLost: () => isLost,
    lastWords: () => pipe?.lastWords() ?? '',
    close: () => client.close(),
  };
}

function isProtocolError(error: unknown): boolean {
  return typeof (error as { code?: unknown } | undefined)?.code === 'number';
}

function aborted(signal: AbortSignal, timeoutMs: number, pipe: Pipe): Promise<never> {
  return new Promise((_, reject) => {
    const tell = () => reject(startTimedOut(timeoutMs, pipe.lastWords()));
    if (signal.aborted) tell();
    signal.addEventListener('abort', tell, { once: true });
  });
}

function startTimedOut(timeoutMs: number, cause: unknown): ToolError {
  const seconds = timeoutMs / 1000;
  return new ToolError(
    'unavailable',
    `The server did not start within ${seconds} s.`,
    `サーバーが ${seconds} 秒以内に起動しませんでした。`,
    { cause },
  );
}

function failed(words: string, error?: unknown): ToolError {
  const cause = [words, error instanceof Error ? error.message : ''].filter(Boolean).join('\n');
  return new ToolError('unavailable', 'The server does not start.', 'サーバーが起動しません。', {
    cause,
  });
}
