import { type Catalog, createCatalog } from '../call/catalog.ts';
import type { Settings } from '../config/settings.ts';
import type { Call } from '../contract/call.ts';
import type { Toolset } from '../contract/tool/tool.ts';
import { once } from '../ground/waiting/once.ts';
import type { Rooms } from './rooms.ts';
import { loadTools } from './toolsets.ts';

/** The served tools: ours, and the changing ones of proxied servers. */
export interface LiveCatalog {
  (): Promise<Catalog>;
  /** Gives servers that have never run a moment to list their tools. */
  settle(): Promise<void>;
  /** The same for the server that a call names. */
  meet(call: Call): Promise<void>;
  onChanged(listener: () => void): () => void;
}

export function createLiveCatalog(
  settings: Settings,
  rooms: Rooms,
  more: readonly Toolset[] = [],
): LiveCatalog {
  const own = once(() => loadTools(settings, more));
  if (settings.servers.length === 0) {
    const catalog = once(async () => createCatalog(await own(), settings.mode));
    return Object.assign(() => catalog(), {
      settle: async () => {},
      meet: async () => {},
      onChanged: () => () => {},
    });
  }

  const listeners = new Set<() => void>();
  const upstreams = once(async () => {
    const opened = await rooms.upstreams();
    opened.onChanged((what) => {
      if (what === 'tools') for (const listener of listeners) listener();
    });
    return opened;
  });
  let built: { readonly version: number; readonly catalog: Catalog } | undefined;

  async function catalog(): Promise<Catalog> {
    const ours = await own();
    const remote = await upstreams();
    const version = remote.version();
    if (built?.version !== version) {
      const tools = [...ours, ...remote.tools()];
      built = { version, catalog: createCatalog(tools, settings.mode, remote.absent()) };
    }
    return built.catalog;
  }

  return Object.assign(catalog, {
    settle: async () => (await upstreams()).settle(),
    async meet({ tool, arrival, signal }: Call) {
      if (!tool.includes('__')) return;
      const found = (await catalog()).find(tool);
      // Try an unavailable server again: the cause, such as a missing login, may be gone.
      if (found?.server !== undefined && found.unavailable) await (await upstreams()).meet(tool, signal);
      if (found) return;
      // A mere name from the network must not start a program.
      if (arrival.transport !== 'http') await (await upstreams()).meet(tool, signal);
    },
    onChanged(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
}
