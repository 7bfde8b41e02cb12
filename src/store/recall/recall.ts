import type { RecalledMemory, RecallQuery } from '../../contract/capabilities/memory.ts';
import type { Meaning } from '../embeddings/meaning.ts';
import type { Near } from '../embeddings/nearest.ts';
import type { Engine } from '../engine.ts';
import { filterSql, type MemoryFilter, type MemoryIndex, type WeightedWord } from '../memory/index.ts';
import { memoryOf } from '../memory/row.ts';
import { findRow, selectRows } from '../rows.ts';
import { fold } from './fold.ts';
import { confidentCoverage, type Ranked, rank, weigh } from './rank.ts';
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

interface CountedWord extends WeightedWord {
  /** The number of memories that contain it; at least one. */
  readonly count: number;
}

/**
 * The first stage: memories worth ranking. Uses words from the rarest on within a budget of hits, so that the cost does
 * not grow with the store; more common words only count together.
 */
async function fetchCandidates(
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

/** A memory with its score in the result. */
interface Placed {
  readonly seq: number;
  readonly score: number;
  readonly lowConfidence: boolean;
}

/** The ranking by words alone. */
function placed({ seq, score, coverage }: Ranked): Placed {
  return { seq, score, lowConfidence: coverage < confidentCoverage };
}

/**
 * Joins the rankings by words and by meaning, by reciprocal rank. Meaning weighs as much as words leave unanswered: if
 * a memory contains the whole query, only words decide; if none contains any of it, only meaning. A memory that only
 * the vectors found must stand out among all, and is marked as uncertain. The score is relative to a memory that is
 * first in both rankings.
 */
function joinRankings(byWords: readonly Ranked[], byMeaning: readonly Near[]): readonly Placed[] {
  if (byMeaning.length === 0) return byWords.map(placed);
  const unanswered = 1 - byWords.reduce((most, { coverage }) => Math.max(most, coverage), 0);
  const joined = new Map<number, Placed>();
  for (const [rank, hit] of byWords.entries()) {
    const weight = hit.coverage < confidentCoverage ? uncertainWeight : 1;
    joined.set(hit.seq, { ...placed(hit), score: weight * reciprocal(rank) });
  }
  for (const [rank, { seq, standsOut }] of byMeaning.entries()) {
    const known = joined.get(seq);
    if (!known && !standsOut) continue;
    joined.set(seq, {
      seq,
      score: (known?.score ?? 0) + unanswered * reciprocal(rank),
      lowConfidence: known?.lowConfidence ?? true,
    });
  }
  return [...joined.values()].sort((one, other) => other.score - one.score || other.seq - one.seq);
}

/** Each ranking contributes at most a half. */
function reciprocal(rank: number): number {
  return (0.5 * (1 + flatness)) / (1 + rank + flatness);
}

/**
 * How little the rank within a ranking matters. With the usual 60, ten middling agreements outweigh a correct first
 * place; 2 was best for both languages on the test questions.
 */
const flatness = 2;
const uncertainWeight = 0.25;
