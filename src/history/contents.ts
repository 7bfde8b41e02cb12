import type { SharedContents } from '../contract/capabilities/history.ts';
import type { Blobs } from './blobs.ts';
import { digestOf } from './blobs.ts';
import { createOutbox } from './outbox.ts';

/**
 * Former contents of files, in a folder of this machine, and also in the store if it serves several machines. The
 * folder is written first, so that a kill in between loses nothing, and read first. No call waits for a remote store.
 */
export interface Contents extends Pick<Blobs, 'put' | 'putUnsynced' | 'sync' | 'putFile'> {
  /** Reads from the folder or the store, and checks the digest. */
  read(digest: string): Promise<Buffer | undefined>;
  /** Sends a content that only this machine has to the store. */
  share(digest: string): Promise<void>;
  /** Sends pending contents, for some seconds at most. */
  close(): Promise<void>;
}

export function createContents(
  blobs: Blobs,
  openShared: () => Promise<SharedContents | undefined>,
): Contents {
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
    share: (digest) => share(digest),
    close: () => outbox.close(closeMs),
    put(bytes) {
      const { digest, durable } = blobs.put(bytes);
      const everywhere = Promise.all([durable, share(digest, bytes)]).then(() => {});
      // Awaited before the change is acknowledged; this only prevents an unhandled rejection.
      everywhere.catch(() => {});
      return { digest, durable: everywhere };
    },
    putUnsynced(bytes) {
      const digest = blobs.putUnsynced(bytes);
      unsynced.push(digest);
      return digest;
    },
    async sync() {
      const digests = unsynced;
      unsynced = [];
      await blobs.sync();
      for (const digest of digests) await share(digest);
    },
    async putFile(hostPath) {
      const digest = await blobs.putFile(hostPath);
      await share(digest);
      return digest;
    },
    async read(digest) {
      const here = blobs.read(digest);
      if (here) return here;
      const bytes = await (await openShared())?.read(digest);
      return bytes && digestOf(bytes) === digest ? bytes : undefined;
    },
  };
}

const closeMs = 5_000;
