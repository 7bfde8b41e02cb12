/**
 * Gives the new file `to` the access list and extended attributes of the file `from`, and removes those that only its
 * folder gave it. Throws if an access list cannot be set or removed.
 */
export type CarryOver = (from: number, to: number) => Promise<void>;

/**
 * With an access list, the mode's group bits are its upper bound: copied without the list, they would grant that much
 * to the group. Node supports neither, so libc is called, from the first replaced file on; without koffi only the mode
 * is kept.
 */
export function createCarryOver(isCarried: (name: string) => boolean = () => true): CarryOver {
  let opened: Promise<Libc | undefined> | undefined;
  return async (from, to) => {
    // Without koffi only the mode is kept.
    opened ??= openLibc().catch(() => undefined);
    const libc = await opened;
    if (!libc) return;
    const names = libc.list(from);
    for (const name of libc.list(to)) {
      if (name === accessList && !names.includes(name) && !libc.remove(to, name)) throw notKept();
    }
    for (const name of names) {
      if ((name !== accessList && !name.startsWith('user.')) || !isCarried(name)) continue;
      const value = libc.get(from, name);
      const isKept = value !== undefined && libc.set(to, name, value);
      // An attribute without room may be lost; a right may not.
      if (!isKept && name === accessList) throw notKept();
    }
  };
}

const accessList = 'system.posix_acl_access';
/** The kernel's own limits for a list of names and for a value. */
const mostBytes = 65_536;

type Libc = Awaited<ReturnType<typeof openLibc>>;

async function openLibc() {
  const { load } = await import('koffi');
  const libc = load(null);
  const list = libc.func('long flistxattr(int fd, uint8_t *list, unsigned long size)');
  const get = libc.func('long fgetxattr(int fd, const char *name, uint8_t *value, unsigned long size)');
  const set = libc.func(
    'int fsetxattr(int fd, const char *name, const uint8_t *value, unsigned long size, int flags)',
  );
  const remove = libc.func('int fremovexattr(int fd, const char *name)');
  const space = Buffer.alloc(mostBytes);
  return {
    list(fd: number): readonly string[] {
      const length = Number(list(fd, space, space.length));
      return length > 0 ? space.toString('utf8', 0, length - 1).split('\0') : [];
    },
    get(fd: number, name: string): Buffer | undefined {
      const length = Number(get(fd, name, space, space.length));
      return length < 0 ? undefined : Buffer.from(space.subarray(0, length));
    },
    set: (fd: number, name: string, value: Buffer): boolean => set(fd, name, value, value.length, 0) === 0,
    remove: (fd: number, name: string): boolean => remove(fd, name) === 0,
  };
}

/** `fault` translates it for the caller. */
function notKept(): Error {
  return Object.assign(new Error('The access list could not be carried over.'), { code: 'EPERM' });
}
