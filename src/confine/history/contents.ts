import type { SharedContents } from '../../contract/capabilities/history.ts';
import type { Blobs } from './blobs.ts';
import { digestOf } from './blobs.ts';
import { createOutbox } from './outbox.ts';

/**
 * What files held: in a folder of this machine, and in the store as well where servers on other machines share it. The
 * folder comes first, so that a kill between the two loses nothing; it is all that is read where it has the content. No
 * call waits for a store that is far.
 */
export interface Contents extends Pick<Blobs, 'put' | 'putUnsynced' | 'sync' | 'putFile'> {
  /** From whichever has it, checked against its digest. */
  read(digest: string): Promise<Buffer | undefined>;
  /** Brings to the store what only this machine has. */
  share(digest: string): Promise<void>;
  /** Sends what is still on its way, for some seconds. */
  close(): Promise<void>;
}

export function createContents(
  blobs: Blobs,
  openShared: () => Promise<SharedContents | undefined>,
): Contents {
  /** Put without a wait for either. */
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
      // It is waited for before the change is acknowledged; until then a failure is nobody's.
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
