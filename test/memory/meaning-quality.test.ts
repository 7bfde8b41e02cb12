import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { conceptVector, paraphrases } from './concept-model.ts';
import { asked, factsIn } from './question-set.ts';

// The 334 questions of the other test, and 24 whose words are not those of their memory, over 1,024 memories.
const languages = ['en', 'ja'] as const;
const facts = { en: factsIn('en'), ja: factsIn('ja') };
const contents = languages.flatMap((language) =>
  [...facts[language], ...paraphrases[language]].map(({ content }) => content),
);
const folder = mkdtempSync(join(tmpdir(), 'sekisho-meaning-'));
const url = `sqlite:${join(folder, 'records.db')}`;
let joined: Store;
let plain: Store;

beforeAll(async () => {
  const embed = async (texts: readonly string[]) => texts.map((text) => unit(conceptVector(text)));
  joined = await openStore({
    url,
    embeddings: { model: 'concepts', questionMs: 60_000, embedder: async () => ({ embed }) },
  });
  plain = await openStore({ url });
  const memories = joined.memoriesFor('user:ann');
  await Promise.all(contents.map((content) => memories.remember({ content, category: 'general', tags: [] })));
  const meaning = await joined.meaning?.();
  for (let left = 1; left > 0; left = (await meaning?.backlog())?.waiting ?? 0) {
    await meaning?.drain({ signal: new AbortController().signal, progress() {} });
  }
});
afterAll(async () => {
  await joined.close();
  await plain.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(languages)('questions in %s', (language) => {
  test('worded differently find their memory, and those that words find still do', async () => {
    const usual = asked(facts[language]);
    const quality = {
      words: { usual: await measure(plain, usual), other: await measure(plain, paraphrases[language]) },
      joined: { usual: await measure(joined, usual), other: await measure(joined, paraphrases[language]) },
    };

    console.log(`${language} ${JSON.stringify(quality)}`);
    expect(quality.joined.usual.recallAt5).toBeGreaterThanOrEqual(quality.words.usual.recallAt5);
    expect(quality.joined.usual.meanReciprocalRank).toBeGreaterThan(
      quality.words.usual.meanReciprocalRank - 0.01,
    );
    expect(quality.joined.other.recallAt5).toBeGreaterThan(quality.words.other.recallAt5 + 0.5);
  });
});

async function measure(store: Store, questions: readonly { content: string; question: string }[]) {
  let found = 0;
  let reciprocals = 0;
  for (const { content, question } of questions) {
    const hits = await store.memoriesFor('user:ann').recall({ query: question, limit: 5 });
    const rank = hits.findIndex((hit) => hit.content === content);
    if (rank < 0) continue;
    found += 1;
    reciprocals += 1 / (rank + 1);
  }
  const share = (sum: number) => Math.round((sum / questions.length) * 1000) / 1000;
  return { questions: questions.length, recallAt5: share(found), meanReciprocalRank: share(reciprocals) };
}

function unit(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector);
  return Float32Array.from(vector, (value) => value / length);
}
