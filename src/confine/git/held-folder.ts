import { closeSync, constants, openSync } from 'node:fs';
import { asBytes } from '../../ground/byte-paths.ts';

/**
 * Opens a folder below another without following a link on the way, and lends it to `use` as the kernel's name for the
 * open folder: whoever swaps a folder for a link meanwhile has us change nothing elsewhere. Undefined where there is
 * no such folder.
 */
export function inHeldFolder<T>(root: string, below: string, use: (folder: string) => T): T | undefined {
  let held = openFolder(root, true);
  try {
    for (const name of below.split('/').filter((each) => each !== '')) {
      if (held === undefined) return undefined;
      const next = openFolder(`/proc/self/fd/${held}/${name}`, false);
      closeSync(held);
      held = next;
    }
    return held === undefined ? undefined : use(`/proc/self/fd/${held}`);
  } finally {
    if (held !== undefined) closeSync(held);
  }
}

function openFolder(path: string, mayFollow: boolean): number | undefined {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | (mayFollow ? 0 : constants.O_NOFOLLOW);
  try {
    return openSync(asBytes(path), flags);
  } catch {
    return undefined;
  }
}
