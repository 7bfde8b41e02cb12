import { type Catalog, createCatalog } from '../call/catalog.ts';
import type { Settings } from '../config/settings.ts';
import type { Call } from '../contract/call.ts';
import type { Toolset } from '../contract/tool/tool.ts';
import { once } from '../ground/once.ts';
import type { Rooms } from './rooms.ts';
import { loadTools } from './toolsets.ts';

/** The tools that are served: ours, and those of proxied servers as they come, change and go. */
export interface LiveCatalog {
  (): Promise<Catalog>;
  /** Gives servers that were never seen a moment to say what they have. */
  settle(): Promise<void>;
  /** The same for the one that a call names. */
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
      built = { version, catalog: createCatalog(tools, settings.mode, version, remote.absent()) };
    }
    return built.catalog;
  }

  return Object.assign(catalog, {
    settle: async () => (await upstreams()).settle(),
    async meet({ tool, arrival, signal }: Call) {
      if (!tool.includes('__')) return;
      const found = (await catalog()).find(tool);
      // What it failed for may be over, such as a login that was missing.
      if (found?.server !== undefined && found.unavailable) await (await upstreams()).meet(tool, signal);
      if (found) return;
      // Nobody over the network starts a program by a name alone.
      if (arrival.transport !== 'http') await (await upstreams()).meet(tool, signal);
    },
    onChanged(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
}
