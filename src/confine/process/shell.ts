import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { searchPath } from './sandbox/search-path.ts';

/**
 * The shell that a script is judged for and run by: bash, and `sh` where the machine has none, as on Alpine. There
 * a script must be one that every POSIX shell reads alike.
 */
export function shellOf(path: string | undefined): 'bash' | 'sh' {
  return shellIn(searchPath(path));
}

/** The same where programs are looked for in these folders only. */
export function shellIn(folders: readonly string[]): 'bash' | 'sh' {
  return folders.some((folder) => isProgram(join(folder, 'bash'))) ? 'bash' : 'sh';
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
