import { randomUUID } from 'node:crypto';
import type { Wakeups } from '../changes.ts';

/** Tests whether notifications arrive, by sending probes to ourselves. */
export interface ListenProbe {
  state(): Wakeups;
  /** Listening has begun: sends a probe, and then one a minute. */
  begin(): void;
  isOwn(payload: string): boolean;
  /** The listening connection is gone. */
  lost(): void;
  close(): void;
}

/**
 * A connection may listen but silently receive nothing: a pooler in transaction mode passes LISTEN on like any
 * statement. `changed` is called when the state changes.
 */
export function createListenProbe(options: {
  /** Sends the way that all notifications go. */
  readonly notify: (payload: string) => Promise<void>;
  readonly changed: () => void;
}): ListenProbe {
  let state: Wakeups['state'] = 'idle';
  let receivedAfterMs: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let probe: { readonly payload: string; readonly sentAt: number } | undefined;
  let isClosed = false;

  function turn(to: Wakeups['state']): void {
    if (to === state) return;
    state = to;
    options.changed();
  }

  function next(ms: number): void {
    clearTimeout(timer);
    if (isClosed) return;
    timer = setTimeout(() => {
      if (probe) turn('failing');
      void send();
    }, ms).unref();
  }

  async function send(): Promise<void> {
    probe = { payload: `probe/${randomUUID()}`, sentAt: performance.now() };
    next(receiveWithinMs);
    // A probe that could not be sent does not arrive either.
    await options.notify(probe.payload).catch(() => {});
  }

  return {
    state: () => ({
      state,
      receivedAfterMs,
      pollEveryMs: state === 'working' ? pollEveryMs : pollWhenFailingMs,
    }),
    begin: () => void send(),
    isOwn(payload) {
      if (payload !== probe?.payload) return false;
      receivedAfterMs = performance.now() - probe.sentAt;
      probe = undefined;
      turn('working');
      next(probeEveryMs);
      return true;
    },
    lost() {
      probe = undefined;
      clearTimeout(timer);
      turn('failing');
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

const pollEveryMs = 3000;
/** One poll is a small query for all waiters together. */
const pollWhenFailingMs = 250;
/** A slower notification counts as lost. */
const receiveWithinMs = 2000;
const probeEveryMs = 60_000;
