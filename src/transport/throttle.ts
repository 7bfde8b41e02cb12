/**
 * Spreads calls that arrive together. The part of a call before its first wait is short, but if ten begin in one turn
 * of the event loop, a ping waits for all of them. Resolves when the next may begin, in order of arrival; undefined if
 * it may begin at once, as a single call does.
 */
export function createThrottle(longestTurnMs = 2): () => Promise<void> | undefined {
  let waiting = 0;
  let hasBegun = false;
  let isLong = false;
  /** Undefined if none has begun in this turn: the first may, however slow the machine is. */
  let turnBeganMs: number | undefined;

  function pass(resolve: () => void): void {
    const nowMs = performance.now();
    turnBeganMs ??= nowMs;
    if (nowMs - turnBeganMs <= longestTurnMs) {
      waiting -= 1;
      resolve();
      return;
    }
    // Runs before the first call that waits for the next turn.
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
    // After everything in this chunk of input.
    queueMicrotask(() => {
      hasBegun = false;
    });
    return undefined;
  };
}
