import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { errnoCode } from '../../ground/errors/errno-code.ts';

/** Longer than any request under the lock can take: its holder hangs or is on another machine. */
const staleMs = 60_000;
const pollMs = 50;

/**
 * Waits for the lock file and takes it; the returned function gives it back. A lock whose process is gone, or that is
 * older than any work under it, is broken.
 */
export async function acquireLock(path: string): Promise<() => void> {
  const mine = `${process.pid} ${Date.now()} ${hostname()} ${randomBytes(8).toString('hex')}\n`;
  const ticket = `${path}.${randomBytes(8).toString('hex')}`;
  writeFileSync(ticket, mine, { mode: 0o600, flag: 'wx' });
  try {
    for (;;) {
      // A link appears whole: nobody reads a lock that is half written.
      if (take(ticket, path)) return () => release(path, mine);
      const held = read(path);
      if (held !== undefined && isStale(held)) breakLock(path, held);
      else await pause(pollMs);
    }
  } finally {
    rmSync(ticket, { force: true });
  }
}

function take(ticket: string, path: string): boolean {
  try {
    linkSync(ticket, path);
    return true;
  } catch (error) {
    if (errnoCode(error) !== 'EEXIST') throw error;
    return false;
  }
}

function release(path: string, mine: string): void {
  if (read(path) === mine) rmSync(path, { force: true });
}

/** Moved away first, so that of two that break it one does; what turns out to be another's goes back. */
function breakLock(path: string, held: string): void {
  const aside = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    renameSync(path, aside);
  } catch {
    // Another one was quicker.
    return;
  }
  if (read(aside) !== held) take(aside, path);
  rmSync(aside, { force: true });
}

function isStale(held: string): boolean {
  const [pid, takenAtMs, host] = held.split(' ');
  // Also one from the future: clocks are set back.
  if (!(Math.abs(Date.now() - Number(takenAtMs)) < staleMs)) return true;
  // In another container the same number is another process, or none.
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return errnoCode(error) === 'ESRCH';
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
