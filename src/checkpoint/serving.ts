import type { Readable, Writable } from 'node:stream';
import { loopbackHosts } from '../ground/secure-url.ts';
import { once } from '../ground/waiting/once.ts';
import { isShared } from '../store/target.ts';
import { assertUsable } from '../store/usable.ts';
import type { Custody } from '../transport/custody.ts';
import type { HttpOptions, HttpService } from '../transport/http/serve.ts';
import { announce } from './fleet/nodes.ts';
import type { Checkpoint } from './open-checkpoint.ts';
import type { ConsoleOptions } from './operating/console.ts';
import { consoleName } from './operating/console-name.ts';
import { type ChooseCheckpoint, PlacedGateway } from './placed-gateway.ts';
import { createPreloader } from './preload.ts';

export interface StdioServing {
  /** The streams for messages. Default: this process's stdin and stdout. */
  readonly input?: Readable | undefined;
  readonly output?: Writable | undefined;
  /** Stops serving; running calls are answered first. */
  readonly signal?: AbortSignal | undefined;
  /** The caller's bearer token; default: the local person. */
  readonly bearer?: string | undefined;
  /** A client that outlives this server, through the process that holds its streams. */
  readonly held?: HeldClient | undefined;
  /** Finds another checkpoint for the folders that the client works in; without it, the client is not asked. */
  readonly choose?: ChooseCheckpoint | undefined;
  /** Called for failures that the client does not see. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

export interface HeldClient {
  readonly connectionId: string;
  readonly custody: Custody;
  /** If an earlier server has served it: the lines that belong to its session. */
  readonly resumed?: readonly string[] | undefined;
}

export type HttpServing = Partial<Omit<HttpOptions, 'gateway'>> & ConsoleOptions;

/** Serves MCP over stdio and owns the checkpoint from here on. Throws if records cannot be written. */
export async function serveStdio(checkpoint: Checkpoint, options: StdioServing = {}) {
  const { storeUrl, stateFolder } = checkpoint.settings;
  assertUsable(storeUrl, stateFolder);
  const transport = await import('../transport/stdio.ts');
  const ahead = createPreloader(checkpoint);
  const { choose, held, onFault = () => {} } = options;
  const resume = async (chosen: Checkpoint | undefined) => {
    if (held?.resumed) await chosen?.gateway.resume?.(held.connectionId);
    return chosen;
  };
  await resume(checkpoint);
  const placed =
    choose && new PlacedGateway(checkpoint, async (...asked) => resume(await choose(...asked)), onFault);
  const gateway = placed?.gateway ?? checkpoint.gateway;
  const serving = transport.serveStdio({
    gateway: {
      ...gateway,
      async list(arrival) {
        const tools = await gateway.list(arrival);
        ahead.soon();
        return tools;
      },
    },
    input: options.input ?? process.stdin,
    output: options.output ?? process.stdout,
    signal: options.signal,
    arrival: { bearer: options.bearer, ...(held && { connectionId: held.connectionId }) },
    custody: held?.custody,
    replayed: held?.resumed,
    place: placed && ((folders, arrival) => placed.place(folders, arrival)),
    onFault: options.onFault,
  });
  // The server awaits `closed`, and gets an error there.
  serving.closed.finally(ahead.stop).catch(() => {});
  return {
    /** Resolves when the client has left and its replies are written. */
    closed: serving.closed,
    /** Closes the present checkpoint, and waits for those that the client has left. */
    close: (graceMs: number) => (placed ?? checkpoint).close(graceMs),
  };
}

/**
 * Serves MCP over Streamable HTTP at `/mcp`. The checkpoint's settings are the defaults of the options. Listens only
 * after the records are open, so that a probe finds a working server.
 */
export async function serveHttp(checkpoint: Checkpoint, options: HttpServing = {}): Promise<HttpService> {
  const { http, storeUrl, stateFolder } = checkpoint.settings;
  assertUsable(storeUrl, stateFolder);
  const store = await checkpoint.store();
  await store.ready();
  // A client that saw a proxied tool at another server may call it here first.
  if (isShared(storeUrl)) await checkpoint.gateway.list({ transport: 'cli' });
  const named = [
    ...http.allowedHosts,
    ...(http.oauth ? [new URL(http.oauth.resource).hostname] : []),
    ...(http.publicUrl === undefined ? [] : [new URL(http.publicUrl).hostname]),
  ];
  const ownHost = consoleName(checkpoint.settings);
  const transport = await import('../transport/http/serve.ts');
  const { deriveKey } = await import('../store/derived-key.ts');
  const pages = http.console ? await consoleOf(checkpoint, options) : undefined;
  const { createMetrics } = await import('./operating/metrics.ts');
  const metrics = await createMetrics(checkpoint, () => service.sessionCount);
  const service = await transport.serveHttp({
    gateway: checkpoint.gateway,
    host: http.host,
    port: http.port,
    sessionKey: deriveKey(checkpoint.settings.stateFolder, 'http sessions'),
    others: isShared(storeUrl)
      ? { relay: store.relay, ended: store.endedSessions, nodes: store.nodes }
      : undefined,
    maxBodyBytes: http.maxBodyBytes,
    allowedHosts: [...loopbackHosts, ...(ownHost === undefined ? [] : [ownHost]), ...named],
    allowedOrigins: http.allowedOrigins,
    trust: http.oauth,
    metrics,
    recordsAnswer: async () => (await checkpoint.store()).nodes.list(),
    ask: once(async () => (await import('./ask.ts')).openAskService(checkpoint, options)),
    ...options,
    ...(pages && { routes: pages.routes }),
  });
  const { host, port } = service.address;
  // A host name, since passkeys do not support addresses; only this machine can follow it anyway.
  if (pages) checkpoint.notices.servedAt(`http://${isHere(host) ? (ownHost ?? 'localhost') : host}:${port}`);
  // A question or notice of a killed server may still be waiting.
  checkpoint.notices.begin();
  const presence = await announce(checkpoint, service, options.onFault);
  return {
    address: service.address,
    get sessionCount() {
      return service.sessionCount;
    },
    get running() {
      return service.running;
    },
    drain() {
      service.drain();
      presence.drain();
    },
    async close() {
      // Watching tabs would keep the server open.
      await pages?.close();
      await service.close();
      await presence.leave();
    },
  };
}

function isHere(host: string): boolean {
  return ['127.0.0.1', '::1', '0.0.0.0', '::', 'localhost'].includes(host);
}

/** The console, followed by the caller's own pages. */
async function consoleOf(checkpoint: Checkpoint, options: HttpServing) {
  const { createConsolePages } = await import('./operating/console.ts');
  const { routePages } = await import('../transport/http/pages.ts');
  const pages = createConsolePages(checkpoint, options);
  const console = routePages(pages);
  const both: HttpOptions['routes'] = async (request, response) =>
    (await console(request, response)) || (await options.routes?.(request, response)) === true;
  return { routes: both, close: () => pages.close() };
}
