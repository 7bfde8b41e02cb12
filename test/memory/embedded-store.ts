import { openEmbedder } from '../../src/ask/model/embed.ts';
import type { EmbeddingOptions } from '../../src/store/embeddings/meaning.ts';
import type { Store } from '../../src/store/open-store.ts';

/** How a store is told to embed at a test's server, quicker than usual. */
export function embeddingsAt(url: string, more: Partial<EmbeddingOptions> & { key?: string } = {}) {
  const { key, model = 'fake', ...options } = more;
  return {
    model,
    questionMs: 10_000,
    embedder: async () => openEmbedder({ url, model, key }),
    pace: { pauseMs: 20, longestPauseMs: 100, idleMs: 50, attemptMs: 10_000 },
    ...options,
  } satisfies EmbeddingOptions;
}

/** Until nothing waits for a vector. */
export async function allEmbedded(store: Store): Promise<void> {
  const meaning = await store.meaning?.();
  if (!meaning) throw new Error('this store does not embed');
  while ((await meaning.backlog()).waiting > 0) await new Promise((resolve) => setTimeout(resolve, 10));
}
