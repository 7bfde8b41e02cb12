/** Lets so many in at once; the others wait in order. */
export interface Gate {
  /** Resolves when there is room, with what to call on leaving. Rejects with the signal's reason. */
  enter(signal: AbortSignal): Promise<() => void>;
}

export function createGate(places: number): Gate {
  let inside = 0;
  const waiting = new Set<() => void>();

  function leave(): void {
    const [next] = waiting;
    if (!next) {
      inside--;
      return;
    }
    // The place is handed over, so that nobody slips in between.
    waiting.delete(next);
    next();
  }

  return {
    async enter(signal) {
      signal.throwIfAborted();
      if (inside < places) inside++;
      else {
        await new Promise<void>((resolve, reject) => {
          const giveUp = () => {
            waiting.delete(go);
            reject(signal.reason);
          };
          const go = () => {
            signal.removeEventListener('abort', giveUp);
            resolve();
          };
          waiting.add(go);
          signal.addEventListener('abort', giveUp, { once: true });
        });
      }
      let left = false;
      return () => {
        if (!left) leave();
        left = true;
      };
    },
  };
}
