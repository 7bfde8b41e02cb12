import type { Caller } from '../../contract/caller.ts';
import type { PolicyVerdict, Risk } from '../../contract/policy.ts';
import type { Text } from '../../contract/text/text.ts';
import type { Tool } from '../../contract/tool/tool.ts';

/** Policy's word here: what it would have tried first is decided again where no layer can be had. */
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
