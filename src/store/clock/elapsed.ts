import { uptime } from 'node:os';

/**
 * Elapsed milliseconds including sleep of the machine, which Node's clock leaves out. Sleep is looked up only if the
 * wall clock deviates from Node's.
 */
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
