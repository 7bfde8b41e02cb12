/** What ranking needs to know of one memory: its words, with repeats. */
export interface Candidate {
  readonly seq: number;
  readonly words: string;
}

export interface Ranked {
  readonly seq: number;
  readonly score: number;
  /** Share of the question, by how telling its words are, that the memory holds: 0 to 1. */
  readonly coverage: number;
}

/** How telling a word is that `count` of `total` memories hold. */
export function idf(count: number, total: number): number {
  return Math.log(1 + (total - count + 0.5) / (count + 0.5));
}

/** BM25 over the candidates; memories that hold too little of the question are left out. */
export function rank(
  candidates: readonly Candidate[],
  weights: ReadonlyMap<string, number>,
  meanWords: number,
): Ranked[] {
  const whole = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const ranked: Ranked[] = [];
  for (const { seq, words } of candidates) {
    const counts = countWords(words, weights);
    const length = 1 - b + (b * counts.total) / Math.max(meanWords, 1);
    let score = 0;
    let covered = 0;
    for (const [word, times] of counts.found) {
      const weight = weights.get(word) ?? 0;
      score += (weight * times * (k1 + 1)) / (times + k1 * length);
      covered += weight;
    }
    const coverage = whole > 0 ? covered / whole : 0;
    if (coverage >= leastCoverage) ranked.push({ seq, score, coverage });
  }
  // Equal scores: the newer memory is more likely to hold still.
  return ranked.sort((one, other) => other.score - one.score || other.seq - one.seq);
}

function countWords(words: string, wanted: ReadonlyMap<string, number>) {
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
/** Under this share the hit is shown, and said to be uncertain. */
export const confidentCoverage = 0.25;
