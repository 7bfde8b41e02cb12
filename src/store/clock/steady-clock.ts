import { createElapsed } from './elapsed.ts';

/**
 * The time since 1970 as it was told once, and what has passed since: a clock that somebody sets forward by a year ends no
 * session, and one that is set back brings none to life. Small corrections, as time servers make them, are followed.
 */
export function createSteadyClock(
  wall: () => number = Date.now,
  elapsed: () => number = createElapsed(),
): () => number {
  let aheadMs = 0;
  let last = { wall: wall(), elapsed: elapsed() };
  return () => {
    const now = { wall: wall(), elapsed: elapsed() };
    const jumpMs = now.wall - last.wall - (now.elapsed - last.elapsed);
    if (Math.abs(jumpMs) > correctionMs) aheadMs += jumpMs;
    last = now;
    return now.wall - aheadMs;
  };
}

/** More at once is no correction. */
const correctionMs = 60_000;
