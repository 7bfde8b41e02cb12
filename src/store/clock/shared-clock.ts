import { createElapsed } from './elapsed.ts';

/**
 * The database's time, as it was when we last asked, and what has passed here since. Every server of a database has the
 * same, whatever its own clock says, so that a lease is as long for all of them.
 */
export interface SharedClock {
  now(): number;
  /** Asks anew: two machines' seconds are not of one length. */
  ask(): Promise<void>;
  close(): void;
}

export function createSharedClock(ask: () => Promise<number>): SharedClock {
  const elapsed = createElapsed();
  let offsetMs = Date.now() - elapsed();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function askAnew(): Promise<void> {
    const sentAt = elapsed();
    const theirs = await ask();
    const answeredAt = elapsed();
    // It was told on the way, at some moment between the two.
    const found = theirs - (sentAt + answeredAt) / 2;
    const isCloser = answeredAt - sentAt < trustedTripMs;
    if (isCloser || Math.abs(found - offsetMs) > trustedTripMs) offsetMs = found;
  }

  function later(): void {
    if (isClosed) return;
    timer = setTimeout(() => {
      // One that cannot be asked now is asked the next time; what passed is counted here.
      askAnew().then(later, later);
    }, askEveryMs).unref();
  }

  return {
    now: () => Math.round(offsetMs + elapsed()),
    async ask() {
      await askAnew();
      later();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

const askEveryMs = 5 * 60_000;
/** An answer that took longer says less than what was known. */
const trustedTripMs = 250;
