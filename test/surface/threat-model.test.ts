import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const rows = readFileSync('docs/threat-model.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('`src/'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, vector = '', , where = '', attack = '']) => ({
    vector,
    where: where.replaceAll('`', ''),
    attack: attack.replaceAll('`', ''),
  }));

test('the table is there', () => expect(rows.length).toBeGreaterThan(20));

test.each(rows)('$vector: the defence and its test exist', ({ where, attack }) => {
  expect(existsSync(where), where).toBe(true);
  expect(existsSync(attack), attack).toBe(true);
});

test('every file of attacks is named by a row', () => {
  const named = new Set(rows.map((row) => row.attack));
  const unnamed = globSync('test/attacks/*.test.ts').filter((file) => !named.has(file));
  expect(unnamed).toEqual([]);
});

test('the Japanese page names the same defences, tests and files', () => {
  const [english, japanese] = ['docs/threat-model.md', 'docs/threat-model.ja.md'].map((page) =>
    [...readFileSync(page, 'utf8').matchAll(/`[^`\n]+`/g)].map(([span]) => span).sort(),
  );
  expect(japanese).toEqual(english);
});
