import { sep } from 'node:path';

/** Whether a path is this folder or inside it. Both are absolute and normalized; everything is inside `/`. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder);
}

/** As `isInside`, but not for the folder itself. */
export function isBelow(path: string, folder: string): boolean {
  return path !== folder && path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
