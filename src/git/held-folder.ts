import { closeSync, constants, openSync } from 'node:fs';
import { asBytes } from '../ground/machine/byte-paths.ts';
import { orElse } from '../ground/or-else.ts';
import { defer } from '../ground/waiting/defer.ts';

/**
 * Opens a folder below another without following links on the way, and passes the kernel's path of the open folder to
 * `use`: swapping a folder for a link in between cannot redirect our changes. Undefined if there is no such folder.
 */
export function inHeldFolder<T>(root: string, below: string, use: (folder: string) => T): T | undefined {
  let held = openFolder(root, true);
  using _ = defer(() => {
    if (held !== undefined) closeSync(held);
  });
  for (const name of below.split('/').filter((each) => each !== '')) {
    if (held === undefined) return undefined;
    const next = openFolder(`/proc/self/fd/${held}/${name}`, false);
    closeSync(held);
    held = next;
  }
  return held === undefined ? undefined : use(`/proc/self/fd/${held}`);
}

function openFolder(path: string, mayFollow: boolean): number | undefined {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | (mayFollow ? 0 : constants.O_NOFOLLOW);
  return orElse(() => openSync(asBytes(path), flags), undefined);
}
