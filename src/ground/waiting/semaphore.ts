/** Limits concurrency; the others wait in order of arrival. */
export type Semaphore = ReturnType<typeof createSemaphore>;

export interface SemaphoreOptions {
  /** How many may wait; one more is refused with `full()`. Default: any number. */
  readonly maxWaiting?: number | undefined;
  readonly full?: ((holding: number, waiting: number) => unknown) | undefined;
  /** The error for a waiter whose signal aborts. Default: the signal's reason. */
  readonly aborted?: ((signal: AbortSignal) => unknown) | undefined;
}

/** A counting semaphore, first come, first served, with this many places. */
export function createSemaphore(places: number, options: SemaphoreOptions = {}) {
  const { maxWaiting = Number.POSITIVE_INFINITY, aborted = (signal) => signal.reason } = options;
  const full = options.full ?? (() => new RangeError(`More than ${maxWaiting} wait.`));
  const waiting = new Set<() => void>();
  let holding = 0;

  function release(): void {
    const [next] = waiting;
    if (!next) {
      holding -= 1;
      return;
    }
    // Hands the place over, so that no other caller can take it in between.
    waiting.delete(next);
    next();
  }

  return {
    /** Resolves with a function that releases the place; a second call has no effect. Rejects if the signal aborts. */
    async acquire(signal?: AbortSignal): Promise<() => void> {
      if (signal?.aborted) throw aborted(signal);
      if (holding < places) holding += 1;
      else if (waiting.size >= maxWaiting) throw full(holding, waiting.size);
      else {
        await new Promise<void>((resolve, reject) => {
          const giveUp = () => {
            waiting.delete(go);
            if (signal) reject(aborted(signal));
          };
          const go = () => {
            signal?.removeEventListener('abort', giveUp);
            resolve();
          };
          waiting.add(go);
          signal?.addEventListener('abort', giveUp, { once: true });
        });
      }
      let isReleased = false;
      return () => {
        if (!isReleased) release();
        isReleased = true;
      };
    },
  };
}
