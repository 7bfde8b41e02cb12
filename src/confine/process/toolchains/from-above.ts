import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Collection } from './collection.ts';
import { versionFiles } from './known.ts';
import { isShared } from './prove.ts';

/** Version managers search a folder and those above it for the file with the version: takes those above the roots. */
export function takeVersionFiles(collection: Collection, roots: readonly string[]): void {
  const above = new Set<string>();
  for (const root of roots) {
    for (let folder = dirname(root); folder !== '/'; folder = dirname(folder)) above.add(folder);
  }
  for (const folder of [...above].slice(0, mostFolders)) {
    if (!existsSync(folder) || isShared(statSync(folder))) continue;
    for (const name of versionFiles) {
      const path = join(folder, name);
      if (statSync(path, { throwIfNoEntry: false })?.isFile()) collection.take(path);
    }
  }
}

const mostFolders = 32;
