import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { findingsIn } from '../judge.ts';
import { readLine } from '../reader/reader.ts';
import { builtinRules } from './builtin.ts';
import type { Rule } from './rule.ts';

/** By rule, with `⏎` for a new line: lines that it finds (`+`), and lines that it must not find (`-`). */
const lines = readFileSync(new URL('../../../test/judgement/rules.txt', import.meta.url), 'utf8');
/** Those too deep or too long to be read. */
const unreadable = [
  `${'if ls; then '.repeat(100)}ls${'; fi'.repeat(100)}`,
  `echo $((${'1+'.repeat(9000)}1))`,
];

function linesOf(id: string, sign: '+' | '-'): readonly string[] {
  const [, section = ''] = lines.split(`# ${id}\n`);
  const own = section.split(/^# /m)[0] ?? '';
  return own
    .split('\n')
    .flatMap((line) => (line.startsWith(`${sign} `) ? [line.slice(2).replaceAll('⏎', '\n')] : []));
}

describe.each(builtinRules)('rule $id', (rule) => {
  test('finds what its lines say and nothing in the others', () => {
    const found = linesOf(rule.id, '+');
    expect(found).toEqual(expect.arrayContaining([...rule.examples]));
    expect(rule.examples.length).toBeGreaterThan(0);
    for (const line of found) expect(finds(rule, line), line).toBe(true);
    for (const line of linesOf(rule.id, '-')) expect(finds(rule, line), line).toBe(false);
  });

  test('speaks both languages and has an id of its own', () => {
    expect(builtinRules.filter(({ id }) => id === rule.id)).toHaveLength(1);
    for (const words of [rule.because, rule.suggestion]) {
      expect(words.en).toMatch(/^[\x20-\x7e…]+$/);
      expect(words.ja).toMatch(/[ぁ-んァ-ン一-龠]/);
    }
  });
});

test.each(unreadable)('what is too deep or too long is not read: %.40s', (line) => {
  const [rule] = builtinRules.filter(({ id }) => id === 'not-read');
  expect(rule && finds(rule, line)).toBe(true);
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
