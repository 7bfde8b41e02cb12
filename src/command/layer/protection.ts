import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { createProtection } from '../../files/protected-names.ts';
import { isInside } from '../../ground/inside.ts';
import type { LandOptions } from './make-plan.ts';

/** Protects these names at any depth, whether they exist or not. */
export function protectedAnywhere(names: readonly string[]): LandOptions['isProtected'] {
  const protects = createProtection(names);
  return (hostPath) => protects(hostPath.split('/').slice(1)) !== undefined;
}

/**
 * Protects existing entries with these names in these folders, and the folders on their paths: a command does not
 * replace an entry that appeared during the run.
 */
export function heldNames(folders: readonly string[], names: readonly string[]): LandOptions['isProtected'] {
  const held = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return (hostPath, isThere) =>
    isThere && held.some((path) => isInside(hostPath, path) || (isInside(path, hostPath) && exists(path)));
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
