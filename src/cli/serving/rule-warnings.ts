import type { RuleWarning } from '../../checkpoint/index.ts';
import type { Locale } from '../../contract/text/text.ts';
import { note } from '../common/say.ts';

/** Beside the output, a line for each rule that does less than its writer may believe. */
export function noteRuleWarnings(warnings: readonly RuleWarning[], locale: Locale): void {
  const word = locale === 'ja' ? '警告' : 'Warning';
  for (const { rule, because } of warnings) note(`${word}: ${rule}: ${because[locale]}`);
}
