import type { JudgeContext } from '../../../contract/capabilities/judgement.ts';
import { ConfigError } from '../../../contract/error.ts';
import { text } from '../../../contract/text/text.ts';
import { examineSafely, indexByProgram } from '../judge.ts';
import type { CommandRule, Rule } from './rule.ts';

/** Tries each rule on its own examples. Throws a `ConfigError` naming the rule and the example that it fails. */
export function checkRules(rules: readonly Rule[]): void {
  const index = indexByProgram(rules.filter((rule): rule is CommandRule => 'fits' in rule));
  for (const rule of rules) {
    if (rule.match.length === 0)
      throw new ConfigError(
        text(
          `rule ${rule.id} has no example that it matches`,
          `規則 ${rule.id} に当てはまる例がありません。`,
        ),
      );
    for (const example of rule.match) {
      if (!finds(rule, example))
        throw new ConfigError(
          text(
            `rule ${rule.id} must match ${JSON.stringify(example)}, but does not`,
            `規則 ${rule.id} は ${JSON.stringify(example)} に当てはまるはずですが、当てはまりません。`,
          ),
        );
    }
    for (const example of rule.notMatch) {
      if (finds(rule, example))
        throw new ConfigError(
          text(
            `rule ${rule.id} must not match ${JSON.stringify(example)}, but does`,
            `規則 ${rule.id} は ${JSON.stringify(example)} に当てはまらないはずですが、当てはまります。`,
          ),
        );
    }
  }

  function finds(rule: Rule, script: string): boolean {
    const context: JudgeContext = {
      dialect: rule.dialect ?? 'plain',
      roots: ['/workspace'],
      workingFolder: '/workspace',
      walls: rule.inWalls ? { network: [] } : undefined,
    };
    const { findings } = examineSafely({ kind: 'script', script, shell: 'bash' }, context, index);
    return findings.some((finding) => finding.rule === rule.id || finding.lack?.rule === rule.id);
  }
}
