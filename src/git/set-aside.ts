import { lstatSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { asBytes, toText } from '../ground/machine/byte-paths.ts';
import { orElse } from '../ground/or-else.ts';
import { inHeldFolder } from './held-folder.ts';
import type { Part } from './parts.ts';

/** Something that git would have obeyed and that a command wrote. It was renamed beside its place. */
export interface Disarmed {
  /** Host path. */
  readonly path: string;
  /** Whether the former content is back in place. */
  readonly isRestored: boolean;
}

/** Renames a file and puts in its place the former content, the remaining part of it, or nothing. */
export function setAside(root: string, path: string, instead: string | undefined, before?: Part): Disarmed[] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const isDone = inHeldFolder(root, dirname(path).slice(root.length), (held) => {
    // Already removed, or made again by a running command: the next look finds that.
    return orElse(() => {
      renameSync(asBytes(`${held}/${name}`), asBytes(`${held}/${freeName(held, `${name}.disarmed`)}`));
      if (instead !== undefined) {
        const options = { flag: 'wx', mode: before?.mode ?? 0o644 };
        writeFileSync(asBytes(`${held}/${name}`), Buffer.from(instead, 'latin1'), options);
      }
      return true;
    }, false);
  });
  return isDone ? [{ path: toText(path), isRestored: before !== undefined }] : [];
}

function freeName(held: string, name: string): string {
  for (let count = 1; ; count++) {
    const tried = count === 1 ? name : `${name}${count}`;
    if (lstatSync(asBytes(`${held}/${tried}`), { throwIfNoEntry: false }) === undefined) return tried;
  }
}
