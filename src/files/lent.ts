import { chmodSync, closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from 'node:fs';
import { errnoCode } from '../ground/errors/errno-code.ts';
import { itself, openPath } from './walk.ts';

/**
 * Rights on its own files and folders that the user lacks, lent for as long as this lasts. A command, or the person, may take them
 * from themselves (`chmod 000`) and give them back at any time, so a landing has to read and replace such entries too. Afterwards
 * each has its mode again, unless somebody has changed it since. Root lacks none.
 */
export class Lent implements Disposable {
  readonly #lent: { readonly fd: number; readonly former: number; readonly mode: number }[] = [];

  /** Lends what is missing to read a file, or to read, search and change a folder. `stat` is the entry's. */
  take(entry: Buffer | string, stat: Stats | undefined): void {
    if (!stat || !isLacking(stat)) return;
    // Another entry may have its place by now, or a link.
    const fd = openSync(entry, openPath | constants.O_NOFOLLOW);
    const now = fstatSync(fd);
    if (!isLacking(now)) {
      closeSync(fd);
      return;
    }
    const former = now.mode & 0o7777;
    const mode = former | rightsOf(now);
    chmodSync(itself(fd), mode);
    this.#lent.push({ fd, former, mode });
  }

  /** Lends what is missing of a folder below a layer; a file's change time tells whether others changed it. */
  folder(entry: Buffer | string, stat: Stats | undefined): void {
    if (stat?.isDirectory()) this.take(entry, stat);
  }

  /** This entry has its own mode now. */
  keep({ dev, ino }: Stats): void {
    const isIt = (fd: number) => {
      const now = fstatSync(fd);
      return now.dev === dev && now.ino === ino;
    };
    for (const each of this.#lent.filter(({ fd }) => isIt(fd))) {
      this.#lent.splice(this.#lent.indexOf(each), 1);
      closeSync(each.fd);
    }
  }

  [Symbol.dispose](): void {
    for (const { fd, former, mode } of this.#lent.splice(0).reverse()) {
      if ((fstatSync(fd).mode & 0o7777) === mode) chmodSync(itself(fd), former);
      closeSync(fd);
    }
  }
}

/** Runs `act` on an entry, a second time with rights lent for it if its user lacks them. */
export function withRights<T>(entry: Buffer | string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (errnoCode(error) !== 'EACCES') throw error;
    using lent = new Lent();
    lent.take(entry, lstatSync(entry));
    return act();
  }
}

function isLacking(stat: Stats): boolean {
  const rights = rightsOf(stat);
  return (stat.mode & rights) !== rights && user !== 0 && stat.uid === user;
}

function rightsOf(stat: Stats): number {
  if (stat.isDirectory()) return 0o700;
  return stat.isFile() ? 0o400 : 0;
}

const user = process.geteuid?.();
