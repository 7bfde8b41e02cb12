import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { ToolError } from '../../../contract/error.ts';
import { text } from '../../../contract/text/text.ts';

/** Locks on files that all servers of this machine see, whatever their state folders. */
export interface Locks {
  /**
   * Waits for the file's lock. `fd` is a description of its own: the lock belongs to that, and the kernel frees it
   * when its holder dies. A file system without locks gives none. Throws `unavailable` when it takes too long.
   */
  take(fd: number, options?: LockOptions): Promise<void>;
  release(fd: number): void;
}

export interface LockOptions {
  /** Others may share it meanwhile. */
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
/** Whoever holds it writes and syncs, which takes about as long. */
const lookAgainMs = 1;
/** From this long on, it is looked for less often. */
const longMs = 1000;
const lookLaterMs = 10;

/** Throws `unavailable` where the C library cannot be reached. */
export function openLocks(): Locks {
  const { flock, errno } = loadFlock();
  return {
    async take(fd, { shared, waitMs = usualWaitMs, signal } = {}) {
      const beganAt = performance.now();
      while (flock(fd, (shared ? share : exclusive) | noWait) !== 0) {
        if (errno() !== isHeld) return;
        const waited = performance.now() - beganAt;
        if (waited > waitMs) throw held();
        await sleep(waited > longMs ? lookLaterMs : lookAgainMs, undefined, signal && { signal });
      }
    },
    release(fd) {
      // Not by closing alone: a child that is just being started holds a copy for a moment.
      flock(fd, unlock);
    },
  };
}

function loadFlock(): { flock: (fd: number, operation: number) => number; errno: () => number } {
  try {
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi');
    return {
      flock: koffi.load(null).func('int flock(int fd, int operation)'),
      errno: () => koffi.errno(),
    };
  } catch (cause) {
    throw new ToolError(
      'unavailable',
      text('Writes cannot be locked on this machine.', 'このマシンでは書き込みを排他制御できません。'),
      { cause },
    );
  }
}

function held(): ToolError {
  return new ToolError(
    'unavailable',
    text('Another program keeps this file locked.', '別のプログラムがこのファイルをロックし続けています。'),
    { suggestion: text('Try again in a moment.', '少し待ってから送り直してください。') },
  );
}
