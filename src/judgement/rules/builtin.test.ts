import { describe, expect, test } from 'vitest';
import { findingsIn } from '../judge.ts';
import { readLine } from '../reader/reader.ts';
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

test('there are few enough to know them all', () => {
  expect(builtinRules.length).toBeLessThanOrEqual(30);
});

function finds(rule: Rule, script: string): boolean {
  const context = {
    dialect: rule.dialect ?? 'plain',
    roots: ['/workspace'],
    workingFolder: '/workspace',
  } as const;
  return findingsIn(readLine({ kind: 'script', script, shell: 'bash' }), context).some(
    (finding) => finding.rule === rule,
  );
}
