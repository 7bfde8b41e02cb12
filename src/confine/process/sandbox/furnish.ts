import type { Buffer } from 'node:buffer';
import { closeSync } from 'node:fs';
import type { ConfigCopies } from '../../git/config-copies.ts';
import { copiesFolder } from '../../git/copied-config.ts';
import { compileFurnish, furnishRights, type LinkMount } from '../child/furnish-program.ts';
import { openMemoryProgram } from '../child/memory-program.ts';
import type { Kernel } from '../seccomp/kernel.ts';
import { hasSeccomp } from '../seccomp/seccomp.ts';

/**
 * Shows commands copies of settings. git replaces such a file by moving a new one over it, which no mounted file allows;
 * where it finds a link, it replaces what the link leads to. So a link is mounted, and leads to a folder of the command's.
 * And it hands the filter's supervisor what that needs.
 */
export interface Furnisher {
  furnish(request: Furnishing): Furnished;
  close(): void;
}

export interface Furnishing {
  readonly settings?: Pick<ConfigCopies, 'folder' | 'copies'> | undefined;
  /** The descriptor by which the filter's supervisor is reached. */
  readonly channel?: number | undefined;
  /** The supervisor does what the command does with files, too. */
  readonly isWatched?: boolean | undefined;
  /** The program that runs next. */
  readonly next: string;
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

/** Undefined where the processor is not known. */
export function createFurnisher(kernel: Kernel, filter: Buffer, watching: Buffer): Furnisher | undefined {
  const architecture: string = process.arch;
  if (!hasSeccomp(architecture)) return undefined;
  const open = (links: readonly LinkMount[], { channel, next, isWatched }: Furnishing) =>
    openMemoryProgram(
      kernel,
      compileFurnish({ links, filter: isWatched ? watching : filter, self: 3, channel, next }, architecture),
    );
  // Without links there are few different ones.
  const plain = new Map<string, number>();
  return {
    furnish(request) {
      const { settings, channel, next, isWatched } = request;
      if (!settings) {
        const key = `${channel} ${next} ${isWatched}`;
        const fd = plain.get(key) ?? open([], request);
        plain.set(key, fd);
        return { args: [], fd, close: () => {} };
      }
      const { folder, copies } = settings;
      const fd = open(
        copies.map(({ original }, index) => ({ link: `${linkFolder}/${index}`, over: original })),
        request,
      );
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
    close() {
      for (const fd of plain.values()) closeSync(fd);
      plain.clear();
    },
  };
}

/** As commands see it: in the root, where nothing else may be made. */
const linkFolder = '/.git-links';
