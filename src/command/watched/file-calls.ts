import { openPath } from '../../files/walk.ts';
import type { Kernel } from '../seccomp/kernel.ts';

/** The file calls of a supervisor for a caller. Names are bytes in an open folder. Failures are negated errors. */
export type FileCalls = ReturnType<typeof createFileCalls>;

/** A change of what a file system keeps of an entry besides its content and names. */
export type Alteration =
  | { readonly kind: 'mode'; readonly mode: number }
  /** -1: it stays. */
  | { readonly kind: 'owner'; readonly user: number; readonly group: number }
  /** `struct timespec[2]`; undefined: now. */
  | { readonly kind: 'times'; readonly times: Buffer | undefined }
  /** Without a value it is removed. */
  | { readonly kind: 'attribute'; readonly name: Buffer; readonly value?: Buffer; readonly flags?: number };

export interface FileStat {
  /** Identifies the file as long as it exists. */
  readonly key: string;
  readonly mode: number;
  readonly user: number;
  readonly group: number;
  readonly links: number;
  readonly bytes: number;
  readonly mtimeMs: number;
  readonly number: number;
  readonly isFile: boolean;
  readonly isFolder: boolean;
  readonly isLink: boolean;
  readonly isFifo: boolean;
  /** Is it a mount point for the caller, as read-only paths are? */
  readonly isMountRoot: boolean;
  /** Of a device: its device number. */
  readonly rdev: string;
}

export function createFileCalls({ syscall, errno }: Kernel) {
  const done = (result: number) => (result < 0 ? -errno() : result);
  // They live for one system call.
  const [first, second] = [Buffer.alloc(longestPath + 1), Buffer.alloc(longestPath + 1)];
  const text = (name: Buffer, into = first) => {
    if (name.length > longestPath) throw new RangeError('a path of that length is none');
    name.copy(into);
    into[name.length] = 0;
    return into;
  };
  const itself = (fd: number) => Buffer.from(`/proc/self/fd/${fd}\0`);
  const stat = Buffer.alloc(256);
  /** The kernel's own limits for a list of names and for a value. */
  const space = Buffer.alloc(65_536);
  return {
    openAt: (folder: number, name: Buffer, flags: number, mode = 0): number =>
      done(syscall('openat', folder, text(name), flags, mode)),
    /** The entry of this name itself, without following a link; with an empty name the open file. */
    statAt(folder: number, name: Buffer): FileStat | number {
      const flags = emptyPath | notFollowed;
      const result = done(syscall('statx', folder, text(name), flags, 0xfff, stat));
      return result < 0 ? result : readStat(stat);
    },
    /** May this process change names in an open folder? The mount may be read-only, the folder another user's. */
    mayChangeIn: (folder: number): number => done(syscall('faccessat', folder, dot, 3)),
    unlinkAt: (folder: number, name: Buffer, isFolder: boolean): number =>
      done(syscall('unlinkat', folder, text(name), isFolder ? 0x200 : 0)),
    renameAt: (from: number, name: Buffer, to: number, newName: Buffer, flags: number): number =>
      done(syscall('renameat2', from, text(name), to, text(newName, second), flags)),
    linkAt: (from: number, name: Buffer, to: number, newName: Buffer, follows = false): number =>
      done(syscall('linkat', from, text(name), to, text(newName, second), follows ? 0x400 : 0)),
    symlinkAt: (target: Buffer, folder: number, name: Buffer): number =>
      done(syscall('symlinkat', text(target), folder, text(name, second))),
    makeNodeAt: (folder: number, name: Buffer, mode: number, device: number): number =>
      done(syscall('mknodat', folder, text(name), mode, device)),
    /** Requests a read lease and returns it: the kernel refuses it if another process may write. */
    lease(fd: number): number {
      // A process that opens it now causes a signal to us: use one that is ignored.
      syscall('fcntl', fd, 10, 23); // F_SETSIG, SIGURG
      const given = done(syscall('fcntl', fd, 1024, 0)); // F_SETLEASE, F_RDLCK
      if (given === 0) syscall('fcntl', fd, 1024, 2); // F_UNLCK
      return given;
    },
    truncate: (fd: number, bytes: bigint): number => done(syscall('ftruncate', fd, Number(bytes))),
    changeMode: (fd: number, mode: number) => void syscall('fchmod', fd, mode),
    /** Of the entry of a descriptor, also an O_PATH one. */
    alter(fd: number, change: Alteration): number {
      const at = itself(fd);
      switch (change.kind) {
        case 'mode':
          return done(syscall('fchmodat', here, at, change.mode));
        case 'owner':
          return done(syscall('fchownat', here, at, change.user, change.group, 0));
        case 'times':
          return done(syscall('utimensat', here, at, change.times ?? null, 0));
        case 'attribute': {
          const { name, value, flags = 0 } = change;
          return done(
            value === undefined
              ? syscall('removexattr', at, text(name))
              : syscall('setxattr', at, text(name), value, value.length, flags),
          );
        }
      }
    },
    /** Its extended attributes, with those that this process may read; bytes, one per character. */
    attributesOf(fd: number): Readonly<Record<string, string>> {
      const at = itself(fd);
      const length = syscall('listxattr', at, space, space.length);
      const names = length <= 0 ? [] : space.toString('latin1', 0, length - 1).split('\0');
      const found: Record<string, string> = {};
      for (const name of names) {
        const named = text(Buffer.from(name, 'latin1'));
        const bytes = syscall('getxattr', at, named, space, space.length);
        if (bytes >= 0) found[name] = space.toString('latin1', 0, bytes);
      }
      return found;
    },
    /** Sets the status flags of an open file. */
    setFlags: (fd: number, flags: number) => void syscall('fcntl', fd, 4, flags),
    /** Gives up root's extra rights, in this thread only. */
    dropRights(): void {
      const header = Buffer.alloc(8);
      header.writeUInt32LE(0x20080522, 0);
      if (syscall('capset', header, Buffer.alloc(24)) !== 0) throw new Error('capset was refused');
    },
  };
}

