import { closeSync, readFileSync } from 'node:fs';
import type { ConfigCopies } from '../../git/config-copies.ts';
import { copiesFolder } from '../../git/copied-config.ts';
import { compileFurnish, furnishRights } from '../child/furnish-program.ts';
import { openMemoryProgram } from '../child/memory-program.ts';
import type { Kernel } from '../seccomp/kernel.ts';
import { hasSeccomp } from '../seccomp/seccomp.ts';

/**
 * Shows commands copies of settings. git replaces such a file by moving a new one over it, which no mounted file allows;
 * where it finds a link, it replaces what the link leads to. So a link is mounted, and leads to a folder of the command's.
 */
export interface Furnisher {
  furnish(settings: Pick<ConfigCopies, 'folder' | 'copies'>, next: string): Furnished;
}

export interface Furnished {
  /** For bubblewrap, in place of the filter: the program loads it. */
  readonly args: readonly string[];
  /** The program; it becomes descriptor 3. */
  readonly fd: number;
  close(): void;
}

/** What runs it inside; the words of the program that it becomes follow. */
export const furnishProgram = '/proc/self/fd/3';

/** `filter` is open. Undefined where the processor is not known. */
export function createFurnisher(kernel: Kernel, filter: number): Furnisher | undefined {
  const architecture: string = process.arch;
  if (!hasSeccomp(architecture)) return undefined;
  const rules = readFileSync(`/proc/self/fd/${filter}`);
  return {
    furnish({ folder, copies }, next) {
      const links = copies.map(({ original }, index) => ({ link: `${linkFolder}/${index}`, over: original }));
      const program = compileFurnish({ links, filter: rules, self: 3, next }, architecture);
      const fd = openMemoryProgram(kernel, program);
      return {
        args: [
          ...furnishRights,
          ...['--bind', folder, copiesFolder],
          ...copies.flatMap(({ path }, index) => [
            ...['--symlink', `${copiesFolder}/${path}`, `${linkFolder}/${index}`],
          ]),
        ],
        fd,
        close: () => closeSync(fd),
      };
    },
  };
}

/** As commands see it: in the root, where nothing else may be made. */
const linkFolder = '/.git-links';
