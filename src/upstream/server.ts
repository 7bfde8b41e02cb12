import { setImmediate as giveWay } from 'node:timers/promises';
import type { ToolOutput } from '../contract/call.ts';
import type { ServerProcess } from '../contract/capabilities/process.ts';
import { ToolError } from '../contract/error.ts';
import { type Text, text } from '../contract/text/text.ts';
import type { BaseContext, Tool } from '../contract/tool/tool.ts';
import type { ServerSettings, ServerStatus } from '../contract/upstream.ts';
import { cancelled } from '../ground/errors/cancelled.ts';
import { unlessAborted } from '../ground/waiting/abort.ts';
import { createSemaphore, type Semaphore } from '../ground/waiting/semaphore.ts';
import { type Connection, type ConnectOptions, connect } from './connection/connect.ts';
import { afterLoss, RemoteError, type RemoteRequest } from './connection/remote.ts';
import { Supervisor } from './connection/supervise.ts';
import { accessOf, type OauthLocation } from './oauth/log-in.ts';
import { Elicitations } from './requests/elicit.ts';
import { methodTools, type ServerRequests } from './requests/methods.ts';
import {
  asRemote,
  notAsApproved,
  notWatched,
  pinWords,
  refusedBy,
  remoteFailure,
  shownProgress,
  silentLists,
} from './requests/refusals.ts';
import { outputOf } from './requests/result.ts';
import { createWatches } from './requests/watches.ts';
import { adaptTool, type CallRemote } from './tools/adapt.ts';
import { openApproved } from './tools/approved.ts';
import type { RemoteTool } from './tools/definition.ts';
import { shownNames } from './tools/names.ts';
import type { Pin, Pins } from './tools/pin.ts';

/** One process or connection, and the calls that use it. */
interface Line {
  readonly supervisor: Supervisor;
  readonly elicitations: Elicitations;
  readonly turns: ReturnType<typeof createTurns>;
}

export interface ServerOptions extends Pick<ConnectOptions, 'info' | 'startProcess' | 'send'> {
  readonly pins: Pins;
  readonly onChanged: (what: 'tools' | 'prompts' | 'resources') => void;
  readonly firstDelayMs?: number | undefined;
  /** The storage of logins. */
  readonly oauth: OauthLocation;
}

/** Lists are awaited this long, because every client's list waits for each server. */
const maxListMs = 10_000;
/** A server that was too slow is not awaited again for this long. */
const silentListsMs = 5 * 60_000;
const maxErrorChars = 4000;
/** Sessions of HTTP clients may never end. */
const maxLines = 100;
/** Servers that cannot announce changes are asked again after this time when a client lists tools. */
const lookAgainMs = 10_000;

/** One proxied server: its process or address, its pin and its tools. */
export class ProxiedServer {
  readonly settings: ServerSettings;
  readonly #name: string;
  readonly #options: ServerOptions;
  readonly #watches = createWatches();
  readonly #request: ReturnType<typeof traceRequests>;
  readonly #access: ReturnType<typeof accessOf>;
  #accessStamp: string | undefined;
  readonly #approved: ReturnType<typeof openApproved>;
  #shown: readonly Tool[] | undefined;
  #looking: Promise<void> | undefined;
  #isStale = false;
  #silentUntil = 0;
  #lookedAt = 0;
  #methods: { readonly offered: string; readonly tools: readonly Tool[] } | undefined;
  /** The connection that all sessions use or, if each has its own, the one that lists the tools. */
  readonly #common: Line;
  readonly #ofSessions = new Map<string, Line>();
  readonly #processes = new Set<ServerProcess>();

  constructor(settings: ServerSettings, options: ServerOptions) {
    this.settings = settings;
    this.#name = settings.name;
    this.#options = options;
    this.#request = traceRequests(settings.name, createLiveness(settings.callTimeoutMs));
    this.#access = accessOf(settings, options.oauth);
    this.#accessStamp = this.#access?.stamp();
    this.#approved = openApproved(settings, options.pins);
    this.#common = this.#createLine();
  }

  /** Ends what belongs to this session alone. */
  async leave(sessionId: string): Promise<void> {
    const line = this.#ofSessions.get(sessionId);
    this.#ofSessions.delete(sessionId);
    await line?.supervisor.close();
  }

