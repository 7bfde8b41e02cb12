import type { RuleWarning } from '../../checkpoint/index.ts';
import { type Locale, text } from '../../contract/text/text.ts';
import { note } from '../common/say.ts';

/** Prints to stderr one line for each rule that covers less than its author may believe. */
export function noteRuleWarnings(warnings: readonly RuleWarning[], locale: Locale): void {
  for (const { rule, because } of warnings) {
    note(`${text('Warning', '警告')[locale]}: ${rule}: ${because[locale]}`);
  }
}
