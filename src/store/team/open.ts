import type { Arrival } from '../../contract/call.ts';
import { type Caller, isAgent } from '../../contract/caller.ts';
import type { TeamAdmin } from '../../contract/team/admin.ts';
import type { Team } from '../../contract/team/team.ts';
import type { Locale } from '../../contract/text/text.ts';
import type { Clock, OpenEngine } from '../engine.ts';
import { createTeamAdmin } from './admin/admin.ts';
import { createMembership, type Membership, type TeamBase } from './base.ts';
import { createChat } from './chat/chat.ts';
import { createInbox } from './chat/inbox.ts';
import { createCoordination } from './coordination.ts';
import { createManagement } from './management.ts';
import { createNextAction } from './next-action.ts';
import { createOverview } from './overview.ts';
import { noSession } from './refusals.ts';
import { createSelf } from './self.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createClaims } from './tasks/claim.ts';
import { createTaskMaking } from './tasks/create-tasks.ts';
import { createDelegations } from './tasks/delegations.ts';
import { createRequests } from './tasks/requests.ts';
import { createTaskWork } from './tasks/tasks.ts';

/** Agents and their work, on any engine. */
export interface TeamStore {
  readonly admin: TeamAdmin;
  readonly sessions: Sessions;
  /** The capability, for one caller and arrival. */
  lend(caller: Caller, arrival: Arrival): Team;
}

export interface TeamOptions {
  readonly engine: OpenEngine;
  readonly clock: Clock;
  /** The language of instructions; default: English. */
  readonly locale?: Locale | undefined;
  /** Called when a session was bound to a connection or unbound, which changes the tools that it may call. */
  readonly changed?: ((connectionId: string) => void) | undefined;
}

export function createTeamStore({ engine, clock, locale = 'en', changed }: TeamOptions): TeamStore {
  const base: TeamBase = { openEngine: engine, clock, locale };
  const sessions = createSessions(base);
  const tell = ({ connectionId }: Arrival) => {
    if (connectionId !== undefined) changed?.(connectionId);
  };

  return {
    admin: createTeamAdmin(base),
    sessions,
    lend(caller, arrival) {
      const membership = isAgent(caller) ? createMembership(base, caller) : nobody;
      return {
        async authenticate(input) {
          const entry = await sessions.authenticate(input, arrival);
          if (entry.success) tell(arrival);
          return entry;
        },
        async logout() {
          if (!isAgent(caller)) throw noSession();
          const success = await sessions.logout(caller.session.id);
          tell(arrival);
          return { success };
        },
        ...createSelf(membership),
        ...createNextAction(membership),
        ...createTaskWork(membership),
        ...createTaskMaking(membership),
        ...createClaims(membership),
        ...createRequests(membership),
        ...createManagement(membership),
        ...createChat(membership),
        ...createInbox(membership),
        ...createDelegations(membership),
        ...createCoordination(base),
        ...createOverview(base),
      };
    },
  };
}

/** For a caller without a session. `authorize` refuses them earlier; this does not depend on it. */
const nobody: Membership = {
  projectId: '',
  locale: 'en',
  read: () => Promise.reject(noSession()),
  change: () => Promise.reject(noSession()),
  quickly: () => Promise.reject(noSession()),
  until: () => Promise.reject(noSession()),
};
