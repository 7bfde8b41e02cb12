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
import { supervise } from './connection/supervise.ts';
import { traceRequests } from './connection/traced.ts';
import { accessOf, type OauthPlace } from './oauth/open.ts';
import { createElicitations } from './requests/elicit.ts';
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

/** One proxied server: its process or address, its pin, and the tools that it gives us. */
export interface ProxiedServer {
  readonly settings: ServerSettings;
  /** What may be shown now: approved, not denied, and as it was approved. */
  tools(): readonly Tool[];
  /** Stands for its tools where it was never seen and does not start. */
  absent(): Tool | undefined;
  /** The protocol's other methods of it, as unlisted tools. */
  methods(): readonly Tool[];
  status(): ServerStatus;
  /** What was never seen must be looked at before anything of it can be shown. */
  isKnown(): boolean;
  /** What it offered when it was last seen. */
  offers(): Pin['offers'];
  /** Starts it if need be and holds its list against the pin. */
  look(signal: AbortSignal): Promise<void>;
  /** Looks at its tools anew where it could not have said that they changed. */
  lookAgain(): Promise<void>;
  /** Hears of changes of a resource that was subscribed to on the road; the returned function ends it. */
  watch(uri: string, changed: () => void): () => void;
  /** Reads the pin again where somebody changed it. */
  refresh(): void;
  close(): Promise<void>;
}

export interface ServerOptions extends Pick<ConnectOptions, 'info' | 'startProcess'> {
  readonly pins: Pins;
  readonly onChanged: (what: 'tools' | 'prompts' | 'resources') => void;
  readonly firstDelayMs?: number | undefined;
  /** Where logins at servers are kept. */
  readonly oauth: OauthPlace;
}

/** Lists are waited for this long, as everybody's lists wait for each server's. */
const maxListMs = 10_000;
/** One that did not answer in that time is not waited for again so soon. */
const silentListsMs = 5 * 60_000;
const maxErrorChars = 4000;
/** Tools of a server that cannot say that they changed are looked at anew when a client lists them after this time. */
const lookAgainMs = 10_000;

export function createServer(settings: ServerSettings, options: ServerOptions): ProxiedServer {
  const { name } = settings;
  const turns = createTurns(settings.callsAtOnce);
  const elicitations = createElicitations(name);
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

  const supervisor = supervise({
    name,
    firstDelayMs: options.firstDelayMs,
    onState: changed,
    open: () => elicitations.outside(open),
  });

  async function open(): Promise<Connection> {
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
      // Why it is given up is what is told.
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
    approved.compare(await connection.listTools(), connection.offers);
    changed();
  }

  /** The server says that its list changed: until that was looked at, no call goes through. */
  function relook(connection: Connection): void {
    isStale = true;
    // However often it says so, there is one look at a time, and one more after it.
    looking ??= (async () => {
      while (isStale) {
        isStale = false;
        await compare(connection).catch(() => {
          // A list that cannot be had is no list.
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

  /** The server's own words of a failure as an output; throws every other failure. */
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
    const leave = await turns.acquire(context.signal);
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
      // Kept while the offer is the same: the names of its prompts are remembered in them.
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
      // A server that does not run is looked at when it is started again.
      const connection = await supervisor.running()?.catch(() => undefined);
      if (!connection?.isQuiet) return;
      relook(connection);
      await looking;
    },
    refresh() {
      // Somebody logged in or out, perhaps in another process.
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
    close() {
      watches.close();
      return supervisor.close();
    },
  };
}
