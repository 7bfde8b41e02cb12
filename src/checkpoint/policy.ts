import { createCatalog } from '../call/catalog.ts';
import { decide } from '../call/decide.ts';
import { createPolicy } from '../call/policy/policy.ts';
import { explainPolicy, type PolicyExplanation, type PolicyTrial, testPolicy } from '../call/policy/trial.ts';
import type { Settings } from '../config/load.ts';
import { listBuiltinRules } from '../confine/judgement/rules/lines.ts';
import type { Caller } from '../contract/caller.ts';
import type { CapabilityName } from '../contract/capabilities.ts';
import type { RiskContext } from '../contract/tool.ts';
import { createLender } from './lending.ts';
import type { Rooms } from './rooms.ts';
import type { TeamRoom } from './team.ts';
import { loadTools } from './toolsets.ts';

export { renderExplanation, renderTrial } from '../call/policy/trial.ts';

/** The rules in force. */
export function explainRules({ mode, rules }: Settings): PolicyExplanation {
  return explainPolicy({ mode, rules, builtin: listBuiltinRules() });
}

/** Says what would happen to a call of the local person, given as JSON; nothing is run or recorded. */
export async function tryCall(json: string, rooms: Rooms, team: TeamRoom): Promise<PolicyTrial> {
  const { settings } = rooms;
  // Servers are not started for it: what is known of their tools is enough.
  const remote = settings.servers.length > 0 ? (await rooms.upstreams()).tools() : [];
  const catalog = createCatalog([...(await loadTools(settings)), ...remote], settings.mode);
  const lend = createLender(rooms, team, async () => catalog);
  const caller: Caller = { kind: 'local', principal: 'local', sessionId: 'policy-test', remote: false };
  const policy = createPolicy({
    mode: settings.mode,
    rules: settings.rules,
    judge: await rooms.judge(),
    roots: settings.roots.map((root) => root.path),
  });
  return testPolicy(json, {
    find: (name) => catalog.find(name),
    caller,
    refusal: (tool) => {
      const decision = decide(tool, caller, settings.mode);
      return decision.allowed ? undefined : decision.message;
    },
    risk: async (tool, input) => {
      if (!tool.risk) return {};
      const context: Record<string, unknown> = { caller };
      for (const name of tool.uses) context[name] = await lend(name, { tool, caller });
      return tool.risk(input, context as unknown as RiskContext<CapabilityName>);
    },
    policy,
  });
}
