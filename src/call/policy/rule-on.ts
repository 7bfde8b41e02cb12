import type { Caller } from '../../contract/caller.ts';
import type { PolicyVerdict, Risk } from '../../contract/policy.ts';
import { type Text, text } from '../../contract/text/text.ts';
import type { Tool } from '../../contract/tool/tool.ts';
import { outsideRule } from '../../ground/questions/rule-name.ts';

/** Decides by policy; a call that would be tried first is decided again if no layer is available. */
export async function ruleOn(
  policy: Deciding,
  tool: Tool,
  caller: Caller,
  risk: Risk,
  whyNoLayer: () => Promise<Text | undefined>,
): Promise<PolicyVerdict> {
  const verdict = policy.decide(tool, caller, risk);
  if (risk.outside) return verdict.decision === 'deny' ? verdict : asksOutside(verdict);
  const why = verdict.onLayer ? await whyNoLayer() : undefined;
  return why ? policy.decide(tool, caller, risk, why) : verdict;
}

/** Whatever rules and the mode allow inside, a person decides about a command outside, and about this one alone. */
function asksOutside({ decision, because }: PolicyVerdict): PolicyVerdict {
  const [en, ja] = decision === 'ask' ? [` ${because.en}`, because.ja] : ['', ''];
  return {
    decision: 'ask',
    rule: outsideRule,
    answer: 'person',
    because: text(
      `It runs outside the sandbox, as you, with all that you may do; what it changes outside the folders cannot be undone.${en}`,
      `サンドボックスの外で、あなたの権限で実行されます。フォルダーの外での変更は元に戻せません。${ja}`,
    ),
  };
}

interface Deciding {
  decide(tool: Tool, caller: Caller, risk: Risk, withoutLayer?: Text): PolicyVerdict;
}
