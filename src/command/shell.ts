import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { orElse } from '../ground/or-else.ts';
import { searchPath } from './sandbox/search-path.ts';

/** The shell that scripts are judged for and run by: bash, or `sh` without it (Alpine), read as any POSIX shell. */
export function shellOf(path: string | undefined): 'bash' | 'sh' {
  return shellIn(searchPath(path));
}

/** The shell if programs are searched in these folders only. */
export function shellIn(folders: readonly string[]): 'bash' | 'sh' {
  return folders.some((folder) => isProgram(join(folder, 'bash'))) ? 'bash' : 'sh';
}

/** Can this user run it? */
export function isProgram(path: string): boolean {
  return orElse(() => {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  }, false);
}
