import { setImmediate as giveWay } from 'node:timers/promises';

/** Called for each of very many entries; now and then returns a promise to await, so that other work runs. */
export type Pause = () => Promise<void> | undefined;

export function createPause(): Pause {
  let since = performance.now();
  return () => {
    if (performance.now() - since < atOnceMs) return undefined;
    return giveWay().then(() => {
      since = performance.now();
    });
  };
}

const atOnceMs = 8;
