import { describe, expect, test } from 'vitest';
import { examineSafely, indexByProgram } from '../judge.ts';
import { builtinRules } from './builtin.ts';
import type { Rule } from './rule.ts';

describe.each(builtinRules)('rule $id', (rule) => {
  test('finds what its examples say and nothing in the others', () => {
    expect(rule.match.length).toBeGreaterThan(0);
    for (const example of rule.match) expect(finds(rule, example), example).toBe(true);
    for (const example of rule.notMatch) expect(finds(rule, example), example).toBe(false);
  });

  test('speaks both languages and has an id of its own', () => {
    expect(builtinRules.filter(({ id }) => id === rule.id)).toHaveLength(1);
    for (const words of [rule.because, rule.suggestion]) {
      expect(words.en).toMatch(/^[\x20-\x7e…]+$/);
      expect(words.ja).toMatch(/[ぁ-んァ-ン一-龠]/);
    }
  });
});

const index = indexByProgram(builtinRules.filter((rule) => 'fits' in rule));

function finds(rule: Rule, script: string): boolean {
  const { findings } = examineSafely(
    { kind: 'script', script, shell: 'bash' },
    {
      dialect: rule.dialect ?? 'plain',
      roots: ['/workspace'],
      workingFolder: '/workspace',
      confinement: rule.whenConfined ? { network: [] } : undefined,
    },
    index,
  );
  return findings.some((finding) => finding.rule === rule.id || finding.lack?.rule === rule.id);
}
