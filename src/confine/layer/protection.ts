import { join } from 'node:path';
import { isInside } from '../../ground/inside.ts';
import { createProtection } from '../files/protected-names.ts';
import type { LandOptions } from './make-plan.ts';

/** What no tool writes: these names at any depth, there or not. */
export function protectedAnywhere(names: readonly string[]): LandOptions['isProtected'] {
  const protects = createProtection(names);
  return (hostPath) => protects(hostPath.split('/').slice(1)) !== undefined;
}

/**
 * What stays in these folders where it is there, by its name below them, and so do the folders on the way: a command does
 * not take the place of what came there meanwhile.
 */
export function heldNames(folders: readonly string[], names: readonly string[]): LandOptions['isProtected'] {
  const held = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return (hostPath, isThere) =>
    isThere && held.some((path) => isInside(hostPath, path) || isInside(path, hostPath));
}
