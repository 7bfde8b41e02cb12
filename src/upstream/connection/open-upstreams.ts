import type { ServerProcess } from '../../contract/capabilities/process.ts';
import { ToolError } from '../../contract/error.ts';
import type { Tool } from '../../contract/tool/tool.ts';
import type { LoginOptions, ServerSettings, ServerStatus, StdioStart } from '../../contract/upstream.ts';
import { logIn, logOut, type OauthLocation } from '../oauth/log-in.ts';
import { ProxiedServer } from '../server.ts';
import { openPins } from '../tools/pin.ts';
import type { ConnectOptions } from './connect.ts';

export interface UpstreamsOptions extends Pick<ConnectOptions, 'send'> {
  readonly servers: readonly ServerSettings[];
  readonly pinFolder: string;
  readonly info: { readonly name: string; readonly version: string };
  readonly startProcess: (start: StdioStart) => Promise<ServerProcess>;
  /** The delay before the first restart of a crashed server; doubled each time. */
  readonly firstDelayMs?: number | undefined;
  readonly oauth: OauthLocation;
  /** Called if a server that has never run fails to start. */
  readonly onFailed?: ((server: ProxiedServer, error: ToolError) => void) | undefined;
}

export type UpstreamChange = 'tools' | 'prompts' | 'resources';

async function within(ms: number, work: readonly Promise<unknown>[]): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  await Promise.race([Promise.allSettled(work), over.promise]);
  clearTimeout(timer);
}

/** How long a first list waits for servers that have never run; later ones announce themselves. */
const firstLookMs = 10_000;

/** All proxied servers. Each starts when it is first needed. */
export function openUpstreams(options: UpstreamsOptions) {
  const pins = openPins(options.pinFolder);
  const listeners = new Set<(what: UpstreamChange) => void>();
  const closing = new AbortController();
  const waitedFor = new Set<ProxiedServer>();
  let version = 0;
  let lookedAt: Promise<unknown> = Promise.resolve();
  let lastShown = '';

  function changed(what: UpstreamChange): void {
    if (what === 'tools') {
      const all = [...tools(), ...absent()];
      const shown = JSON.stringify(all.map(({ identity, unavailable }) => [identity, unavailable?.en]));
      if (shown === lastShown) return;
      lastShown = shown;
      version += 1;
    }
    for (const listener of listeners) listener(what);
  }

  const enabled = options.servers.filter((server) => server.enabled);
  const servers = enabled.map(
    (server) => new ProxiedServer(server, { ...options, pins, onChanged: changed }),
  );

  function tools(): readonly Tool[] {
    return servers.flatMap((server) => [...server.tools(), ...server.methods()]);
  }

  function tell(server: ProxiedServer): (error: unknown) => void {
    return (error) => {
      if (error instanceof ToolError && !closing.signal.aborted) options.onFailed?.(server, error);
    };
  }

  /** A placeholder tool for each server that has never run and fails to start, with reason and name prefix. */
  function absent(): readonly Tool[] {
    return servers.flatMap((server) => server.absent() ?? []);
  }

  return {
    servers,
    pins,
    /** Increases with every change of `tools()`. */
    version: () => version,
    tools,
    absent,
    /** Tries servers that have never run, once and briefly: a slow one appears when it is ready. */
    async settle() {
      for (const server of servers) server.refresh();
      const unknown = servers.filter((server) => !server.isKnown() && !waitedFor.has(server));
      for (const server of unknown) waitedFor.add(server);
      const looks = [
        ...unknown.map((server) => server.look(closing.signal).catch(tell(server))),
        ...servers.map((server) => server.lookAgain()),
      ];
      // Concurrent requests for a list wait for the same look.
      lookedAt = Promise.all([lookedAt, within(firstLookMs, looks)]);
      await lookedAt;
    },
    /** Starts the server to which this tool name would belong, if it has never run. */
    async meet(shownName: string, signal: AbortSignal) {
      const server = servers.find(({ settings }) => shownName.startsWith(`${settings.name}__`));
      server?.refresh();
      // The call will get the error.
      if (server && !server.isKnown()) await server.look(signal).catch(() => {});
    },
    onChanged(listener: (what: UpstreamChange) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Logs a person in at a server, or out. */
    async logIn(server: ProxiedServer, login: LoginOptions) {
      await logIn(server.settings, options.oauth, login);
      server.refresh();
    },
    logOut: ({ settings }: ProxiedServer): Promise<'revoked' | 'forgotten' | 'none'> =>
      logOut(settings, options.oauth),
    status: (): readonly ServerStatus[] => [
      ...servers.map((server) => server.status()),
      ...options.servers
        .filter((server) => !server.enabled)
        .map(({ name }) => ({ name, state: 'disabled' as const, tools: [], held: [] })),
    ],
    /** The servers that run. */
    async running() {
      const all = await Promise.all(servers.map((server) => server.running()));
      return all.flatMap((each) => each ?? []);
    },
    /** Ends what belongs to this session alone. */
    async leave(sessionId: string) {
      await Promise.all(servers.map((server) => server.leave(sessionId)));
    },
    async close() {
      closing.abort();
      listeners.clear();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
