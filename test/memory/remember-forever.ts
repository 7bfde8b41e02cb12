import { openEmbedder } from '../../src/ask/model/embed.ts';
import { openStore } from '../../src/store/open-store.ts';

/** Remembers notes until it is killed, and says each once it is stored. */
const [, , url = '', stateFolder, server = ''] = process.argv;
const store = await openStore({
  url,
  stateFolder,
  embeddings: {
    model: 'fake',
    questionMs: 1000,
    embedder: async () => openEmbedder({ url: server, model: 'fake' }),
    pace: { pauseMs: 20, longestPauseMs: 100, idleMs: 50, attemptMs: 300 },
  },
});
for (let i = 0; ; i += 1) {
  await store.memoriesFor('user:ann').remember({ content: `note ${i}`, category: 'general', tags: [] });
  process.stdout.write(`${i}\n`);
}
