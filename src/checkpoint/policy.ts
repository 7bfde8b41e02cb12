import type { Policy } from '../call/approve.ts';
import type { Catalog } from '../call/catalog.ts';
import { decide } from '../call/decide.ts';
import { createEffectRules } from '../call/policy/effects/decide.ts';
import { testEffects } from '../call/policy/effects/preview.ts';
import {
  explainPolicy,
  type PolicyExplanation,
  type PolicyPreview,
  testPolicy,
} from '../call/policy/policy-preview.ts';
import { type RuleWarning, warningsOf } from '../call/policy/warnings.ts';
import { namedHosts } from '../config/network-sets.ts';
import type { Settings } from '../config/settings.ts';
import type { Caller } from '../contract/caller.ts';
import type { CapabilityName } from '../contract/capabilities/capabilities.ts';
import type { EffectVerdict } from '../contract/effects.ts';
import type { Text } from '../contract/text/text.ts';
import type { RiskContext, Tool } from '../contract/tool/tool.ts';
import { listBuiltinRules } from '../judgement/rules/builtin.ts';
import { toolsetThat } from './toolsets.ts';

export type { RuleWarning } from '../call/policy/warnings.ts';

/** Tests and explains the rules for those who manage them. */
export type PolicyInspector = ReturnType<typeof createPolicyInspector>;

/** Uses the same catalog, policy and person as calls, so that a preview and a call cannot disagree. */
export function createPolicyInspector(parts: {
  readonly settings: Settings;
  readonly caller: Caller;
  readonly catalog: () => Promise<Catalog>;
  readonly policy: () => Promise<Policy>;
  readonly lendForRisk: (tool: Tool, caller: Caller) => Promise<RiskContext<CapabilityName>>;
  readonly whyNoLayer: () => Promise<Text | undefined>;
}) {
  const { settings, caller } = parts;
  return {
    /** The rules in force. */
    explain: (): PolicyExplanation =>
      explainPolicy({
        ...settings,
        judgement: settings.process.judgement,
        builtin: listBuiltinRules(),
        network: namedHosts(settings.process.networkAsNamed, 'process.network'),
      }),
    /** Predicts the outcome of a call of the local person, given as JSON; runs and records nothing. */
    async test(json: string): Promise<PolicyPreview> {
      const catalog = await parts.catalog();
      return testPolicy(json, {
        find: (name) => catalog.find(name),
        caller,
        refusal: (tool) => {
          const decision = decide(tool, caller, settings.mode);
          return decision.allowed ? undefined : decision.message;
        },
        risk: async (tool, input) =>
          tool.risk ? tool.risk(input, await parts.lendForRisk(tool, caller)) : {},
        policy: await parts.policy(),
        whyNoLayer: parts.whyNoLayer,
      });
    },
    /** The verdict on effects given as JSON. */
    testEffects: (json: string): EffectVerdict =>
      testEffects(json, createEffectRules(settings.effectRules, settings.mode)),
    /** Rules that do less than their author may believe. */
    async warnings(): Promise<readonly RuleWarning[]> {
      if (!settings.rules.some(({ tool }) => tool !== undefined)) return [];
      const catalog = await parts.catalog();
      return warningsOf(settings.rules, {
        served: catalog.tools,
        servers: settings.servers.map(({ name }) => name),
        toolsetOf: (fits) => toolsetThat(fits, settings),
      });
    },
  };
}
