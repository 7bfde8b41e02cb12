/** Lets so many work at once; the others wait in the order in which they came. */
export interface Semaphore {
  /** Resolves with what gives the place back; calling that twice does nothing. Rejects where the signal aborts. */
  acquire(signal?: AbortSignal): Promise<() => void>;
}

export interface SemaphoreOptions {
  /** How many may wait; one more is refused with what `full` makes. Default: any number. */
  readonly maxWaiting?: number | undefined;
  readonly full?: ((holding: number, waiting: number) => unknown) | undefined;
  /** What a waiter is refused with when its signal aborts. Default: the signal's reason. */
  readonly aborted?: ((signal: AbortSignal) => unknown) | undefined;
}

/** A counting semaphore, first come, first served; `places` may be held at once. */
export function createSemaphore(places: number, options: SemaphoreOptions = {}): Semaphore {
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
    // The place is handed over, so that nobody slips in between.
    waiting.delete(next);
    next();
  }

  return {
    async acquire(signal) {
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
