import { randomUUID } from 'node:crypto';
import type { Wakeups } from '../changes.ts';

/** Knows whether notifications arrive, by sending probes to ourselves. */
export interface ListenProbe {
  state(): Wakeups;
  /** We listen from now on: a probe is sent, and then one a minute. */
  begin(): void;
  /** Was this our own probe? */
  isOwn(payload: string): boolean;
  /** The listening connection is gone. */
  lost(): void;
  close(): void;
}

/**
 * A connection may listen and receive nothing, and say so nowhere: a pooler that lends connections for a transaction at a time
 * takes LISTEN for a statement like any other. `changed` is called when that changes.
 */
export function createListenProbe(options: {
  /** By the way that all notifications take. */
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
    // One that could not be sent does not arrive.
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
/** A poll is one small query, for all who wait together. */
const pollWhenFailingMs = 250;
/** A notification that takes longer is as good as lost. */
const receiveWithinMs = 2000;
const probeEveryMs = 60_000;
