import { posix } from 'node:path';
import type { Desk } from '../../../contract/capabilities/capabilities.ts';
import type { Commands, RunOptions } from '../../../contract/capabilities/process.ts';
import { isInside } from '../../../ground/inside.ts';

/** The current folder of the session's commands, as replies name it. */
export function commandFolder({ ownPath, workspace }: Desk, commands: Commands): string {
  const { folder } = commands.kept();
  if (folder === undefined) return ownPath;
  const shown = shownIn({ workspace }, folder);
  // With a folder per day, a folder outside it is not kept.
  return ownPath === '.' || isInside(shown, ownPath) ? shown : ownPath;
}

/** A path as replies name it: relative to the workspace, or absolute in another root. */
export function shownIn({ workspace }: Pick<Desk, 'workspace'>, hostPath: string): string {
  const relative = posix.relative(workspace.at('.').hostPath, hostPath) || '.';
  return relative.startsWith('..') ? hostPath : relative;
}

/** The folders that a command may write and see, and its working folder; creates the caller's own if needed. */
export function foldersFor(
  { own, ownPath, workspace, othersPath }: Desk,
  begins: string,
): Pick<RunOptions, 'workingFolder' | 'reach'> {
  const folder = own.at('.');
  if (!folder.exists()) folder.makeFolder();
  const workingFolder = posix.resolve(workspace.at('.').hostPath, begins);
  if (ownPath === '.') return { workingFolder };
  const covered = othersPath === undefined ? [] : [workspace.at(othersPath).hostPath];
  return { workingFolder, reach: { writable: [folder.hostPath], covered } };
}
