import type { AgentCredentials } from '../call/credentials.ts';
import type { Settings } from '../config/settings.ts';
import type { Arrival } from '../contract/call.ts';
import type { Caller } from '../contract/caller.ts';
import type { Team } from '../contract/team/team.ts';
import { type Once, once } from '../ground/once.ts';
import type { Store } from '../store/open.ts';
import type { TeamStore } from '../store/team/open.ts';

/** Agents and their work, opened on first use, with a listener for a connection's changed agent. */
export interface TeamRoom {
  readonly open: Once<TeamStore>;
  /** Verifies agents' credentials; undefined if the toolset is not served. */
  readonly credentials: (() => Promise<AgentCredentials>) | undefined;
  lend(caller: Caller, arrival: Arrival): Promise<Team>;
  /** A stdio connection is gone for good; an HTTP one may return, here or at another server. */
  leave(arrival: Arrival): Promise<void>;
  onChanged(listener: (connectionId: string) => void): () => void;
}

/** Uses the store's time, shared by all its servers, unless `now` is given. */
export function createTeamRoom(
  settings: Settings,
  store: () => Promise<Store>,
  now?: (() => number) | undefined,
): TeamRoom {
  const listeners = new Set<(connectionId: string) => void>();
  const open = once(async () => {
    const { createTeamStore } = await import('../store/team/open.ts');
    const { engine } = await store();
    const clock = now ?? (await engine()).now;
    return createTeamStore({
      engine,
      clock,
      locale: settings.locale,
      changed: (connectionId) => {
        for (const listener of listeners) listener(connectionId);
      },
    });
  });
  const isServed = settings.toolsets.includes('collaboration') && !settings.only;

  return {
    open,
    credentials: isServed ? async () => (await open()).sessions : undefined,
    lend: async (caller, arrival) => (await open()).lend(caller, arrival),
    async leave({ transport, connectionId }) {
      if (!isServed || transport !== 'stdio' || connectionId === undefined) return;
      await (await open.opened())?.sessions.unbind(connectionId);
    },
    onChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
