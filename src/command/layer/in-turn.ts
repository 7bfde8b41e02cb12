import { createFolderLocks } from '../../files/changing/folder-locks.ts';
import { openLocks } from '../../files/changing/lock.ts';
import { defer } from '../../ground/defer.ts';
import { once } from '../../ground/once.ts';
import { createTurns } from '../../ground/turns.ts';

/** Lands the changes of one command at a time, while no tool changes a file there, in this and all other servers. */
export type InTurn = <T>(folders: readonly string[], land: () => Promise<T>) => Promise<T>;

export function createInTurn(): InTurn {
  // Landings of this process queue here, so that the lock waits only for other servers.
  const turns = createTurns();
  const locks = once(() => createFolderLocks(openLocks()));
  return (folders, land) =>
    turns.take('landing', async () => {
      const release = await (await locks()).hold(folders);
      using _ = defer(() => release());
      return await land();
    });
}
