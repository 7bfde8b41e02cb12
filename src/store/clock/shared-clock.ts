import { createElapsed } from './steady-clock.ts';

/**
 * The database's time at the last query, plus what has passed here since. All servers of a database agree on it,
 * whatever their own clocks say, so leases last equally long for all.
 */
export function createSharedClock(ask: () => Promise<number>) {
  const elapsed = createElapsed();
  let offsetMs = Date.now() - elapsed();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function askAnew(): Promise<void> {
    const sentAt = elapsed();
    const theirs = await ask();
    const answeredAt = elapsed();
    // The database read its clock at some moment between the two.
    const found = theirs - (sentAt + answeredAt) / 2;
    const isCloser = answeredAt - sentAt < trustedTripMs;
    if (isCloser || Math.abs(found - offsetMs) > trustedTripMs) offsetMs = found;
  }

  function later(): void {
    if (isClosed) return;
    timer = setTimeout(() => {
      // After a failed query the next one corrects; until then time is counted here.
      askAnew().then(later, later);
    }, askEveryMs).unref();
  }

  return {
    now: () => Math.round(offsetMs + elapsed()),
    /** Asks again, because clocks of two machines drift. */
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
/** A slower reply is less precise than the known value. */
const trustedTripMs = 250;
