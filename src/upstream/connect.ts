import type { Client, ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { ToolError } from '../contract/error.ts';
import type { ConfinedChild } from '../contract/process.ts';
import { text } from '../contract/text.ts';
import type { HttpStart, ServerSettings, StdioStart } from '../contract/upstream.ts';
import { boundedFetch } from './bounded-fetch.ts';
import type { RemoteTool } from './definition.ts';
import { listTools } from './list-tools.ts';
import type { Access } from './oauth-access.ts';
import { createAuthorizedFetch } from './oauth-request.ts';
import { createPipe, type Pipe } from './pipe.ts';
import { cancelled, RemoteError, type RemoteRequest, timedOut } from './remote.ts';
import { createSubscriptions, type SetWatched } from './subscribe.ts';

/** A live connection to one server. */
export interface Connection {
  readonly offers: {
    readonly resources: boolean;
    readonly prompts: boolean;
    readonly completions: boolean;
    readonly subscriptions: boolean;
  };
  listTools(): Promise<readonly RemoteTool[]>;
  request(request: RemoteRequest): Promise<unknown>;
  /** What a server that is alive answers at once. */
  readonly sign: Pick<RemoteRequest, 'method' | 'params'>;
  /** Hears of changes of these resources and no others. */
  readonly setWatched: SetWatched;
  readonly closed: Promise<void>;
  /** The server's last words, for the log. */
  lastWords(): string;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly info: { readonly name: string; readonly version: string };
  readonly startProcess: (order: StdioStart) => Promise<ConfinedChild>;
  readonly onChanged: (what: 'tools' | 'prompts' | 'resources') => void;
  /** A resource that is watched changed. */
  readonly onUpdated: (uri: string) => void;
  readonly elicit: (params: ElicitRequest['params']) => Promise<ElicitResult>;
  /** The tokens that open it; absent: none are sent. */
  readonly access?: Access | undefined;
}

/** Starts or reaches the server and shakes hands. Throws `unavailable` or `timed_out`. */
export async function connect(settings: ServerSettings, options: ConnectOptions): Promise<Connection> {
  const { start, startTimeoutMs } = settings;
  const signal = AbortSignal.timeout(startTimeoutMs);
  if (start.kind === 'http') return connectHttp(start, settings, options, signal);
  try {
    return await connectStdio(start, settings, options, signal, 'legacy');
  } catch (error) {
    // Most servers know the handshake of the older revisions; one that knows only the newest says so by an error.
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
  const pipe = createPipe(child);
  const closed = child.ended.then(() => {});
  const ended = child.ended.then(async ({ code, signal: by }): Promise<never> => {
    await pipe.drained();
    throw failed(pipe.lastWords(), new Error(by ? `It was ended by ${by}.` : `It ended with code ${code}.`));
  });
  ended.catch(() => {});
  try {
    const client = await openClient(options, era === 'legacy' ? 'legacy' : { pin: '2026-07-28' });
    await Promise.race([
      client.connect(pipe.transport, { signal, timeout: settings.startTimeoutMs }),
      ended,
      aborted(signal, settings.startTimeoutMs, pipe),
    ]);
    return connectionOf(client, closed, settings, { pipe });
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
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const authorized =
    options.access && createAuthorizedFetch(settings.name, start.url, options.access, boundedFetch);
  const transport = new StreamableHTTPClientTransport(new URL(start.url), {
    requestInit: { headers: { ...start.headers } },
    fetch: authorized?.fetch ?? boundedFetch,
  });
  const client = await openClient(options, 'auto');
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  try {
    await client.connect(transport, { signal, timeout: settings.startTimeoutMs });
    return connectionOf(client, closed, settings, { refusal: authorized?.refusal });
  } catch (error) {
    await client.close().catch(() => {});
    const refusal = authorized?.refusal();
    if (refusal) throw refusal;
    if (signal.aborted) throw startTimedOut(settings.startTimeoutMs, error);
    throw new ToolError('unavailable', text('The server cannot be reached.', 'サーバーに接続できません。'), {
      cause: error,
    });
  }
}

async function openClient(
  options: ConnectOptions,
  mode: 'legacy' | 'auto' | { pin: string },
): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/client');
  const told = (what: 'tools' | 'prompts' | 'resources') => ({
    autoRefresh: false,
    debounceMs: 50,
    onChanged: () => options.onChanged(what),
  });
  const client = new Client(options.info, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode },
    listChanged: { tools: told('tools'), prompts: told('prompts'), resources: told('resources') },
    // A stranger's schema is not compiled here: whoever called checks what they get.
    jsonSchemaValidator: {
      getValidator: () => (input: unknown) => ({
        valid: true as const,
        // biome-ignore lint/suspicious/noExplicitAny: the type is the SDK's to choose
        data: input as any,
        errorMessage: undefined,
      }),
    },
  });
  client.setRequestHandler('elicitation/create', (request) => options.elicit(request.params));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    options.onUpdated(params.uri),
  );
  return client;
}

