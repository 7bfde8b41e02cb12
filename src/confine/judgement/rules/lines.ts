import type { RuleLine } from '../../../contract/policy.ts';
import { builtinRules } from './builtin.ts';

/** The built-in rules as a person reads them, for `sekisho policy explain` and the console. */
export function listBuiltinRules(): readonly RuleLine[] {
  return builtinRules.map(({ id, decision, dialect, because, suggestion, match }) => ({
    id,
    decision,
    because,
    suggestion,
    examples: match.filter((example) => example.length <= 80 && !example.includes('\n')).slice(0, 3),
    ...(dialect && { from: dialect }),
  }));
}
