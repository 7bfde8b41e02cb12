import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { orElse } from '../../ground/or-else.ts';

/** The default vault: `vault` in the root, or the root itself if only the vault is served and it holds only notes. */
export function defaultVaultRoot(root: string, toolsets: readonly string[]): string {
  const inside = join(root, 'vault');
  const isAlone = toolsets.length === 1 && toolsets[0] === 'vault';
  const isThere = statSync(inside, { throwIfNoEntry: false })?.isDirectory();
  return isAlone && !isThere && holdsNotes(root) ? root : inside;
}

/** In it, or in one of its folders. */
function holdsNotes(root: string): boolean {
  const entries = entriesOf(root);
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  return (
    entries.some(isNote) ||
    folders.slice(0, mostFolders).some(({ name }) => entriesOf(join(root, name)).some(isNote))
  );
}

function isNote(entry: Dirent): boolean {
  return entry.isFile() && /\.md$/i.test(entry.name);
}

function entriesOf(folder: string): Dirent[] {
  // Unreadable: counts as empty.
  return orElse(() => readdirSync(folder, { withFileTypes: true }), []);
}

const mostFolders = 100;
