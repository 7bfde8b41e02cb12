import { lstatSync, unlinkSync } from 'node:fs';
import * as z from 'zod';
import { defer } from '../../ground/waiting/defer.ts';
import { isTemporaryName } from '../names.ts';
import { enterFolder, entryOf, leaveFolder, type Root } from '../walk.ts';
import { leftUnderWay, openUnderWay } from './under-way.ts';

/** Notes which temporary names are in use, so that the next start removes leftovers of a killed process. */
export type Scratch = ReturnType<typeof openScratch>;

/** For a workspace that stores nothing outside its roots: a kill may leave a hidden file behind. */
export const noScratch: Scratch = { begin() {}, end() {}, close() {} };

/** Removes leftovers of dead processes in `roots`, then notes this process's writes in `folder`. */
export function openScratch(folder: string, roots: readonly Root[]) {
  for (const { notes, done } of leftUnderWay(folder, 'writes')) {
    // Notes of a root that is not served now are kept for a server that serves it.
    if (notes.map((written) => sweep(written, roots)).every(Boolean)) done();
  }
  const notes = openUnderWay(folder, 'writes');
  return {
    begin: (root: string, file: string) => notes.begin([root, file]),
    end: () => notes.end(1),
    close: () => notes.close(),
  };
}

const note = z.tuple([z.string(), z.string()]);

/** Returns whether the note is dealt with. */
function sweep(written: unknown, roots: readonly Root[]): boolean {
  const entry = note.safeParse(written);
  if (!entry.success) return true;
  const root = roots.find(({ hostPath }) => hostPath === entry.data[0]);
  if (root) removeLeftover(root, entry.data[1].split('/'));
  return root !== undefined;
}

/** Removes only a file or link with a temporary name, found by the usual walk. */
function removeLeftover(root: Root, components: readonly string[]): void {
  const name = components.at(-1);
  if (name === undefined || !isTemporaryName(name) || components.includes('..')) return;
  try {
    const folder = enterFolder(root, components, components.length - 1, 0);
    using _ = defer(() => leaveFolder(root, folder));
    const entry = entryOf(folder, name);
    const stat = lstatSync(entry);
    if (stat.isFile() || stat.isSymbolicLink()) unlinkSync(entry);
  } catch {
    // It was completed or removed, possibly with its folder.
  }
}
