import type { Caller } from '../../contract/caller.ts';
import type { PolicyVerdict, Risk } from '../../contract/policy.ts';
import type { Text } from '../../contract/text/text.ts';
import type { Tool } from '../../contract/tool/tool.ts';

/** Decides by policy; a call that would be tried first is decided again if no layer is available. */
export async function ruleOn(
  policy: Deciding,
  tool: Tool,
  caller: Caller,
  risk: Risk,
  whyNoLayer: () => Promise<Text | undefined>,
): Promise<PolicyVerdict> {
  const verdict = policy.decide(tool, caller, risk);
  const why = verdict.onLayer ? await whyNoLayer() : undefined;
  return why ? policy.decide(tool, caller, risk, why) : verdict;
}

interface Deciding {
  decide(tool: Tool, caller: Caller, risk: Risk, withoutLayer?: Text): PolicyVerdict;
}
