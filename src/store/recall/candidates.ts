import type { MemoryFilter, MemoryIndex, WeightedWord } from '../memory/index.ts';

export interface CountedWord extends WeightedWord {
  /** The number of memories that contain it; at least one. */
  readonly count: number;
}

/**
 * The first stage: memories worth ranking. Uses words from the rarest on within a budget of hits, so that the cost does
 * not grow with the store; more common words only count together.
 */
export async function fetchCandidates(
  index: MemoryIndex,
  owner: string,
  words: readonly CountedWord[],
  filter: MemoryFilter,
): Promise<readonly number[]> {
  const rarest = [...words].sort((one, other) => one.count - other.count).slice(0, wordsFetched);
  let hits = 0;
  const affordable = rarest.filter(({ count }) => {
    hits += count;
    return hits <= hitsRead;
  });
  const common = rarest.slice(affordable.length).map(({ word }) => word);

  const found = new Set(
    affordable.length > 0 ? await index.withAny(owner, affordable, filter, candidatesFetched) : [],
  );
  for (let together = Math.min(common.length, commonTogether); together > 0; together -= 1) {
    if (found.size >= candidatesFetched) break;
    const more = await index.withAll(
      owner,
      common.slice(0, together),
      filter,
      candidatesFetched - found.size,
    );
    for (const seq of more) found.add(seq);
  }
  return [...found];
}

const wordsFetched = 16;
const candidatesFetched = 200;
const hitsRead = 3000;
const commonTogether = 4;
