import { uptime } from 'node:os';

/**
 * Milliseconds that pass while the machine sleeps too, which Node's own count leaves out. How long it slept is looked up
 * only where the clock went another way than that count.
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
