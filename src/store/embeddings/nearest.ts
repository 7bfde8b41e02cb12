import type { Engine } from '../engine.ts';
import { filterSql } from '../memory/filter.ts';
import type { MemoryFilter } from '../memory/index.ts';
import type { Space } from './code-cache.ts';
import type { CodeSet } from './code-set.ts';
import { codeOf, cosine } from './codes.ts';

/** A memory whose vector lies near the question's. */
export interface Near {
  readonly seq: number;
  /** The cosine of the two. */
  readonly likeness: number;
  /** Is it nearer than an owner's memories are by chance? */
  readonly standsOut: boolean;
}

/**
 * The memories that mean about what was asked, the most alike first, in two stages: codes of signs find some hundred
 * among all, and the vectors themselves rank these. What was forgotten or changed meanwhile has no row any more.
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
  let query = engine.db
    .selectFrom('memory_vectors')
    .select(['memory_vectors.seq', 'memory_vectors.vector'])
    .where('memory_vectors.owner', '=', space.owner)
    .where('model', '=', space.model)
    .where('dimensions', '=', space.dimensions)
    .where('due_at_ms', 'is', null);
  if (condition) {
    query = query
      .innerJoin('memories', 'memories.seq', 'memory_vectors.seq')
      .where(condition as never) as typeof query;
  }
  const rows = [];
  for (let from = 0; from < found.length && rows.length < looked; from += looked) {
    const page = found.slice(from, from + looked).map(({ seq }) => seq);
    // As many each time: one statement to prepare.
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
/** A filter leaves out some of what the codes find. */
const filteredLooked = 3000;
const ranked = 100;
