import type { RuleLine } from '../../contract/policy.ts';
import { builtinRules } from './builtin.ts';

/** Lists the built-in rules for people, in `sekisho policy explain` and the console. */
export function listBuiltinRules(): readonly RuleLine[] {
  return builtinRules.map(({ id, decision, dialect, because, suggestion, examples }) => ({
    id,
    decision,
    because,
    suggestion,
    examples,
    ...(dialect && { from: dialect }),
  }));
}
