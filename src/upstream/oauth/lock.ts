import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { defer } from '../../ground/defer.ts';
import { errnoCode } from '../../ground/errors/errno-code.ts';

/** Longer than any request under the lock: its holder hangs or is on another machine. */
const staleMs = 60_000;
const pollMs = 50;

/**
 * Waits for the lock file and takes it; the returned function releases it. A lock is broken if its process is gone, or
 * it is older than any work under it.
 */
export async function acquireLock(path: string): Promise<() => void> {
  const mine = `${process.pid} ${Date.now()} ${hostname()} ${randomBytes(8).toString('hex')}\n`;
  const ticket = `${path}.${randomBytes(8).toString('hex')}`;
  writeFileSync(ticket, mine, { mode: 0o600, flag: 'wx' });
  using _ = defer(() => rmSync(ticket, { force: true }));
  for (;;) {
    // link() creates the file with its content, so a half-written lock is never read.
    if (take(ticket, path)) return () => release(path, mine);
    const held = read(path);
    if (held !== undefined && isStale(held)) breakLock(path, held);
    else await pause(pollMs);
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

/** Renames it first, so that only one process breaks it; another process's lock is put back. */
function breakLock(path: string, held: string): void {
  const aside = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    renameSync(path, aside);
  } catch {
    // Another process was first.
    return;
  }
  if (read(aside) !== held) take(aside, path);
  rmSync(aside, { force: true });
}

function isStale(held: string): boolean {
  const [pid, takenAtMs, host] = held.split(' ');
  // A time in the future is stale, too: clocks are set back.
  if (!(Math.abs(Date.now() - Number(takenAtMs)) < staleMs)) return true;
  // In another container the number means another process, or none.
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
