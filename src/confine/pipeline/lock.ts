import { closeSync, constants, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text.ts';

export type WithLock = <T>(fd: number, work: () => Promise<T>) => Promise<T>;

const exclusiveNoWait = 2 | 4;
const waitMs = 30_000;

/**
 * Turns on a file that all servers of a workspace share. The kernel frees it when its holder dies, so nothing can be
 * left locked. Throws `unavailable` where the C library cannot be reached.
 */
export function openLock(): WithLock {
  let flock: (fd: number, operation: number) => number;
  try {
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi');
    flock = koffi.load(null).func('int flock(int fd, int operation)');
  } catch (cause) {
    throw new ToolError(
      'unavailable',
      text('Writes cannot be locked on this machine.', 'このマシンでは書き込みの排他ができません。'),
      { cause },
    );
  }
  return async (fd, work) => {
    // A description of its own: locks belong to it, and inherited copies would share it.
    const own = openSync(`/proc/self/fd/${fd}`, constants.O_RDWR);
    try {
      for (let waited = 0; flock(own, exclusiveNoWait) !== 0; waited += 5) {
        if (waited > waitMs) {
          throw new ToolError(
            'unavailable',
            text('Another server is writing here.', '別のサーバーが書き込み中です。'),
            { suggestion: text('Try again in a moment.', '少し待ってから送り直してください。') },
          );
        }
        await sleep(5);
      }
      return await work();
    } finally {
      closeSync(own);
    }
  };
}