/** Of struct statx. */
function readStat(bytes: Buffer): FileStat {
  const mode = bytes.readUInt16LE(28);
  const kind = mode & 0o170000;
  const number = bytes.readUInt32LE(32) + bytes.readUInt32LE(36) * 2 ** 32;
  const device = `${bytes.readUInt32LE(136)}:${bytes.readUInt32LE(140)}`;
  const born = `${bytes.readUInt32LE(80)}.${bytes.readUInt32LE(88)}`;
  return {
    key: `${device}:${bytes.readUInt32LE(32)}.${bytes.readUInt32LE(36)}:${born}`,
    mode: mode & 0o7777,
    user: bytes.readUInt32LE(20),
    group: bytes.readUInt32LE(24),
    links: bytes.readUInt32LE(16),
    bytes: bytes.readUInt32LE(40) + bytes.readUInt32LE(44) * 2 ** 32,
    mtimeMs: Number(bytes.readBigInt64LE(112)) * 1000 + bytes.readUInt32LE(120) / 1e6,
    number,
    isFile: kind === 0o100000,
    isFolder: kind === 0o040000,
    isLink: kind === 0o120000,
    isFifo: kind === 0o010000,
    // STATX_ATTR_MOUNT_ROOT of stx_attributes.
    isMountRoot: (bytes.readUInt32LE(8) & 0x2000) !== 0,
    rdev: kind === 0o020000 ? `${bytes.readUInt32LE(128)}:${bytes.readUInt32LE(132)}` : '',
  };
}

/** AT_FDCWD, for callers too. */
export const here = -100;
/** O_PATH and O_CLOEXEC. */
export const place = openPath | 0o2000000;
const longestPath = 4096;
const dot = Buffer.from('.\0');
const emptyPath = 0x1000;
const notFollowed = 0x100;
