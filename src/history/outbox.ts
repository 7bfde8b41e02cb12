export interface Outbox {
  add(digest: string): void;
  /** Sends pending contents for this long; the next tending finds the rest. */
  close(ms: number): Promise<void>;
}

const sentTogether = 4;
const firstWaitMs = 1_000;
const longestWaitMs = 60_000;

/**
 * Sends contents to a remote store while calls go on; this machine has each of them too. A failed one is sent again
 * after increasing delays.
 */
export function createOutbox(send: (digest: string) => Promise<void>): Outbox {
  const waiting = new Set<string>();
  let isClosed = false;
  let waitMs = firstWaitMs;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;

  async function sendAll(): Promise<void> {
    while (waiting.size > 0 && timer === undefined) {
      const digests = [...waiting].slice(0, sentTogether);
      const sent = await Promise.allSettled(digests.map(send));
      sent.forEach(({ status }, place) => {
        if (status === 'fulfilled') waiting.delete(digests[place] ?? '');
      });
      if (sent.every(({ status }) => status === 'fulfilled')) waitMs = firstWaitMs;
      else if (isClosed) return;
      else later();
    }
  }

  function later(): void {
    timer = setTimeout(() => {
      timer = undefined;
      start();
    }, waitMs).unref();
    waitMs = Math.min(waitMs * 2, longestWaitMs);
  }

  function start(): void {
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
  }

  return {
    add(digest) {
      waiting.add(digest);
      start();
    },
    async close(ms) {
      isClosed = true;
      clearTimeout(timer);
      timer = undefined;
      start();
      const { promise, resolve } = Promise.withResolvers<void>();
      const enough = setTimeout(resolve, ms);
      await Promise.race([sending, promise]);
      clearTimeout(enough);
    },
  };
}
