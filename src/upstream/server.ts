import { setImmediate as giveWay } from 'node:timers/promises';
import type { ToolOutput } from '../contract/call.ts';
import { ToolError } from '../contract/error.ts';
import { type Text, text } from '../contract/text/text.ts';
import type { BaseContext, Tool } from '../contract/tool/tool.ts';
import type { ServerSettings, ServerStatus } from '../contract/upstream.ts';
import { unlessAborted } from '../ground/abort.ts';
import { cancelled } from '../ground/errors/cancelled.ts';
import { type Connection, type ConnectOptions, connect } from './connection/connect.ts';
import { createLiveness } from './connection/liveness.ts';
import { afterLoss, RemoteError } from './connection/remote.ts';
import { type Supervisor, supervise } from './connection/supervise.ts';
import { traceRequests } from './connection/traced.ts';
import { accessOf, type OauthPlace } from './oauth/open.ts';
import { createElicitations, type Elicitations } from './requests/elicit.ts';
import { methodTools } from './requests/methods.ts';
import { pacedProgress } from './requests/paced-progress.ts';
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
import { createTurns } from './requests/turns.ts';
import { createWatches } from './requests/watches.ts';
import { adaptTool } from './tools/adapt.ts';
import { openApproved } from './tools/approved.ts';
import type { RemoteTool } from './tools/definition.ts';
import { shownNames } from './tools/names.ts';
import type { Pin, Pins } from './tools/pin.ts';

/** One proxied server: its process or address, its pin and its tools. */
export interface ProxiedServer {
  readonly settings: ServerSettings;
  /** The tools that may be listed now: approved, unchanged since, and not denied. */
  tools(): readonly Tool[];
  /** A placeholder for its tools if it has never run and fails to start. */
  absent(): Tool | undefined;
  /** Its other protocol methods, as unlisted tools. */
  methods(): readonly Tool[];
  status(): ServerStatus;
  /** Whether it has a pin; otherwise it must run once before anything of it can be shown. */
  isKnown(): boolean;
  /** Its offers when it last ran. */
  offers(): Pin['offers'];
  /** Starts it if necessary and compares its list with the pin. */
  look(signal: AbortSignal): Promise<void>;
  /** Fetches its tools again if it could not have announced a change. */
  lookAgain(): Promise<void>;
  /** Calls back on changes of a resource that a call has subscribed to, until the returned function is called. */
  watch(uri: string, changed: () => void): () => void;
  /** Reads the pin again if it was changed. */
  refresh(): void;
  /** Ends what belongs to this session alone. */
  leave(sessionId: string): Promise<void>;
  close(): Promise<void>;
}

/** One process or connection, and the calls that use it. */
interface Line {
  readonly supervisor: Supervisor;
  readonly elicitations: Elicitations;
  readonly turns: ReturnType<typeof createTurns>;
}

