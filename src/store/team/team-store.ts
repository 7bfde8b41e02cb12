import type { Arrival } from '../../contract/call.ts';
import { type Caller, isAgent } from '../../contract/caller.ts';
import type { Team } from '../../contract/team/team.ts';
import type { Locale } from '../../contract/text/text.ts';
import type { Clock, OpenEngine } from '../engine.ts';
import { createTeamAdmin } from './admin/admin.ts';
import { createMembership, type Membership, type TeamBase } from './base.ts';
import { endConversation, respond, send, startConversation } from './chat/chat.ts';
import { pendingMessages } from './chat/inbox.ts';
import { createCoordination } from './coordination.ts';
import { assignTask, selectAction, subordinate, subordinates } from './management.ts';
import { nextAction } from './next-action.ts';
import { createOverview } from './overview.ts';
import { noSession } from './refusals.ts';
import {
  completeExecution,
  history,
  notifications,
  profile,
  project,
  reportModel,
  startExecution,
} from './self.ts';
import { createSessions } from './sessions.ts';
import { claimTask, releaseTask } from './tasks/claim.ts';
import { createTask, createTasks } from './tasks/create-tasks.ts';
import { conversationMessages, delegate, reportDelegation, taskConversations } from './tasks/delegations.ts';
import { approveRequest, rejectRequest, requestTask } from './tasks/requests.ts';
import { getTask, listTasks, myTask, reportCompleted, updateTaskStatus } from './tasks/tasks.ts';

/** Agents and their work, on any engine. */
export type TeamStore = ReturnType<typeof createTeamStore>;

export interface TeamOptions {
  readonly engine: OpenEngine;
  readonly clock: Clock;
  /** The language of instructions; default: English. */
  readonly locale?: Locale | undefined;
  /** Called when a session was bound to a connection or unbound, which changes the tools that it may call. */
  readonly changed?: ((connectionId: string) => void) | undefined;
}

export function createTeamStore({ engine, clock, locale = 'en', changed }: TeamOptions) {
  const base: TeamBase = { openEngine: engine, clock, locale };
  const sessions = createSessions(base);
  const tell = ({ connectionId }: Arrival) => {
    if (connectionId !== undefined) changed?.(connectionId);
  };

  return {
    admin: createTeamAdmin(base),
    sessions,
    /** The capability, for one caller and arrival. */
    lend(caller: Caller, arrival: Arrival): Team {
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
        ...bind(reads, (act) => (input) => membership.read<unknown>((tx, me) => act(tx, me, input))),
        ...bind(changes, (act) => (input) => membership.change<unknown>((tx, me) => act(tx, me, input))),
        ...bind(longer, (act) => (input, signal) => act(membership, input, signal)),
        ...createCoordination(base),
        ...createOverview(base),
      };
    },
  };
}

/** The acts of an agent: one snapshot, one transaction, or several and waits. */
const reads = { listTasks, conversationMessages, profile, project, history, subordinates, subordinate };
const changes = {
  updateTaskStatus,
  delegate,
  reportDelegation,
  releaseTask,
  requestTask,
  approveRequest,
  rejectRequest,
  createTask,
  createTasks,
  reportModel,
  notifications,
  startExecution,
  completeExecution,
  pendingMessages,
  respond,
  send,
  startConversation,
  endConversation,
  assignTask,
  selectAction,
};
const longer = { myTask, getTask, reportCompleted, taskConversations, claimTask, nextAction };

/** Each act gets its own input: `never` fits all of them. */
function bind<Acts extends object>(
  acts: Acts,
  how: (act: Acts[keyof Acts]) => (input: never, signal: AbortSignal) => unknown,
): Pick<Team, keyof Acts & keyof Team> {
  return Object.fromEntries(Object.entries(acts).map(([name, act]) => [name, how(act)])) as never;
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
