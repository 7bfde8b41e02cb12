/** A memory for ranking: its words, with repeats. */
export interface Candidate {
  readonly seq: number;
  readonly words: string;
}

export interface Ranked {
  readonly seq: number;
  readonly score: number;
  /** The weighted share of the query's words that the memory contains: 0 to 1. */
  readonly coverage: number;
}

/** A word of the query. */
export interface AskedWord {
  /** How distinctive it is among the owner's memories. */
  readonly weight: number;
  /** The same as if there were a thousand other memories: in a small store every word would seem common. */
  readonly share: number;
}

/** Weighs a word that `count` of an owner's `total` memories contain. */
export function weigh(count: number, total: number): AskedWord {
  return { weight: idf(count, total), share: idf(count, total + 1000) };
}

/** BM25 over the candidates; memories with too little of the query are left out. */
export function rank(
  candidates: readonly Candidate[],
  asked: ReadonlyMap<string, AskedWord>,
  meanWords: number,
): Ranked[] {
  const whole = [...asked.values()].reduce((sum, { share }) => sum + share, 0);
  const ranked: Ranked[] = [];
  for (const { seq, words } of candidates) {
    const counts = countWords(words, asked);
    const length = 1 - b + (b * counts.total) / Math.max(meanWords, 1);
    let score = 0;
    let covered = 0;
    for (const [word, times] of counts.found) {
      const { weight, share } = asked.get(word) ?? { weight: 0, share: 0 };
      score += (weight * times * (k1 + 1)) / (times + k1 * length);
      covered += share;
    }
    const coverage = whole > 0 ? covered / whole : 0;
    if (coverage >= leastCoverage) ranked.push({ seq, score, coverage });
  }
  // For equal scores, the newer memory is more likely to be still true.
  return ranked.sort((one, other) => other.score - one.score || other.seq - one.seq);
}

function idf(count: number, total: number): number {
  return Math.log(1 + (total - count + 0.5) / (count + 0.5));
}

function countWords(words: string, wanted: ReadonlyMap<string, AskedWord>) {
  const found = new Map<string, number>();
  const list = words.split(' ');
  for (const word of list) {
    if (wanted.has(word)) found.set(word, (found.get(word) ?? 0) + 1);
  }
  return { total: list.length, found };
}

const k1 = 0.9;
const b = 0.4;
const leastCoverage = 0.15;
/** Below this share a hit is marked as uncertain. */
export const confidentCoverage = 0.25;
