import { uptime } from 'node:os';

/**
 * The wall clock at the start plus the time since: setting the clock forward by a year ends no session, and setting it
 * back revives none. Small corrections, as of time servers, are followed.
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

/** A larger jump is no correction. */
const correctionMs = 60_000;

/** Elapsed milliseconds with the machine's sleep, which is looked up only if the wall clock deviates from Node's. */
export function createElapsed(
  wall: () => number = Date.now,
  awake: () => number = () => performance.now(),
  sinceBoot: () => number = () => uptime() * 1000,
): () => number {
  const begunMs = sinceBoot() - awake();
  let sleptMs = 0;
  let last = wall() - awake();
  return () => {
    const awakeMs = awake();
    const now = wall() - awakeMs;
    if (Math.abs(now - last) > noticedMs) sleptMs = Math.max(sleptMs, sinceBoot() - awakeMs - begunMs);
    last = now;
    return awakeMs + sleptMs;
  };
}

const noticedMs = 1000;