/** How the connection is made: through our own pipe, or by requests that can be refused. */
interface Way {
  readonly pipe?: Pipe | undefined;
  readonly refusal?: (() => ToolError | undefined) | undefined;
}

function connectionOf(
  client: Client,
  closed: Promise<void>,
  settings: ServerSettings,
  { pipe, refusal }: Way,
): Connection {
  const offered = client.getServerCapabilities() ?? {};
  // The newest revision says who speaks on each request; the SDK does it for what goes through it.
  const isModern = client.getNegotiatedProtocolVersion() === '2026-07-28';
  const schemas = new Map<unknown, RemoteTool>();
  const throughSdk = (request: RemoteRequest) =>
    requestBySdk(client, request, refusal, isModern ? schemas.get(request.params.name) : undefined);
  const request = pipe && !isModern ? pipe.request : throughSdk;
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
    closed,
    lastWords: () => pipe?.lastWords() ?? '',
    close: () => client.close(),
  };
}

async function requestBySdk(
  client: Client,
  request: RemoteRequest,
  refusal: Way['refusal'],
  tool: RemoteTool | undefined,
): Promise<unknown> {
  const { method, params, signal, timeoutMs, progress, waitsForPerson } = request;
  const over = new AbortController();
  // A person takes the time that they take; the SDK's own clock knows nothing of it.
  let timer = setTimeout(expire, timeoutMs);
  function expire(): void {
    if (waitsForPerson?.()) timer = setTimeout(expire, timeoutMs);
    else over.abort();
  }
  const options = {
    signal: AbortSignal.any([signal, over.signal]),
    timeout: longestWaitMs,
    ...(progress && {
      onprogress: (news: { progress: number; total?: number | undefined; message?: string | undefined }) =>
        progress(news.progress, news.total, news.message),
    }),
  };
  try {
    if (!tool) return await client.request({ method, params }, asItIs, options);
    // The newest revision lets a server ask for arguments in headers as well, which its definition says.
    const { name, inputSchema } = tool;
    const toolDefinition = { name, inputSchema: { ...inputSchema, type: 'object' as const } };
    const call = { name, arguments: params.arguments as Record<string, unknown> };
    return await client.callTool(call, { ...options, toolDefinition });
  } catch (error) {
    if (signal.aborted) throw cancelled();
    if (over.signal.aborted) throw timedOut(timeoutMs);
    const { code } = error as { code?: unknown };
    if (typeof code === 'number') throw new RemoteError(error);
    const refused = refusal?.();
    // More rights are wanted for this call; the others go on.
    if (refused?.code === 'forbidden') throw refused;
    // The address does not answer, or has forgotten us: what is left of the connection is of no use.
    await client.close().catch(() => {});
    if (refused) throw refused;
    throw new ToolError(
      'upstream_error',
      text('The server could not be asked.', 'サーバーに要求を送れませんでした。'),
      { cause: error },
    );
  } finally {
    clearTimeout(timer);
  }
}

/** A timer takes no more. */
const longestWaitMs = 2 ** 31 - 1;

/** Results are read by whoever asked, field by field. */
const asItIs = {
  '~standard': { version: 1 as const, vendor: 'sekisho', validate: (value: unknown) => ({ value }) },
};

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
    text(`The server did not start within ${seconds} s.`, `サーバーが${seconds}秒以内に起動しませんでした。`),
    { cause },
  );
}

function failed(words: string, error?: unknown): ToolError {
  const cause = [words, error instanceof Error ? error.message : ''].filter(Boolean).join('\n');
  return new ToolError('unavailable', text('The server does not start.', 'サーバーが起動しません。'), {
    cause,
  });
}
