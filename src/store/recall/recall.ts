import type { RecalledMemory, RecallQuery } from '../../contract/capabilities/memory.ts';
import type { Meaning } from '../embeddings/meaning.ts';
import type { Engine } from '../engine.ts';
import { filterSql, type MemoryFilter } from '../memory/index.ts';
import { memoryOf } from '../memory/row.ts';
import { findRow, selectRows } from '../rows.ts';
import { fetchCandidates } from './candidates.ts';
import { fold } from './fold.ts';
import { joinRankings, type Placed } from './join.ts';
import { type Ranked, rank, weigh } from './rank.ts';
import { wordsOfQuestion } from './terms.ts';

/**
 * Finds memories for an owner's query, in two stages: the index returns some hundred candidates by the rarest words,
 * and BM25 over all words of the query ranks them. If memories are embedded, meaning affects the order if it is known
 * in time. An empty query returns the newest.
 */
export async function recallMemories(
  engine: Engine,
  owner: string,
  { query, limit, ...bounds }: RecallQuery,
  meaning?: Meaning | undefined,
): Promise<readonly RecalledMemory[]> {
  const filter: MemoryFilter = {
    category: bounds.category === undefined ? undefined : fold(bounds.category),
    tags: bounds.tags?.map(fold) ?? [],
    sinceMs: bounds.sinceMs,
    untilMs: bounds.untilMs,
  };
  const words = wordsOfQuestion(query);
  if (words.length === 0) {
    let newest = selectRows(engine.db, 'memories', { owner });
    const conditions = filterSql(filter, engine.positionFunction);
    if (conditions) newest = newest.where(conditions);
    // A query of signs alone, such as an arrow or an emoji, is no word of the index: its text must be there.
    const signs = query.trim();
    if (signs !== '')
      newest = newest.where(({ eb, fn, val }) =>
        eb(fn<number>(engine.positionFunction, ['content', val(signs)]), '>', 0),
      );
    const rows = await newest.orderBy('seq', 'desc').limit(limit).execute();
    return rows.map((row) => ({ ...memoryOf(row), score: 0, lowConfidence: false }));
  }
  // The embedding server works while words are looked up here.
  const near = meaning?.near(engine, owner, query, filter);
  const byWords = await rankFor(engine, owner, words, filter);
  const joined = joinRankings(byWords, (await near) ?? []);
  return load(engine, owner, joined.slice(0, limit));
}

async function rankFor(
  { db, memoryIndex, anyOf }: Engine,
  owner: string,
  words: readonly string[],
  filter: MemoryFilter,
): Promise<readonly Ranked[]> {
  const totals = await findRow(db, 'memory_owners', { owner });
  if (!totals || totals.memories === 0) return [];
  const counts = await memoryIndex.frequencies(owner, words);
  const asked = new Map(words.map((word) => [word, weigh(counts.get(word) ?? 0, totals.memories)]));
  const known = [...counts].map(([word, count]) => ({ word, count, weight: asked.get(word)?.weight ?? 0 }));
  const seqs = await fetchCandidates(memoryIndex, owner, known, filter);
  const candidates = await db
    .selectFrom('memories')
    .select(['seq', 'words'])
    .where('owner', '=', owner)
    .where('seq', 'in', anyOf(seqs))
    .execute();
  return rank(candidates, asked, totals.words / totals.memories);
}

async function load(
  { db }: Engine,
  owner: string,
  ranked: readonly Placed[],
): Promise<readonly RecalledMemory[]> {
  if (ranked.length === 0) return [];
  const seqs = ranked.map(({ seq }) => seq);
  const rows = await selectRows(db, 'memories', { owner, seq: seqs }).execute();
  const bySeq = new Map(rows.map((row) => [row.seq, row]));
  return ranked.flatMap(({ seq, score, lowConfidence }) => {
    const row = bySeq.get(seq);
    // Forgotten since it was ranked.
    if (!row) return [];
    return [{ ...memoryOf(row), score: Math.round(score * 1000) / 1000, lowConfidence }];
  });
}
