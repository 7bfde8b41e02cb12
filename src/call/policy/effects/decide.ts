import type { EffectRule, EffectRules, EffectVerdict } from '../../../contract/effects.ts';
import type { Mode } from '../../../contract/policy.ts';
import { text } from '../../../contract/text/text.ts';
import { createObeyedAnywhere } from '../../../ground/obeyed/obeyed-by.ts';
import { modes } from '../modes.ts';
import { createBuiltinEffectRules } from './builtin.ts';
import { factsOf } from './facts.ts';
import { isAboutRequests, readRequestRule } from './request-rule.ts';
import { type ReadyRule, readEffectRule } from './rule.ts';

/**
 * Decides about the effects of a command: by the strictest of the operator's rules that fit, else by the built-in ones,
 * whose questions an operator's allow answers, as does a mode that does not ask, except for commands that are tried.
 * Throws a `ConfigError` for an invalid rule.
 */
export function createEffectRules(rules: readonly EffectRule[], mode: Mode): EffectRules {
  const ready = rules.flatMap((rule, place) => (isAboutRequests(rule) ? [] : readEffectRule(rule, place)));
  const ofRequests = rules.flatMap((rule, place) =>
    isAboutRequests(rule) ? readRequestRule(rule, place) : [],
  );
  const obeyedBy = createObeyedAnywhere();
  const builtin = createBuiltinEffectRules(obeyedBy);
  return {
    readChanges: ready.length > 0,
    isObeyed: (path) => obeyedBy(path) !== undefined,
    decide(effects, isTried) {
      const facts = factsOf(effects);
      const found = strictest(ready, facts);
      if (found) return found;
      for (const { id, ofTried, finds } of builtin) {
        const isHeld = isTried || (!ofTried && modes[mode].asks);
        const because = isHeld ? finds(facts) : undefined;
        if (because) return { decision: 'ask', rule: id, because };
      }
      return nothingAgainst;
    },
    decideRequest: (request) => strictest(ofRequests, request),
  };
}

function strictest<Facts>(rules: readonly ReadyRule<Facts>[], facts: Facts): EffectVerdict | undefined {
  for (const decision of ['deny', 'ask', 'allow'] as const) {
    const fitting = rules.flatMap((rule) => {
      const because = rule.decision === decision ? rule.finds(facts) : undefined;
      return because ? [{ ...rule, because }] : [];
    });
    // A question that only a person may answer outranks an ordinary question.
    const found = fitting.find(({ answer }) => answer) ?? fitting[0];
    if (found) {
      const { id, answer, writtenAt, because } = found;
      return { decision, rule: id, because, ...(answer && { answer }), writtenAt };
    }
  }
  return undefined;
}

const nothingAgainst: EffectVerdict = {
  decision: 'allow',
  rule: 'default',
  because: text('no rule applies to it', '該当するルールがありません'),
};
