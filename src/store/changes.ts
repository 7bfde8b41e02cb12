import { defer } from '../ground/waiting/defer.ts';

/**
 * Wakes those who wait for rows to change: in one process at once; across processes when the engine hears of it. A wake
 * carries no data: the waiter reads the rows again, so a lost or repeated wake is harmless.
 */
export interface Changes {
  /** To be called after the commit. */
  tell(topic: string): void;
  /** Resolves at the topic's next change, and at times without. Call it before reading, await it after, read again. */
  next(topic: string, timeoutMs: number, signal?: AbortSignal): Promise<void>;
}

/** Whether this server is notified of other servers' changes. */
export interface Wakeups {
  /** `idle`: no waiter so far. `failing`: notifications do not arrive; changes are found by polling. */
  readonly state: 'idle' | 'working' | 'failing';
  /** How long the last probe took to arrive. */
  readonly receivedAfterMs: number | undefined;
  /** The longest delay by a lost notification. */
  readonly pollEveryMs: number;
}

/** Carries an engine's wakes between processes. */
export interface Carrier {
  /** Called for each local change. */
  tell(topic: string): void;
  /** Called when the first waiter comes, and `rest` when none is left. */
  listen(): void;
  rest(): void;
}

/** Wakes within this process; the engine calls `wake` and `wakeAll` when it hears of others' changes. */
export function createChanges(carrier: Carrier): Changes & {
  wake(topic: string): void;
  wakeAll(): void;
} {
  const waiting = new Map<string, Set<() => void>>();

  function wake(topic: string): void {
    for (const resume of [...(waiting.get(topic) ?? [])]) resume();
  }

  return {
    wake,
    wakeAll() {
      for (const topic of [...waiting.keys()]) wake(topic);
    },
    tell(topic) {
      wake(topic);
      carrier.tell(topic);
    },
    next(topic, timeoutMs, signal) {
      if (signal?.aborted || timeoutMs <= 0) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resume, Math.min(timeoutMs, longestTimerMs));
      const listeners = waiting.get(topic) ?? new Set();
      if (waiting.size === 0) carrier.listen();
      waiting.set(topic, listeners.add(resume));
      signal?.addEventListener('abort', resume);

      function resume(): void {
        clearTimeout(timer);
        signal?.removeEventListener('abort', resume);
        listeners.delete(resume);
        if (listeners.size === 0 && waiting.get(topic) === listeners) waiting.delete(topic);
        if (waiting.size === 0) carrier.rest();
        resolve();
      }
      return promise;
    },
  };
}

/** Reads again after each change of the topic until `isDone` or the timeout; returns the last value. */
export async function readUntil<T>(
  read: () => Promise<T>,
  isDone: (value: T) => boolean,
  {
    changes,
    topic,
    timeoutMs,
    signal,
    lookEveryMs = timeoutMs,
  }: {
    readonly changes: Changes;
    readonly topic: string;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    /** Reads at least this often, so that a lost wake only delays. */
    readonly lookEveryMs?: number;
  },
): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const leftMs = end - performance.now();
    const stop = new AbortController();
    // Requested before the rows are read, so that no change is missed between reading and waiting.
    const changed = changes.next(
      topic,
      Math.min(leftMs, lookEveryMs),
      AbortSignal.any([signal, stop.signal]),
    );
    using _ = defer(() => stop.abort());
    const value = await read();
    if (leftMs <= 0 || signal.aborted || isDone(value)) return value;
    await changed;
  }
}

/** Node fires a longer timer at once. */
const longestTimerMs = 2 ** 31 - 1;

/** Listens just long enough to know whether others' changes arrive; undefined if no connection carries them. */
export async function tryWakeups({
  changes,
  wakeups,
}: {
  readonly changes: Changes;
  readonly wakeups?: (() => Wakeups) | undefined;
}): Promise<Wakeups | undefined> {
  if (!wakeups) return undefined;
  const stop = new AbortController();
  const listening = changes.next('probe', patienceMs, stop.signal);
  const until = performance.now() + patienceMs;
  while (wakeups().state === 'idle' && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  stop.abort();
  await listening;
  return wakeups();
}

const patienceMs = 5000;