export interface ServerOptions extends Pick<ConnectOptions, 'info' | 'startProcess'> {
  readonly pins: Pins;
  readonly onChanged: (what: 'tools' | 'prompts' | 'resources') => void;
  readonly firstDelayMs?: number | undefined;
  /** The storage of logins. */
  readonly oauth: OauthPlace;
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

export function createServer(settings: ServerSettings, options: ServerOptions): ProxiedServer {
  const { name } = settings;
  const watches = createWatches();
  const request = traceRequests(name, createLiveness(settings.callTimeoutMs));
  const access = accessOf(settings, options.oauth);
  let accessStamp = access?.stamp();
  const approved = openApproved(settings, options.pins);
  let shown: readonly Tool[] | undefined;
  let looking: Promise<void> | undefined;
  let isStale = false;
  let silentUntil = 0;
  let lookedAt = 0;
  let methods: { readonly offered: string; readonly tools: readonly Tool[] } | undefined;

  /** The connection that all sessions use or, if each has its own, the one that lists the tools. */
  const common = createLine();
  const { supervisor } = common;
  const ofSessions = new Map<string, Line>();

  function createLine(): Line {
    const elicitations = createElicitations(name);
    const line = supervise({
      name,
      firstDelayMs: options.firstDelayMs,
      onState: changed,
      open: () => elicitations.outside(() => open(elicitations)),
    });
    return { supervisor: line, elicitations, turns: createTurns(settings.callsAtOnce) };
  }

  function lineOf({ caller: { sessionId } }: BaseContext): Line {
    if (settings.shared !== false) return common;
    const line = ofSessions.get(sessionId) ?? createLine();
    // Reinsertion keeps the least recently used first.
    ofSessions.delete(sessionId);
    ofSessions.set(sessionId, line);
    const [oldest = ''] = ofSessions.keys();
    if (ofSessions.size > maxLines) void endLine(oldest);
    return line;
  }

  async function endLine(sessionId: string): Promise<void> {
    const line = ofSessions.get(sessionId);
    ofSessions.delete(sessionId);
    await line?.supervisor.close();
  }

  async function open(elicitations: Elicitations): Promise<Connection> {
    const connection = await connect(settings, {
      ...options,
      elicit: elicitations.ask,
      access,
      onUpdated: watches.updated,
      onChanged(what) {
        if (what === 'tools') relook(connection);
        else options.onChanged(what);
      },
    });
    try {
      await compare(connection);
      await watches.begin(connection);
    } catch (error) {
      // Report the first error, not an error of closing.
      await connection.close().catch(() => {});
      throw error;
    }
    return connection;
  }

  function changed(): void {
    shown = undefined;
    options.onChanged('tools');
  }

  async function compare(connection: Connection): Promise<void> {
    lookedAt = Date.now();
    const listed = await connection.listTools();
    // Each takes a tenth of a second for a full list.
    await giveWay();
    approved.compare(listed, connection.offers);
    await giveWay();
    changed();
  }

  /** The server announced a changed list: calls wait until it was compared. */
  function relook(connection: Connection): void {
    isStale = true;
    // One look at a time, and one more after it, however many announcements come.
    looking ??= (async () => {
      while (isStale) {
        isStale = false;
        await compare(connection).catch(() => {
          // Without a list, its tools cannot be trusted.
          approved.lost();
          changed();
        });
      }
      looking = undefined;
    })();
  }

  function problem(): Text | undefined {
    return approved.isDamaged ? pinWords(name) : supervisor.failure()?.text;
  }

  function unavailable(): Text | undefined {
    const words = problem();
    return words && text(`Server ${name}: ${words.en}`, `サーバー ${name}: ${words.ja}`);
  }

  async function call(
    remote: Parameters<Parameters<typeof adaptTool>[3]>[0],
    input: Readonly<Record<string, unknown>>,
    context: BaseContext,
  ): Promise<ToolOutput> {
    context.audit({ server: name, remote_tool: remote.name, definition: remote.digest.slice(0, 16) });
    const { supervisor, elicitations, turns } = lineOf(context);
    const leave = await turns.acquire(context.signal);
    try {
      const result = await elicitations.during(context, () =>
        afterLoss(async () => {
          const connection = await supervisor.connection(context.signal);
          if (looking) await unlessAborted(looking, context.signal, () => cancelled());
          if (approved.isDamaged) throw new ToolError('unavailable', pinWords(name));
          if (!approved.isCurrent(remote.name, remote.digest) || !approved.isShown(remote.name)) {
            throw notAsApproved(name);
          }
          return request(connection, {
            method: 'tools/call',
            params: { name: remote.name, arguments: input },
            trace: context.trace,
            signal: context.signal,
            timeoutMs: settings.callTimeoutMs,
            wholeMs: settings.callTotalMs,
            waitsForPerson: () => elicitations.isOpen(context),
            progress: pacedProgress((done, total, message) =>
              context.progress(done, total, message && shownProgress(message)),
            ),
          });
        }),
      );
      context.meta({ 'sekisho/untrusted': name });
      return outputOf(result, settings, remote.hasOutputSchema, elicitations.hasMissed(context));
    } catch (error) {
      return failed(error, context);
    } finally {
      leave();
    }
  }

  /** The server's error as an output; throws any other failure. */
  function failed(error: unknown, context: BaseContext): ToolOutput {
    if (!(error instanceof RemoteError)) throw refusedBy(name, error);
    const failure = remoteFailure(name, error);
    if (error.message === '') throw failure;
    context.audit({ server_error: error.message.slice(0, maxErrorChars) });
    context.meta({ 'sekisho/untrusted': name });
    const said = [{ type: 'text', text: error.message }];
    return { ...outputOf({ content: said }, settings, false), failure };
  }

  async function subscribe(uri: string, context: BaseContext): Promise<void> {
    const forget = watches.expect(uri);
    const leave = await common.turns.acquire(context.signal);
    try {
      const connection = await supervisor.connection(context.signal);
      if (!connection.offers.subscriptions) throw notWatched(name);
      const refused = await unlessAborted(connection.setWatched(watches.uris()), context.signal, () =>
        cancelled(),
      );
      if (refused.has(uri)) throw refused.get(uri);
    } catch (error) {
      forget();
      throw refusedBy(name, asRemote(error));
    } finally {
      leave();
    }
  }

  async function ask(
    method: string,
    params: Readonly<Record<string, unknown>>,
    context: BaseContext,
  ): Promise<Readonly<Record<string, unknown>>> {
    const isList = method.endsWith('/list');
    if (isList && silentUntil > Date.now()) throw silentLists(name);
    const { supervisor, elicitations, turns } = lineOf(context);
    const leave = await turns.acquire(context.signal);
    try {
      const { signal, trace } = context;
      const progress = pacedProgress(context.progress);
      const { callTimeoutMs, callTotalMs } = settings;
      const timeoutMs = isList ? Math.min(maxListMs, callTimeoutMs) : callTimeoutMs;
      const asked = { method, params, trace, signal, timeoutMs, wholeMs: callTotalMs, progress };
      const result = await elicitations.during(context, () =>
        afterLoss(async () => request(await supervisor.connection(signal), asked)),
      );
      return typeof result === 'object' && result !== null ? { ...result } : {};
    } catch (error) {
      if (isList && error instanceof ToolError && error.code === 'timed_out')
        silentUntil = Date.now() + silentListsMs;
      throw refusedBy(name, error);
    } finally {
      leave();
    }
  }

  return {
    settings,
    tools() {
      if (shown) return shown;
      const pinned = approved.pin?.approved ?? new Map<string, RemoteTool>();
      const names = shownNames(name, [...pinned.keys()]);
      shown = [...pinned.values()].flatMap((tool) => {
        if (!approved.isShown(tool.name)) return [];
        const shownName = names.get(tool.name);
        return shownName === undefined ? [] : [adaptTool(shownName, tool, settings, call, unavailable)];
      });
      return shown;
    },
    absent() {
      const why = approved.pin ? undefined : unavailable();
      if (!why) return undefined;
      const nothing = { name: '', inputSchema: {} };
      return { ...adaptTool(`${name}__`, nothing, settings, call, () => why), identity: `${name}/` };
    },
    methods() {
      const { pin } = approved;
      if (!pin) return [];
      const offered = `${pin.offers.resources} ${pin.offers.prompts}`;
      // Kept while the offers are the same, because the tools remember the names of prompts.
      if (methods?.offered !== offered)
        methods = { offered, tools: methodTools(settings, pin.offers, { ask, subscribe, failed }) };
      return methods.tools;
    },
    status() {
      const { pin, isDamaged } = approved;
      return {
        name,
        state: isDamaged ? 'closed' : supervisor.state().kind,
        problem: problem(),
        starts: supervisor.starts(),
        pinned: pin?.approved.size ?? 0,
        tools: this.tools().map((tool) => tool.name),
        held: pin?.held ?? [],
      };
    },
    isKnown: () => approved.pin !== undefined || approved.isDamaged,
    offers: () => approved.pin?.offers ?? { resources: false, prompts: false },
    async look(signal) {
      await supervisor.connection(signal);
      await looking;
    },
    async lookAgain() {
      if (lookedAt === 0 || Date.now() - lookedAt < lookAgainMs) return;
      // A stopped server is compared when it starts again.
      const connection = await supervisor.running()?.catch(() => undefined);
      if (!connection?.isQuiet) return;
      relook(connection);
      await looking;
    },
    refresh() {
      // A login or logout, perhaps in another process.
      if (access && access.stamp() !== accessStamp) {
        accessStamp = access.stamp();
        supervisor.wake();
      }
      if (approved.refresh()) changed();
    },
    watch(uri, changed) {
      const end = watches.add(uri, changed);
      return () => {
        end();
        void supervisor.running()?.then(
          (connection) =>
            connection.setWatched(watches.uris()).then(
              () => {},
              () => {},
            ),
          () => {},
        );
      };
    },
    leave: endLine,
    async close() {
      watches.close();
      await Promise.all([supervisor.close(), ...[...ofSessions.keys()].map(endLine)]);
    },
  };
}
