import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checklist } from '../../scripts/documents/pages.ts';

describe.each(checklist)('document $id', ({ points }) => {
  test('each point is done in a file that is there, and shown by a test that is there', () => {
    expect(points.length).toBeGreaterThan(20);
    const wrong = points.filter(
      ({ code, test: file, title }) =>
        !existsSync(code) || !existsSync(file) || !readFileSync(file, 'utf8').includes(title),
    );
    expect(wrong.map(({ en, code, test: file, title }) => ({ en, code, file, title }))).toEqual([]);
  });

  test('each point stands once', () => {
    for (const language of ['en', 'ja'] as const) {
      const said = points.map((point) => point[language]);
      expect(said.filter((words, at) => said.indexOf(words) !== at)).toEqual([]);
    }
  });
});
