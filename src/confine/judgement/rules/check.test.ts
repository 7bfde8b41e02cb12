import { expect, test } from 'vitest';
import { builtinRules } from './builtin.ts';
import { checkRules } from './check.ts';

test('every built-in rule finds what its examples say and nothing in the others', () => {
  expect(() => checkRules(builtinRules)).not.toThrow();
});

test.each(builtinRules)('rule $id speaks both languages and has an id of its own', (rule) => {
  expect(builtinRules.filter(({ id }) => id === rule.id)).toHaveLength(1);
  for (const words of [rule.because, rule.suggestion]) {
    expect(words.en).toMatch(/^[\x20-\x7e…]+$/);
    expect(words.ja).toMatch(/[ぁ-んァ-ン一-龠]/);
  }
});

test('a rule that misses its own example is named, with the example', () => {
  const [rule] = builtinRules.filter(({ id }) => id === 'machine-stop');
  if (!rule) throw new Error('no such rule');
  expect(() => checkRules([{ ...rule, match: ['ls'] }])).toThrow(
    'rule machine-stop must match "ls", but does not',
  );
  expect(() => checkRules([{ ...rule, notMatch: ['reboot'] }])).toThrow(
    'rule machine-stop must not match "reboot", but does',
  );
});
