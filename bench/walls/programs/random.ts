export interface Random {
  /** A whole number below another. */
  below(end: number): number;
  of<T>(choices: readonly T[]): T;
}

/** Random choices that a seed decides (mulberry32). */
export function createRandom(seed: number): Random {
  let state = Math.imul(seed, 0x9e3779b9) | 0;
  const below = (end: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  };
  return { below, of: <T>(choices: readonly T[]) => choices[below(choices.length)] as T };
}

/** Some of them, each at most once, in their order. */
export function sampleOf<T>(all: readonly T[], count: number, seed: number): readonly T[] {
  const random = createRandom(seed);
  const left = all.map((_, at) => at);
  const taken = new Set(
    Array.from({ length: Math.min(count, all.length) }, () => left.splice(random.below(left.length), 1)[0]),
  );
  return all.filter((_, at) => taken.has(at));
}
