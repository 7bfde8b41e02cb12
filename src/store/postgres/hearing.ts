import { randomUUID } from 'node:crypto';
import type { Wakeups } from '../changes.ts';

/** Knows whether notifications come through, by sending words to ourselves. */
export interface Hearing {
  state(): Wakeups;
  /** We listen from now on: a word is sent, and then one a minute. */
  begin(): void;
  /** Was this our own word? */
  isOwn(payload: string): boolean;
  /** The listening connection is gone. */
  lost(): void;
  close(): void;
}

/**
 * A connection may listen and hear nothing, without a word: a pooler that lends connections for a transaction at a time
 * takes LISTEN for a statement like any other. `turned` is told when that changes.
 */
export function createHearing(options: {
  /** By the way that all notifications take. */
  readonly notify: (payload: string) => Promise<void>;
  readonly turned: () => void;
}): Hearing {
  let state: Wakeups['state'] = 'idle';
  let heardAfterMs: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let word: { readonly payload: string; readonly sentAt: number } | undefined;
  let isClosed = false;

  function turn(to: Wakeups['state']): void {
    if (to === state) return;
    state = to;
    options.turned();
  }

  function next(ms: number): void {
    clearTimeout(timer);
    if (isClosed) return;
    timer = setTimeout(() => {
      if (word) turn('deaf');
      void send();
    }, ms).unref();
  }

  async function send(): Promise<void> {
    word = { payload: `probe/${randomUUID()}`, sentAt: performance.now() };
    next(hearWithinMs);
    // One that could not be sent is one that is not heard.
    await options.notify(word.payload).catch(() => {});
  }

  return {
    state: () => ({ state, heardAfterMs, lookEveryMs: state === 'hears' ? lookEveryMs : lookWhenDeafMs }),
    begin: () => void send(),
    isOwn(payload) {
      if (payload !== word?.payload) return false;
      heardAfterMs = performance.now() - word.sentAt;
      word = undefined;
      turn('hears');
      next(tryEveryMs);
      return true;
    },
    lost() {
      word = undefined;
      clearTimeout(timer);
      turn('deaf');
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

const lookEveryMs = 3000;
/** A look is one small question, for all who wait together. */
const lookWhenDeafMs = 250;
/** A notification that takes longer is as good as lost. */
const hearWithinMs = 2000;
const tryEveryMs = 60_000;
