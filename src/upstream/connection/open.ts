import type { ConfinedChild } from '../../contract/capabilities/process.ts';
import { ToolError } from '../../contract/error.ts';
import type { Tool } from '../../contract/tool/tool.ts';
import type { LoginOptions, ServerSettings, ServerStatus, StdioStart } from '../../contract/upstream.ts';
import { logIn, logOut, type OauthPlace } from '../oauth/open.ts';
import { createServer, type ProxiedServer } from '../server.ts';
import { openPins, type Pins } from '../tools/pin.ts';

export interface UpstreamsOptions {
  readonly servers: readonly ServerSettings[];
  /** Where the pins are kept. */
  readonly pinFolder: string;
  readonly info: { readonly name: string; readonly version: string };
  readonly startProcess: (start: StdioStart) => Promise<ConfinedChild>;
  /** Before a crashed server is started again, the first time; doubled each time. */
  readonly firstDelayMs?: number | undefined;
  readonly oauth: OauthPlace;
  /** A server that was never seen does not start. */
  readonly onFailed?: ((server: ProxiedServer, error: ToolError) => void) | undefined;
}

/** What changed, for listeners. */
export type UpstreamChange = 'tools' | 'prompts' | 'resources';

/** All proxied servers. None is started before it is needed. */
export interface Upstreams {
  readonly servers: readonly ProxiedServer[];
  readonly pins: Pins;
  /** Grows with every change of `tools()`. */
  version(): number;
  tools(): readonly Tool[];
  /** For each server that was never seen and does not start, one that says why and has the beginning of its tools' names. */
  absent(): readonly Tool[];
  /** Looks at servers that were never seen, for a moment and once: a slow one appears when it is there. */
  settle(): Promise<void>;
  /** Looks at the server whose tool this may be, if it was never seen. */
  meet(shownName: string, signal: AbortSignal): Promise<void>;
  onChanged(listener: (what: UpstreamChange) => void): () => void;
  /** A person logs in at a server, or ends that. */
  logIn(server: ProxiedServer, options: LoginOptions): Promise<void>;
  logOut(server: ProxiedServer): Promise<'revoked' | 'forgotten' | 'none'>;
  status(): readonly ServerStatus[];
  close(): Promise<void>;
}

async function within(ms: number, work: readonly Promise<unknown>[]): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  await Promise.race([Promise.allSettled(work), over.promise]);
  clearTimeout(timer);
}

/** How long a first list waits for servers that were never seen; after that they announce themselves. */
const firstLookMs = 10_000;

export function openUpstreams(options: UpstreamsOptions): Upstreams {
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
  const servers: readonly ProxiedServer[] = enabled.map((server) =>
    createServer(server, { ...options, pins, onChanged: changed }),
  );

  function tools(): readonly Tool[] {
    return servers.flatMap((server) => [...server.tools(), ...server.methods()]);
  }

  function tell(server: ProxiedServer): (error: unknown) => void {
    return (error) => {
      if (error instanceof ToolError && !closing.signal.aborted) options.onFailed?.(server, error);
    };
  }

  function absent(): readonly Tool[] {
    return servers.flatMap((server) => server.absent() ?? []);
  }

  return {
    servers,
    pins,
    version: () => version,
    tools,
    absent,
    async settle() {
      for (const server of servers) server.refresh();
      const unknown = servers.filter((server) => !server.isKnown() && !waitedFor.has(server));
      for (const server of unknown) waitedFor.add(server);
      const looks = [
        ...unknown.map((server) => server.look(closing.signal).catch(tell(server))),
        ...servers.map((server) => server.lookAgain()),
      ];
      // Whoever asks for another list meanwhile waits for the same look.
      lookedAt = Promise.all([lookedAt, within(firstLookMs, looks)]);
      await lookedAt;
    },
    async meet(shownName, signal) {
      const server = servers.find(({ settings }) => shownName.startsWith(`${settings.name}__`));
      server?.refresh();
      // What is wrong with it, the call will be told.
      if (server && !server.isKnown()) await server.look(signal).catch(() => {});
    },
    onChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async logIn(server, login) {
      await logIn(server.settings, options.oauth, login);
      server.refresh();
    },
    logOut: ({ settings }) => logOut(settings, options.oauth),
    status: () => [
      ...servers.map((server) => server.status()),
      ...options.servers
        .filter((server) => !server.enabled)
        .map(({ name }) => ({ name, state: 'disabled' as const, tools: [], held: [] })),
    ],
    async close() {
      closing.abort();
      listeners.clear();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}
