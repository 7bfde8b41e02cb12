import { lstatSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { orElse } from '../../ground/or-else.ts';
import { defer } from '../../ground/waiting/defer.ts';
import { exists, leftUnchanged } from '../fault.ts';
import { closeInBackground } from '../io.ts';
import type { ProvenPath } from '../place-facts.ts';
import { enterFolder, entryOf, leaveFolder, openFileIn } from '../walk.ts';

/** A file appeared under a name that was free when the work began: the work can begin again. */
export class Appeared extends Error {}

const most = 100;

/**
 * Runs work that changes a file while no other call or server changes it, whatever their state folders. A file that
 * does not exist yet cannot be locked, so creating the name decides: work that throws `Appeared` runs again on the
 * existing file.
 */
export function alone<T>(
  place: ProvenPath,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (place.facts.isHeld) return work();
  // Calls of this process queue here, so that the lock waits only for other servers.
  return place.facts.dependencies.turns.take(place.hostPath, async () => {
    for (let tries = 0; tries < most; tries++) {
      const release = await hold(place, signal);
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Appeared)) throw error;
      } finally {
        release();
      }
    }
    throw exists(place.shown);
  });
}

/**
 * Locks the file that has the name now: it may be replaced while we wait. Folder locks come after it; in the other
 * order, a file that a stranger keeps locked would block every landing in its folder.
 */
async function hold(place: ProvenPath, signal: AbortSignal | undefined): Promise<() => void> {
  const locks = place.facts.dependencies.locks();
  if (!locks) return nothing;
  for (;;) {
    const file = fileThere(place);
    const letGo = () => {
      if (!file) return;
      locks.files.release(file.fd);
      // The last descriptor of a replaced file: its blocks are freed now.
      closeInBackground(file.fd);
    };
    let leave = nothing;
    try {
      if (file) await locks.files.take(file.fd, { signal });
      leave = await locks.folders.share(dirname(place.hostPath), signal);
    } catch (error) {
      letGo();
      throw signal?.aborted ? leftUnchanged(place.shown) : error;
    }
    const release = () => {
      leave();
      letGo();
    };
    if (!file || isStill(place, file.stat)) return release;
    release();
  }
}

/** Undefined without a file, or for an unreadable one: the work reports that. */
function fileThere(place: ProvenPath) {
  return orElse<ReturnType<typeof openFileIn>, undefined>(
    () => atName(place, (folder, name) => openFileIn(place.root, folder, name, place.shown)),
    undefined,
  );
}

function isStill(place: ProvenPath, { dev, ino }: Stats): boolean {
  return orElse(() => {
    const now = atName(place, (folder, name) => lstatSync(entryOf(folder, name)));
    return now.ino === ino && now.dev === dev;
  }, false);
}

function atName<T>({ root, components, facts }: ProvenPath, look: (folder: number, name: string) => T): T {
  const folder = enterFolder(root, components, components.length - 1, facts.hidden);
  using _ = defer(() => leaveFolder(root, folder));
  return look(folder, components.at(-1) ?? '.');
}

function nothing(): void {}
