import type { ApproveDependencies } from '../call/approve.ts';
import type { Ongoing } from '../call/ongoing.ts';
import type { PlanDependencies } from '../call/plans.ts';
import type { Arrival } from '../contract/call.ts';
import type { Caller } from '../contract/caller.ts';
import type { Capabilities, CapabilityName } from '../contract/capabilities/capabilities.ts';
import type { RiskContext, Tool } from '../contract/tool/tool.ts';
import type { ToolGuide } from '../contract/tool/tool-card.ts';
import { once } from '../ground/waiting/once.ts';
import type { TeamRoom } from './fleet/team.ts';
import type { Rooms } from './rooms.ts';

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

type LendForRisk = ApproveDependencies['lendForRisk'];

/** Creates capabilities, scoped to their borrower: read-only folders for tools that only read, memories of one user. */
export function createLenders(
  rooms: Rooms,
  team: TeamRoom,
  ongoing: Ongoing,
  guide: () => Promise<ToolGuide>,
): Omit<Lenders, 'plans'> {
  const followed = once(async () => {
    const { asFollowing, asReadOnly } = await import('../files/workspace.ts');
    const folder = asFollowing((await rooms.workspace()).folder);
    return { folder, readOnly: asReadOnly(folder) };
  });
  return {
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
    guide: () => guide(),
  };
}

/** Lends plans, too. The calls of a plan are no plans themselves, so they are looked at without. */
export function withPlans(
  lenders: Omit<Lenders, 'plans'>,
  planning: Omit<PlanDependencies, 'lendForRisk'>,
): Lenders {
  const lendForRisk = lenderForRisk(lenders);
  return {
    ...lenders,
    async plans({ caller, approver }) {
      const { createPlans } = await import('../call/plans.ts');
      return createPlans({ caller, approver }, { ...planning, lendForRisk });
    },
  };
}

/** Lends what a tool uses to tell the risk of a call. */
export function lenderForRisk(lenders: Partial<Lenders>): LendForRisk {
  return async (tool, caller) => {
    const context: Record<string, unknown> = { caller };
    for (const name of tool.uses) context[name] = await lenders[name]?.({ tool, caller });
    return context as unknown as RiskContext<CapabilityName>;
  };
}
