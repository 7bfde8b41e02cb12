import type { Engine } from '../engine.ts';
import { filterSql, type MemoryFilter } from '../memory/index.ts';
import { matching } from '../rows.ts';
import type { Space } from './code-cache.ts';
import type { CodeSet } from './code-set.ts';
import { codeOf, cosine } from './codes.ts';

/** A memory with a vector near the query's. */
export interface Near {
  readonly seq: number;
  /** The cosine of the two vectors. */
  readonly likeness: number;
  /** Whether it is nearer than the owner's memories are by chance. */
  readonly standsOut: boolean;
}

/**
 * The memories closest to a query in meaning, most similar first, in two stages: sign codes select some hundred, and
 * their vectors rank these. Memories forgotten or changed in between have no row any more.
 */
export async function nearestMemories(
  engine: Engine,
  set: CodeSet,
  space: Space,
  question: Float32Array,
  filter: MemoryFilter,
): Promise<readonly Near[]> {
  const condition = filterSql(filter, engine.positionFunction);
  const found = await set.nearest(codeOf(question), condition ? filteredLooked : looked);
  if (found.length === 0) return [];
  const { owner, model, dimensions } = space;
  const vectors = engine.db.selectFrom('memory_vectors');
  let query = matching(vectors.select(['memory_vectors.seq', 'memory_vectors.vector']), {
    'memory_vectors.owner': owner,
    model,
    dimensions,
    due_at_ms: null,
  });
  if (condition) {
    query = query
      .innerJoin('memories', 'memories.seq', 'memory_vectors.seq')
      .where(condition as never) as typeof query;
  }
  const rows = [];
  for (let from = 0; from < found.length && rows.length < looked; from += looked) {
    const page = found.slice(from, from + looked).map(({ seq }) => seq);
    // Always the same number of values, so that one statement is prepared.
    const seqs = Array.from({ length: looked }, (_, at) => page[at] ?? 0);
    rows.push(...(await query.where('memory_vectors.seq', 'in', seqs).execute()));
  }
  const standing = new Set(found.filter(({ standsOut }) => standsOut).map(({ seq }) => seq));
  return rows
    .flatMap(({ seq, vector }) =>
      vector ? [{ seq, likeness: cosine(question, vector), standsOut: standing.has(seq) }] : [],
    )
    .sort((one, other) => other.likeness - one.likeness || other.seq - one.seq)
    .slice(0, ranked);
}

const looked = 300;
/** More, because a filter drops some of them. */
const filteredLooked = 3000;
const ranked = 100;
