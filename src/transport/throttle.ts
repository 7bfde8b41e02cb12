/**
 * Calls that arrive together begin one after another. What a call does before its first wait is short, but of ten
 * that begin in one turn of the loop a ping would wait for all ten. Resolves when the next may begin, in the order
 * in which they came; undefined where it may at once: a call that comes alone waits for no turn.
 */
export function createThrottle(longestTurnMs = 2): () => Promise<void> | undefined {
  let waiting = 0;
  let hasBegun = false;
  let isLong = false;
  /** Undefined where none has begun in this turn: the first one may, however slow the machine is. */
  let turnBeganMs: number | undefined;

  function pass(resolve: () => void): void {
    const nowMs = performance.now();
    turnBeganMs ??= nowMs;
    if (nowMs - turnBeganMs <= longestTurnMs) {
      waiting -= 1;
      resolve();
      return;
    }
    // Ahead of the first that waits for the next turn.
    if (!isLong) {
      isLong = true;
      setImmediate(() => {
        isLong = false;
        turnBeganMs = undefined;
      });
    }
    setImmediate(pass, resolve);
  }

  return () => {
    if (hasBegun || waiting > 0) {
      waiting += 1;
      return new Promise((resolve) => setImmediate(pass, resolve));
    }
    hasBegun = true;
    turnBeganMs = performance.now();
    // After all that this one chunk of input held.
    queueMicrotask(() => {
      hasBegun = false;
    });
    return undefined;
  };
}
