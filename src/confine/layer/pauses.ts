import { setImmediate as giveWay } from 'node:timers/promises';

/** Called for each of very many entries: a promise, now and then, to wait for, so that others are served meanwhile. */
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
