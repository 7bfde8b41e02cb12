import type { Settings } from '../../config/settings.ts';
import type { Arrival } from '../../contract/call.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Team } from '../../contract/team/team.ts';
import { once } from '../../ground/waiting/once.ts';
import type { Store } from '../../store/open-store.ts';

/** Agents and their work, opened on first use, with a listener for a connection's changed agent. */
export type TeamRoom = ReturnType<typeof createTeamRoom>;

/** Uses the store's time, shared by all its servers, unless `now` is given. */
export function createTeamRoom(
  settings: Settings,
  store: () => Promise<Store>,
  now?: (() => number) | undefined,
) {
  const listeners = new Set<(connectionId: string) => void>();
  const open = once(async () => {
    const { createTeamStore } = await import('../../store/team/team-store.ts');
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
    /** Verifies agents' credentials; undefined if the toolset is not served. */
    credentials: isServed ? async () => (await open()).sessions : undefined,
    lend: async (caller: Caller, arrival: Arrival): Promise<Team> => (await open()).lend(caller, arrival),
    /** A stdio connection is gone for good; an HTTP one may return, here or at another server. */
    async leave({ transport, connectionId }: Arrival) {
      if (!isServed || transport !== 'stdio' || connectionId === undefined) return;
      await (await open.opened())?.sessions.unbind(connectionId);
    },
    onChanged(listener: (connectionId: string) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
