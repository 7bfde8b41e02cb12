import type { RuleWarning } from '../../checkpoint/index.ts';
import { type Locale, text } from '../../contract/text/text.ts';

/** One line for each rule that covers less than its author may believe. */
export function ruleWarningLines(warnings: readonly RuleWarning[], locale: Locale): readonly string[] {
  return warnings.map(
    ({ rule, because }) => `${text('Warning', '警告')[locale]}: ${rule}: ${because[locale]}`,
  );
}
