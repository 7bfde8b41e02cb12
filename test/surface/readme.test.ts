import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program/program.ts';
import { profiles } from '../../src/config/profiles.ts';
import { toolsetNames } from '../../src/config/toolset-names.ts';

const english = readFileSync('README.md', 'utf8');
const japanese = readFileSync('README.ja.md', 'utf8');

function linksOf(words: string): string[] {
  return [...words.matchAll(/\]\(([^)#]+)\)/g)]
    .map(([, target = '']) => target.replace(/\.ja\.md$/, '.md'))
    .filter((link) => !/README/.test(link));
}

function count(words: string, pattern: RegExp): number {
  return [...words.matchAll(pattern)].length;
}

test('both languages say the same: sections, rows, links and samples of code', () => {
  expect(count(japanese, /^## /gm)).toBe(count(english, /^## /gm));
  expect(count(japanese, /^\| /gm)).toBe(count(english, /^\| /gm));
  expect(count(japanese, /^```/gm)).toBe(count(english, /^```/gm));
  expect(linksOf(japanese).sort()).toEqual(linksOf(english).sort());
});

describe.each([
  ['README.md', english],
  ['README.ja.md', japanese],
])('%s', (_, words) => {
  test('leads to pages that exist', () => {
    const missing = linksOf(words).filter((link) => !/^https?:/.test(link) && !existsSync(link));
    expect(missing).toEqual([]);
  });

  test('has a line for each profile and toolset', () => {
    for (const name of [...Object.keys(profiles), ...toolsetNames]) {
      expect(words).toMatch(new RegExp(`^\\| \`${name}\``, 'm'));
    }
  });

  test('names commands that exist', () => {
    const known = createProgram(() => {}).commands.map((command) => command.name());
    const named = [...words.matchAll(/(?:`|npx )sekisho ([a-z]+)/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(5);
    expect(known).toEqual(expect.arrayContaining(named));
  });
});
