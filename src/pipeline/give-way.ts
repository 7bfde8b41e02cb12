import { setImmediate as immediate } from 'node:timers/promises';

const longestMs = 2;

/** For loops over many small things: yields to other calls after each 2 ms of work. */
export function createGiveWay(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < longestMs) return undefined;
    return immediate(undefined).then(() => {
      since = performance.now();
    });
  };
}
