import { Buffer } from 'node:buffer';

/** What a child is started with. Descriptors become 0, 1, 2 … of the child, in order; it sees no other. */
export interface PosixSpawnOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly workingFolder: string;
  readonly descriptors: readonly number[];
}

/** Starts children; both throw or reject where the kernel refuses. */
export interface PosixSpawn {
  /** From this very thread, whose walls the child inherits. */
  now(spawnOptions: PosixSpawnOptions): number;
  /**
   * From a thread of Node's pool: whoever starts a child stands still until it has become its program, and on a busy
   * machine that is many milliseconds. The descriptors must stay open until it resolves.
   */
  apart(spawnOptions: PosixSpawnOptions): Promise<number>;
}

/**
 * The C library's posix_spawn, which does not copy the server's memory map as Node's fork does: a quarter of the
 * time. The child leads a session of its own. Nobody collects it but `collect`. Throws where koffi is missing.
 */
export async function openPosixSpawn(): Promise<PosixSpawn> {
  const { load } = await import('koffi');
  const libc = load(null);
  const spawn = libc.func(
    'int posix_spawn(uint8_t *pid, str path, uint8_t *actions, uint8_t *attributes, str *argv, str *envp)',
  );
  const initActions = libc.func('int posix_spawn_file_actions_init(uint8_t *actions)');
  const addDup = libc.func('int posix_spawn_file_actions_adddup2(uint8_t *actions, int from, int to)');
  const addClose = libc.func('int posix_spawn_file_actions_addclose(uint8_t *actions, int fd)');
  const addFolder = libc.func('int posix_spawn_file_actions_addchdir_np(uint8_t *actions, str path)');
  const destroyActions = libc.func('int posix_spawn_file_actions_destroy(uint8_t *actions)');
  const initAttributes = libc.func('int posix_spawnattr_init(uint8_t *attributes)');
  const destroyAttributes = libc.func('int posix_spawnattr_destroy(uint8_t *attributes)');
  const setFlags = libc.func('int posix_spawnattr_setflags(uint8_t *attributes, short flags)');
  const setDefaults = libc.func('int posix_spawnattr_setsigdefault(uint8_t *attributes, uint8_t *signals)');
  const setMask = libc.func('int posix_spawnattr_setsigmask(uint8_t *attributes, uint8_t *signals)');
  const assertDone = (error: number) => {
    if (error !== 0) throw new Error(`posix_spawn: errno ${error}`);
  };

  /** All that the call takes, filled in, and what frees it: until then nothing of it may be collected as garbage. */
  function prepare({ program, args, environment, workingFolder, descriptors }: PosixSpawnOptions) {
    // Larger than either structure is in any C library.
    const actions = Buffer.alloc(512);
    const attributes = Buffer.alloc(512);
    assertDone(initActions(actions));
    assertDone(initAttributes(attributes));
    const free = () => {
      destroyActions(actions);
      destroyAttributes(attributes);
    };
    try {
      assertDone(addFolder(actions, workingFolder));
      // One that lies where another will go is moved out of the way first.
      const sources = descriptors.map((fd, index) => {
        if (fd >= descriptors.length || fd === index) return fd;
        assertDone(addDup(actions, fd, spareFrom + index));
        return spareFrom + index;
      });
      for (const [index, fd] of sources.entries()) assertDone(addDup(actions, fd, index));
      for (const fd of sources) if (fd >= spareFrom) assertDone(addClose(actions, fd));
      assertDone(setFlags(attributes, defaultSignals | setSignalMask | newSession));
      assertDone(setDefaults(attributes, Buffer.alloc(128, 0xff)));
      assertDone(setMask(attributes, Buffer.alloc(128)));
    } catch (error) {
      free();
      throw error;
    }
    const pid = Buffer.alloc(4);
    const words = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    return {
      pid,
      free,
      all: [pid, program, actions, attributes, [program, ...args, null], [...words, null]],
    };
  }

  return {
    now(spawnOptions) {
      const { pid, free, all } = prepare(spawnOptions);
      try {
        assertDone(spawn(...all));
        return pid.readInt32LE(0);
      } finally {
        free();
      }
    },
    async apart(spawnOptions) {
      const { pid, free, all } = prepare(spawnOptions);
      try {
        const { promise, resolve, reject } = Promise.withResolvers<number>();
        spawn.async(...all, (error: unknown, errno: number) => (error ? reject(error) : resolve(errno)));
        assertDone(await promise);
        return pid.readInt32LE(0);
      } finally {
        free();
      }
    },
  };
}

const spareFrom = 900;
const defaultSignals = 0x04;
const setSignalMask = 0x08;
const newSession = 0x80;
