import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';

/** Locks on files that all servers of this machine see, whatever their state folders. */
export type Locks = ReturnType<typeof openLocks>;

export interface LockOptions {
  /** Others may share it at the same time. */
  readonly shared?: boolean | undefined;
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const share = 1;
const exclusive = 2;
const noWait = 4;
const unlock = 8;
/** EAGAIN on Linux: another description holds it. */
const isHeld = 11;
const usualWaitMs = 30_000;
/** Its holder writes and syncs, which takes about as long. */
const lookAgainMs = 1;
/** After this long, poll less often. */
const longMs = 1000;
const lookLaterMs = 10;

/** Throws `unavailable` if the C library cannot be called. */
export function openLocks() {
  const { flock, errno } = loadFlock();
  return {
    /**
     * Waits for the file's lock. `fd` must be a separate description: the lock belongs to it, and the kernel releases it
     * if its holder dies. On a file system without locks, returns without one. Throws `unavailable` on timeout.
     */
    async take(fd: number, { shared, waitMs = usualWaitMs, signal }: LockOptions = {}) {
      const beganAt = performance.now();
      while (flock(fd, (shared ? share : exclusive) | noWait) !== 0) {
        if (errno() !== isHeld) return;
        const waited = performance.now() - beganAt;
        if (waited > waitMs)
          throw new ToolError(
            'unavailable',
            'Another program keeps this file locked.',
            '別のプログラムがこのファイルをロックし続けています。',
            text('Try again in a moment.', '少し待ってから送り直してください。'),
          );
        await sleep(waited > longMs ? lookLaterMs : lookAgainMs, undefined, signal && { signal });
      }
    },
    release(fd: number) {
      // Closing alone is not enough: a child that is being started has a copy for a moment.
      flock(fd, unlock);
    },
  };
}

function loadFlock(): { flock: (fd: number, operation: number) => number; errno: () => number } {
  try {
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi');
    return { flock: koffi.load(null).func('int flock(int fd, int operation)'), errno: () => koffi.errno() };
  } catch (cause) {
    throw new ToolError(
      'unavailable',
      'Writes cannot be locked on this machine.',
      'このマシンでは書き込みを排他制御できません。',
      { cause },
    );
  }
}
