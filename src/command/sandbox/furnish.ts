import { closeSync } from 'node:fs';
import type { ConfigCopies } from '../../git/config-copies.ts';
import { copiesFolder } from '../../git/copied-config.ts';
import { compileFurnish, furnishRights, type LinkMount } from '../child/furnish-program.ts';
import { openMemoryProgram } from '../child/memory-program.ts';
import type { Kernel } from '../seccomp/kernel.ts';

export type Furnisher = ReturnType<typeof createFurnisher>;

interface Furnishing {
  readonly settings?: Pick<ConfigCopies, 'folder' | 'copies'> | undefined;
  /** The descriptor for reaching the filter's supervisor. */
  readonly channel?: number | undefined;
  /** The supervisor also performs the command's file calls. */
  readonly isWatched?: boolean | undefined;
  /** The program that runs next. */
  readonly next: string;
}

/** Runs it in the sandbox, followed by the words of the next program. */
export const furnishProgram = '/proc/self/fd/3';

/**
 * Shows commands copies of settings. git replaces such a file by renaming a new one over it, which fails on a mounted
 * file; but it follows a link and replaces the target. So a link to a folder of the command is mounted. Also passes the
 * filter supervisor its descriptors.
 */
export function createFurnisher(kernel: Kernel, filter: Buffer, watching: Buffer) {
  const open = (links: readonly LinkMount[], { channel, next, isWatched }: Furnishing) =>
    openMemoryProgram(
      kernel,
      compileFurnish({ links, filter: isWatched ? watching : filter, self: 3, channel, next }),
    );
  // Cached, because without links there are few variants.
  const plain = new Map<string, number>();
  return {
    /** `args`: for bubblewrap, in place of the filter; `fd`: the program that loads it, as the child's descriptor 3. */
    furnish(request: Furnishing) {
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

/** As commands see it: in the root folder, where they can create nothing. */
const linkFolder = '/.git-links';
