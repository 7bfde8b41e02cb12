import type { Clock } from '../engine.ts';

/** Pauses requests to a failing server, longer each time, and then lets a single one try. */
export interface Breaker {
  mayAsk(): boolean;
  succeeded(): void;
  failed(retryAfterMs?: number): void;
}

/** Two failures in a row open it. */
export function createBreaker(clock: Clock): Breaker {
  let failures = 0;
  let closedAtMs = 0;
  return {
    mayAsk() {
      if (failures < failuresAllowed) return true;
      const nowMs = clock();
      if (nowMs < closedAtMs) return false;
      // While this one tries, others are not let through.
      closedAtMs = nowMs + firstPauseMs;
      return true;
    },
    succeeded() {
      failures = 0;
    },
    failed(retryAfterMs = 0) {
      failures += 1;
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.max(0, failures - failuresAllowed));
      closedAtMs = clock() + Math.max(pauseMs, retryAfterMs);
      if (retryAfterMs > 0) failures = Math.max(failures, failuresAllowed);
    },
  };
}

const failuresAllowed = 2;
const firstPauseMs = 15_000;
const longestPauseMs = 300_000;
