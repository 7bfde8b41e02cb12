import type { RuleWarning } from '../../checkpoint/index.ts';
import { type Locale, text } from '../../contract/text/text.ts';
import { note } from '../common/say.ts';

/** Beside the output, a line for each rule that does less than its writer may believe. */
export function noteRuleWarnings(warnings: readonly RuleWarning[], locale: Locale): void {
  for (const { rule, because } of warnings) {
    note(`${text('Warning', '警告')[locale]}: ${rule}: ${because[locale]}`);
  }
}
