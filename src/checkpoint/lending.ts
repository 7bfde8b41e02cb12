import type { Ongoing } from '../call/ongoing.ts';
import type { PlanDependencies } from '../call/plans.ts';
import type { Arrival } from '../contract/call.ts';
import type { Caller } from '../contract/caller.ts';
import type { Capabilities, CapabilityName } from '../contract/capabilities/capabilities.ts';
import type { Tool } from '../contract/tool/tool.ts';
import type { ToolGuide } from '../contract/tool/tool-card.ts';
import { once } from '../ground/once.ts';
import { createCommandWatch } from './history.ts';
import type { Rooms } from './rooms.ts';
import type { TeamRoom } from './team.ts';

/** Who borrows, for which tool. */
export interface Borrower {
  readonly caller: Caller;
  readonly tool: Tool;
  /** Absent where only the risk of a call is looked at. */
  readonly call?: { readonly arrival: Arrival } | undefined;
  /** Who agreed to the call, where somebody was asked. */
  readonly approver?: string | undefined;
}

type Lenders = {
  readonly [N in CapabilityName]: (borrower: Borrower) => Promise<Capabilities[N]> | Capabilities[N];
};

/** Hands out one capability, scoped to its borrower: read-only folders to tools that only read, one's own memory. */
export function createLender(
  rooms: Rooms,
  team: TeamRoom,
  ongoing: Ongoing,
  guide: () => Promise<ToolGuide>,
  planning: () => PlanDependencies,
) {
  const followed = once(async () => {
    const { asFollowing, asReadOnly } = await import('../confine/files/workspace.ts');
    const folder = asFollowing((await rooms.workspace()).folder);
    return { folder, readOnly: asReadOnly(folder) };
  });
  const watched = createCommandWatch(rooms);
  const lenders: Lenders = {
    files: async ({ tool }) => {
      const { folder, readOnly } = await followed();
      return tool.annotations.readOnly ? readOnly : folder;
    },
    search: async ({ caller }) => (await rooms.search())(caller.sessionId),
    commands: async ({ caller }) => watched((await rooms.commands()).forSession(caller.sessionId)),
    judge: () => rooms.judge(),
    desk: async ({ caller }) => (await rooms.desks())(caller),
    web: () => rooms.web(),
    memory: async ({ caller }) => (await rooms.store()).memoriesFor(caller.principal),
    vault: () => rooms.vault(),
    pipelines: async ({ caller }) => (await rooms.pipelines()).forSession(caller.sessionId),
    team: ({ caller, call }) => team.lend(caller, call?.arrival ?? { transport: 'cli' }),
    ongoing: ({ caller }) => ongoing.forSession(caller.sessionId),
    plans: async ({ caller, approver }) => {
      const { createPlans } = await import('../call/plans.ts');
      return createPlans({ caller, approver }, planning());
    },
    guide: () => guide(),
  };
  return async function lend<N extends CapabilityName>(
    name: N,
    borrower: Borrower,
  ): Promise<Capabilities[N]> {
    return lenders[name](borrower);
  };
}
