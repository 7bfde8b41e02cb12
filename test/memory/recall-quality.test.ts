import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { createPlainFinder, createSubstringFinder } from './baselines.ts';
import { asked, factsIn } from './question-set.ts';

// 334 questions over 1,000 memories. Both languages lie in one user's memories, as they would.
const facts = { en: factsIn('en'), ja: factsIn('ja') };
const contents = [...facts.en, ...facts.ja].map(({ content }) => content);
const folder = mkdtempSync(join(tmpdir(), 'sekisho-recall-'));
let store: Store;

beforeAll(async () => {
  store = await openStore({ url: `sqlite:${join(folder, 'records.db')}` });
  const memories = store.memoriesFor('user:ann');
  await Promise.all(contents.map((content) => memories.remember({ content, category: 'general', tags: [] })));
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(['en', 'ja'] as const)('questions in %s', (language) => {
  test('find their memory clearly more often than with plain FTS5 or a substring', async () => {
    const substring = createSubstringFinder(contents);
    const plain = createPlainFinder(contents);
    const placeOf = new Map(contents.map((content, at) => [content, at]));
    const ours = async (query: string, limit: number) =>
      (await store.memoriesFor('user:ann').recall({ query, limit })).map(
        ({ content }) => placeOf.get(content) ?? -1,
      );

    const quality = {
      substring: await measure(language, async (question, limit) => substring(question, limit)),
      plain: await measure(language, async (question, limit) => plain(question, limit)),
      ours: await measure(language, ours),
    };

    console.log(`${language} ${JSON.stringify(quality)}`);
    expect(quality.ours.questions).toBe(167);
    expect(quality.ours.recallAt5).toBeGreaterThan(quality.plain.recallAt5 + 0.05);
    expect(quality.ours.meanReciprocalRank).toBeGreaterThan(quality.plain.meanReciprocalRank + 0.05);
    expect(quality.ours.recallAt5).toBeGreaterThan(quality.substring.recallAt5 + 0.5);
    expect(quality.ours.recallAt5).toBeGreaterThan(0.9);
  });
});

async function measure(
  language: 'en' | 'ja',
  find: (question: string, limit: number) => Promise<readonly number[]>,
) {
  const questions = asked(facts[language]);
  let found = 0;
  let reciprocals = 0;
  for (const { content, question } of questions) {
    const rank = (await find(question, 5)).indexOf(contents.indexOf(content));
    if (rank < 0) continue;
    found += 1;
    reciprocals += 1 / (rank + 1);
  }
  const share = (sum: number) => Math.round((sum / questions.length) * 1000) / 1000;
  return { questions: questions.length, recallAt5: share(found), meanReciprocalRank: share(reciprocals) };
}
