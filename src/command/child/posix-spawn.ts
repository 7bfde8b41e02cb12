import type { StageSpawnRequest } from '../../contract/capabilities/pipeline.ts';
import { defer } from '../../ground/waiting/defer.ts';

/** Options of a child. The descriptors become its 0, 1, 2 … in order; it has no others. */
export type PosixSpawnOptions = Omit<StageSpawnRequest, 'readable' | 'writable'>;

/**
 * Uses the C library's posix_spawn, which does not copy the server's memory map as Node's fork does, and takes a
 * quarter of the time. The child leads its own session. Only `collect` reaps it. Throws without koffi.
 */
export async function openPosixSpawn() {
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

  /** Fills in all arguments of the call, with a function that frees them: until then none may be garbage-collected. */
  function prepare({ program, args, environment, workingFolder, descriptors }: PosixSpawnOptions) {
    // Larger than these structures in any C library.
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
      // Move a descriptor whose number another one needs.
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
    /** Starts from the calling thread, whose restrictions the child inherits. */
    now(spawnOptions: PosixSpawnOptions): number {
      const { pid, free, all } = prepare(spawnOptions);
      using _ = defer(() => free());
      assertDone(spawn(...all));
      return pid.readInt32LE(0);
    },
    /**
     * Starts from a thread of Node's pool: the starting thread is blocked until the child has become its program, which
     * on a busy machine takes many milliseconds. The descriptors must stay open until it resolves.
     */
    async apart(spawnOptions: PosixSpawnOptions): Promise<number> {
      const { pid, free, all } = prepare(spawnOptions);
      using _ = defer(() => free());
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      spawn.async(...all, (error: unknown, errno: number) => (error ? reject(error) : resolve(errno)));
      assertDone(await promise);
      return pid.readInt32LE(0);
    },
  };
}

const spareFrom = 900;
const defaultSignals = 0x04;
const setSignalMask = 0x08;
const newSession = 0x80;
