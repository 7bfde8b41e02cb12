import { once } from '../../ground/once.ts';
import { createTurns } from '../../ground/turns.ts';
import { createFolderLocks } from '../files/changing/folder-locks.ts';
import { openLocks } from '../files/changing/lock.ts';

/** Lets what commands did land one after another, while no tool changes a file there: in this server, and in all others. */
export type InTurn = <T>(folders: readonly string[], land: () => Promise<T>) => Promise<T>;

export function createInTurn(): InTurn {
  // Those of this process queue here, so that only other servers are waited for by the lock.
  const turns = createTurns();
  const locks = once(() => createFolderLocks(openLocks()));
  return (folders, land) =>
    turns.take('landing', async () => {
      const release = await (await locks()).hold(folders);
      try {
        return await land();
      } finally {
        release();
      }
    });
}
