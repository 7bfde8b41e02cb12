/** The result of `work`, or `otherwise` if it throws: for questions about a disk that have an answer even then. */
export function orElse<T>(work: () => T, otherwise: T): T {
  try {
    return work();
  } catch {
    return otherwise;
  }
}
