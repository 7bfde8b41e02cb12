/** The result of `work`, or `otherwise` if it throws: for questions about a disk or foreign text that always have an answer. */
export function orElse<T, U>(work: () => T, otherwise: U): T | U {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

/** The value of JSON text; undefined if it is none: foreign, or cut off. */
export function jsonOf(words: string): unknown {
  return orElse(() => JSON.parse(words) as unknown, undefined);
}