  /** The tools that may be listed now: approved, unchanged since, and not denied. */
  tools(): readonly Tool[] {
    if (this.#shown) return this.#shown;
    const pinned = this.#approved.pin?.approved ?? new Map<string, RemoteTool>();
    const names = shownNames(this.#name, [...pinned.keys()]);
    const unavailable = () => this.#unavailable();
    this.#shown = [...pinned.values()].flatMap((tool) => {
      if (!this.#approved.isShown(tool.name)) return [];
      const shownName = names.get(tool.name);
      return shownName === undefined
        ? []
        : adaptTool(shownName, tool, this.settings, this.#call, unavailable);
    });
    return this.#shown;
  }

  /** A placeholder for its tools if it has never run and fails to start. */
  absent(): Tool | undefined {
    const why = this.#approved.pin ? undefined : this.#unavailable();
    if (!why) return undefined;
    const nothing = { name: '', inputSchema: {} };
    const tool = adaptTool(`${this.#name}__`, nothing, this.settings, this.#call, () => why);
    return { ...tool, identity: `${this.#name}/` };
  }

  /** Its other protocol methods, as unlisted tools. */
  methods(): readonly Tool[] {
    const { pin } = this.#approved;
    if (!pin) return [];
    const offered = `${pin.offers.resources} ${pin.offers.prompts}`;
    // Kept while the offers are the same, because the tools remember the names of prompts.
    if (this.#methods?.offered !== offered) {
      const requests = { ask: this.#ask, subscribe: this.#subscribe, failed: this.#failed };
      this.#methods = { offered, tools: methodTools(this.settings, pin.offers, requests) };
    }
    return this.#methods.tools;
  }

  status(): ServerStatus {
    const { pin, isDamaged } = this.#approved;
    return {
      name: this.#name,
      state: isDamaged ? 'closed' : this.#common.supervisor.state.kind,
      problem: this.#problem(),
      starts: this.#common.supervisor.starts,
      pinned: pin?.approved.size ?? 0,
      tools: this.tools().map((tool) => tool.name),
      held: pin?.held ?? [],
    };
  }

  /** Its memory, and the sessions that have it for themselves if each does; undefined if it does not run. */
  async running() {
    const all = [...this.#processes];
    if (all.length === 0 && this.#common.supervisor.state.kind !== 'ready') return undefined;
    const memory = await Promise.all(all.map((each) => each.memory()));
    return {
      name: this.#name,
      bytes: this.settings.start.kind === 'stdio' ? memory.reduce((sum, each) => sum + each, 0) : undefined,
      sessions: this.settings.shared === false ? [...this.#ofSessions.keys()] : undefined,
    };
  }

  /** Whether it has a pin; otherwise it must run once before anything of it can be shown. */
  isKnown(): boolean {
    return this.#approved.pin !== undefined || this.#approved.isDamaged;
  }

  /** Its offers when it last ran. */
  offers(): Pin['offers'] {
    return this.#approved.pin?.offers ?? { resources: false, prompts: false };
  }

  /** Starts it if necessary and compares its list with the pin. */
  async look(signal: AbortSignal): Promise<void> {
    await this.#common.supervisor.connection(signal);
    await this.#looking;
  }

  /** Fetches its tools again if it could not have announced a change. */
  async lookAgain(): Promise<void> {
    if (this.#lookedAt === 0 || Date.now() - this.#lookedAt < lookAgainMs) return;
    // A stopped server is compared when it starts again.
    const connection = await this.#common.supervisor.running?.catch(() => undefined);
    if (!connection?.isQuiet) return;
    this.#relook(connection);
    await this.#looking;
  }

  /** Reads the pin again if it was changed. */
  refresh(): void {
    // A login or logout, perhaps in another process.
    if (this.#access && this.#access.stamp() !== this.#accessStamp) {
      this.#accessStamp = this.#access.stamp();
      this.#common.supervisor.wake();
    }
    if (this.#approved.refresh()) this.#changed();
  }

  /** Calls back on changes of a resource that a call has subscribed to, until the returned function is called. */
  watch(uri: string, changed: () => void): () => void {
    const end = this.#watches.add(uri, changed);
    return () => {
      end();
      void this.#common.supervisor.running
        ?.then((connection) => connection.setWatched(this.#watches.uris()))
        // A server that has ended watches nothing.
        .catch(() => {});
    };
  }

  async close(): Promise<void> {
    this.#watches.close();
    const left = [...this.#ofSessions.keys()].map((sessionId) => this.leave(sessionId));
    await Promise.all([this.#common.supervisor.close(), ...left]);
  }

  #createLine(): Line {
    const elicitations = new Elicitations(this.#name);
    const line = new Supervisor({
      name: this.#name,
      firstDelayMs: this.#options.firstDelayMs,
      onState: () => this.#changed(),
      open: () => elicitations.outside(() => this.#open(elicitations)),
    });
    return { supervisor: line, elicitations, turns: createTurns(this.settings.callsAtOnce) };
  }

  #lineOf({ caller: { sessionId } }: BaseContext): Line {
    if (this.settings.shared !== false) return this.#common;
    const line = this.#ofSessions.get(sessionId) ?? this.#createLine();
    // Reinsertion keeps the least recently used first.
    this.#ofSessions.delete(sessionId);
    this.#ofSessions.set(sessionId, line);
    const [oldest = ''] = this.#ofSessions.keys();
    if (this.#ofSessions.size > maxLines) void this.leave(oldest);
    return line;
  }

  async #open(elicitations: Elicitations): Promise<Connection> {
    const connection = await connect(this.settings, {
      ...this.#options,
      startProcess: async (start) => {
        const started = await this.#options.startProcess(start);
        this.#processes.add(started);
        void started.ended.then(() => this.#processes.delete(started));
        return started;
      },
      elicit: (params, signal) => elicitations.ask(params, signal),
      access: this.#access,
      onUpdated: this.#watches.updated,
      onChanged: (what) => {
        if (what === 'tools') this.#relook(connection);
        else this.#options.onChanged(what);
      },
    });
    try {
      await this.#compare(connection);
      await this.#watches.begin(connection);
    } catch (error) {
      // Report the first error, not an error of closing.
      await connection.close().catch(() => {});
      throw error;
    }
    return connection;
  }

  #changed(): void {
    this.#shown = undefined;
    this.#options.onChanged('tools');
  }

  async #compare(connection: Connection): Promise<void> {
    this.#lookedAt = Date.now();
    const listed = await connection.listTools();
    // Each takes a tenth of a second for a full list.
    await giveWay();
    this.#approved.compare(listed, connection.offers);
    await giveWay();
    this.#changed();
  }

  /** The server announced a changed list: calls wait until it was compared. */
  #relook(connection: Connection): void {
    this.#isStale = true;
    // One look at a time, and one more after it, however many announcements come.
    this.#looking ??= (async () => {
      while (this.#isStale) {
        this.#isStale = false;
        await this.#compare(connection).catch(() => {
          // Without a list, its tools cannot be trusted.
          this.#approved.lost();
          this.#changed();
        });
      }
      this.#looking = undefined;
    })();
  }

  #problem(): Text | undefined {
    return this.#approved.isDamaged ? pinWords(this.#name) : this.#common.supervisor.failure?.text;
  }

  #unavailable(): Text | undefined {
    const words = this.#problem();
    return words && text(`Server ${this.#name}: ${words.en}`, `サーバー ${this.#name}: ${words.ja}`);
  }

  readonly #call: CallRemote = async (remote, input, context) => {
    context.audit({ server: this.#name, remote_tool: remote.name, definition: remote.digest.slice(0, 16) });
    const { supervisor, elicitations, turns } = this.#lineOf(context);
    const leave = await turns.acquire(context.signal);
    try {
      const result = await elicitations.during(context, () =>
        afterLoss(async () => {
          const connection = await supervisor.connection(context.signal);
          if (this.#looking) await unlessAborted(this.#looking, context.signal, () => cancelled());
          if (this.#approved.isDamaged) throw new ToolError('unavailable', pinWords(this.#name));
          if (!this.#approved.isCurrent(remote.name, remote.digest) || !this.#approved.isShown(remote.name)) {
            throw notAsApproved(this.#name);
          }
          return this.#request(connection, {
            method: 'tools/call',
            params: { name: remote.name, arguments: input },
            trace: context.trace,
            signal: context.signal,
            timeoutMs: this.settings.callTimeoutMs,
            wholeMs: this.settings.callTotalMs,
            waitsForPerson: () => elicitations.isOpen(context),
            progress: pacedProgress((done, total, message) =>
              context.progress(done, total, message && shownProgress(message)),
            ),
          });
        }),
      );
      context.meta({ 'sekisho/untrusted': this.#name });
      return outputOf(result, this.settings, remote.hasOutputSchema, elicitations.hasMissed(context));
    } catch (error) {
      return this.#failed(error, context);
    } finally {
      leave();
    }
  };

  /** The server's error as an output; throws any other failure. */
  readonly #failed = (error: unknown, context: BaseContext): ToolOutput => {
    if (!(error instanceof RemoteError)) throw refusedBy(this.#name, error);
    const failure = remoteFailure(this.#name, error);
    if (error.message === '') throw failure;
    context.audit({ server_error: error.message.slice(0, maxErrorChars) });
    context.meta({ 'sekisho/untrusted': this.#name });
    const said = [{ type: 'text', text: error.message }];
    return { ...outputOf({ content: said }, this.settings, false), failure };
  };

  readonly #subscribe = async (uri: string, context: BaseContext): Promise<void> => {
    const forget = this.#watches.expect(uri);
    const leave = await this.#common.turns.acquire(context.signal);
    try {
      const connection = await this.#common.supervisor.connection(context.signal);
      if (!connection.offers.subscriptions) throw notWatched(this.#name);
      const refused = await unlessAborted(connection.setWatched(this.#watches.uris()), context.signal, () =>
        cancelled(),
      );
      if (refused.has(uri)) throw refused.get(uri);
    } catch (error) {
      forget();
      throw refusedBy(this.#name, asRemote(error));
    } finally {
      leave();
    }
  };

  readonly #ask: ServerRequests['ask'] = async (method, params, context) => {
    const isList = method.endsWith('/list');
    if (isList && this.#silentUntil > Date.now()) throw silentLists(this.#name);
    const { supervisor, elicitations, turns } = this.#lineOf(context);
    const leave = await turns.acquire(context.signal);
    try {
      const { signal, trace } = context;
      const progress = pacedProgress(context.progress);
      const { callTimeoutMs, callTotalMs } = this.settings;
      const timeoutMs = isList ? Math.min(maxListMs, callTimeoutMs) : callTimeoutMs;
      const asked = { method, params, trace, signal, timeoutMs, wholeMs: callTotalMs, progress };
      const result = await elicitations.during(context, () =>
        afterLoss(async () => this.#request(await supervisor.connection(signal), asked)),
      );
      return typeof result === 'object' && result !== null ? { ...result } : {};
    } catch (error) {
      if (isList && error instanceof ToolError && error.code === 'timed_out')
        this.#silentUntil = Date.now() + silentListsMs;
      throw refusedBy(this.#name, error);
    } finally {
      leave();
    }
  };
}

type Progress = (done: number, total?: number, message?: string) => void;

/** The first reports pass at once; later ones ten times a second. */
const mostAtOnce = 100;
const everyMs = 100;

/** Limits a server's progress reports: passing on each message has a cost, too. */
export function pacedProgress(progress: Progress, now: () => number = () => performance.now()): Progress {
  let left = mostAtOnce;
  let lastMs = Number.NEGATIVE_INFINITY;
  return (done, total, message) => {
    if (left === 0 && now() - lastMs < everyMs) return;
    left = Math.max(0, left - 1);
    lastMs = now();
    progress(done, total, message);
  };
}

const maxWaiting = 200;

/** Calls of one server: a limited number at once, the others in a limited queue. */
function createTurns(atOnce: number): Semaphore {
  return createSemaphore(atOnce, { maxWaiting, aborted: () => cancelled(), full: tooMany });
}

function tooMany(): ToolError {
  return new ToolError(
    'rate_limited',
    `${maxWaiting} calls are waiting for this server.`,
    `${maxWaiting} 件の呼び出しがこのサーバーを待っています。`,
    text('Try again when some are done.', 'いくつか終わってから試してください。'),
    { retry_after_ms: 1000 },
  );
}

type Send = (connection: Connection, request: RemoteRequest) => Promise<unknown>;

/** Sends requests with the call's trace in `_meta`, so that the server's own spans join it. */
function traceRequests(server: string, send: Send): Send {
  return async (connection, request) => {
    const { trace, method, params } = request;
    if (!trace) return send(connection, request);
    const tool = method === 'tools/call' ? String(params.name) : undefined;
    const span = trace.request({ method, server, ...(tool !== undefined && { tool }) });
    try {
      const _meta = { ...(params._meta as object | undefined), ...span.meta };
      const result = await send(connection, { ...request, params: { ...params, _meta } });
      const { isError } = (result ?? {}) as { readonly isError?: unknown };
      span.end(isError === true ? 'tool_error' : undefined);
      return result;
    } catch (error) {
      span.end(errorTypeOf(error));
      throw error;
    }
  };
}

/** A code only: the text is untrusted. */
function errorTypeOf(error: unknown): string {
  if (error instanceof RemoteError) return String(error.code);
  return error instanceof ToolError ? error.code : '_OTHER';
}

const maxPatienceMs = 30_000;

/**
 * Requests on a supervised connection: after a timeout, the server is probed. If it does not answer, the connection is
 * closed, so that the server restarts instead of blocking all later calls.
 */
function createLiveness(callTimeoutMs: number) {
  const timeoutMs = Math.min(maxPatienceMs, callTimeoutMs);
  const doubted = new WeakSet<Connection>();

  async function doubt(connection: Connection): Promise<void> {
    if (doubted.has(connection)) return;
    doubted.add(connection);
    const signal = AbortSignal.timeout(2 * timeoutMs);
    try {
      await connection.request({ ...connection.sign, signal, timeoutMs });
      doubted.delete(connection);
    } catch (error) {
      // "Unknown method" is a sign of life, too.
      if (error instanceof RemoteError) doubted.delete(connection);
      else await connection.close().catch(() => {});
    }
  }

  return async (connection: Connection, request: RemoteRequest): Promise<unknown> => {
    try {
      return await connection.request(request);
    } catch (error) {
      if (error instanceof ToolError && error.code === 'timed_out') void doubt(connection);
      throw error;
    }
  };
}
