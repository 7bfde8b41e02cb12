import type { Near } from '../embeddings/nearest.ts';
import { confidentCoverage, type Ranked } from './rank.ts';

/** A memory with its score in the result. */
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
 * Joins the rankings by words and by meaning, by reciprocal rank. Meaning weighs as much as words leave unanswered: if
 * a memory contains the whole query, only words decide; if none contains any of it, only meaning. A memory that only
 * the vectors found must stand out among all, and is marked as uncertain. The score is relative to a memory that is
 * first in both rankings.
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
