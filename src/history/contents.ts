import { hash } from 'node:crypto';
import type { SharedContents } from '../contract/capabilities/history.ts';
import { sharing } from '../ground/waiting/sharing.ts';
import type { Blobs } from './blobs.ts';

export type Contents = ReturnType<typeof createContents>;

/**
 * Former contents of files, in a folder of this machine, and also in the store if it serves several machines. The
 * folder is written first, so that a kill in between loses nothing, and read first. No call waits for a remote store.
 */
export function createContents(blobs: Blobs, openShared: () => Promise<SharedContents | undefined>) {
  /** Put without waiting for the disk or the store. */
  let unsynced: string[] = [];

  const outbox = createOutbox(async (digest) => {
    if (blobs.has(digest)) await (await openShared())?.put(digest, blobs.parts(digest));
  });

  async function share(digest: string, bytes?: Uint8Array): Promise<void> {
    const shared = await openShared();
    if (!shared || !(bytes || blobs.has(digest))) return;
    if (shared.isFar) outbox.add(digest);
    else await shared.put(digest, bytes ? [bytes] : blobs.parts(digest));
  }

  return {
    /** Sends a content that only this machine has to the store. */
    share: (digest: string): Promise<void> => share(digest),
    /** Sends pending contents, for some seconds at most. */
    close: (): Promise<void> => outbox.close(closeMs),
    put(bytes: Uint8Array): ReturnType<Blobs['put']> {
      const { digest, durable } = blobs.put(bytes);
      const everywhere = Promise.all([durable, share(digest, bytes)]).then(() => {});
      // Awaited before the change is acknowledged; this only prevents an unhandled rejection.
      everywhere.catch(() => {});
      return { digest, durable: everywhere };
    },
    putUnsynced(bytes: Uint8Array): string {
      const digest = blobs.putUnsynced(bytes);
      unsynced.push(digest);
      return digest;
    },
    async sync(): Promise<void> {
      const digests = unsynced;
      unsynced = [];
      await blobs.sync();
      for (const digest of digests) await share(digest);
    },
    async putFile(hostPath: string): Promise<string> {
      const digest = await blobs.putFile(hostPath);
      await share(digest);
      return digest;
    },
    /** Reads from the folder or the store, and checks the digest. */
    async read(digest: string): Promise<Buffer | undefined> {
      const here = blobs.read(digest);
      if (here) return here;
      const bytes = await (await openShared())?.read(digest);
      return bytes && hash('sha256', bytes) === digest ? bytes : undefined;
    },
  };
}

/** Sends contents to a remote store while calls go on; this machine has each too. A failed one is sent again later. */
function createOutbox(send: (digest: string) => Promise<void>) {
  const waiting = new Set<string>();
  let isClosed = false;
  let waitMs = firstWaitMs;
  let timer: NodeJS.Timeout | undefined;

  const sendAll = sharing(async (): Promise<void> => {
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
  });

  function later(): void {
    timer = setTimeout(() => {
      timer = undefined;
      void sendAll();
    }, waitMs).unref();
    waitMs = Math.min(waitMs * 2, longestWaitMs);
  }

  return {
    add(digest: string): void {
      waiting.add(digest);
      void sendAll();
    },
    /** Sends pending contents for this long; the next tending finds the rest. */
    async close(ms: number): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      timer = undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      const enough = setTimeout(resolve, ms);
      await Promise.race([sendAll(), promise]);
      clearTimeout(enough);
    },
  };
}

const closeMs = 5_000;
const sentTogether = 4;
const firstWaitMs = 1_000;
const longestWaitMs = 60_000;
