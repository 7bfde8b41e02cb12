import type { Ongoing } from '../call/ongoing.ts';
import type { PlanDependencies } from '../call/plans.ts';
import type { Arrival } from '../contract/call.ts';
import type { Caller } from '../contract/caller.ts';
import type { Capabilities, CapabilityName } from '../contract/capabilities/capabilities.ts';
import type { Tool } from '../contract/tool/tool.ts';
import type { ToolGuide } from '../contract/tool/tool-card.ts';
import { once } from '../ground/once.ts';
import type { Rooms } from './rooms.ts';
import type { TeamRoom } from './team.ts';

/** The caller and tool that get a capability. */
export interface Borrower {
  readonly caller: Caller;
  readonly tool: Tool;
  /** Undefined if only the risk of a call is determined. */
  readonly call?: { readonly arrival: Arrival } | undefined;
  /** The approver of the call, if a person was asked. */
  readonly approver?: string | undefined;
}

type Lenders = {
  readonly [N in CapabilityName]: (borrower: Borrower) => Promise<Capabilities[N]> | Capabilities[N];
};

/** Creates one capability, scoped to its borrower: read-only folders for tools that only read, memories of one user. */
export function createLender(
  rooms: Rooms,
  team: TeamRoom,
  ongoing: Ongoing,
  guide: () => Promise<ToolGuide>,
  planning: () => PlanDependencies,
) {
  const followed = once(async () => {
    const { asFollowing, asReadOnly } = await import('../files/workspace.ts');
    const folder = asFollowing((await rooms.workspace()).folder);
    return { folder, readOnly: asReadOnly(folder) };
  });
  const lenders: Lenders = {
    files: async ({ tool }) => {
      const { folder, readOnly } = await followed();
      return tool.annotations.readOnly ? readOnly : folder;
    },
    search: async ({ caller }) => (await rooms.search())(caller.sessionId),
    commands: async ({ caller }) => (await rooms.commands()).forSession(caller.sessionId),
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
