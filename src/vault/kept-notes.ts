import { hash } from 'node:crypto';
import { type BigIntStats, closeSync, fstatSync, openSync } from 'node:fs';
import { createTallier, type Tallier } from '../files/text/tally.ts';
import { cancelled } from '../ground/errors/cancelled.ts';
import { createTurns } from '../ground/turns.ts';
import { buildIndex } from './build-index.ts';
import { isGrownFrom, readTail } from './growth.ts';
import { type KeptNote, keepNote } from './open-note.ts';

/** Indexes of large notes by device and inode, valid for one size, modification time and change time. */
export interface KeptNotes {
  get(fd: number, stat: BigIntStats, signal: AbortSignal): KeptNote | Promise<KeptNote>;
}

/** Changes whenever the file does; reveals nothing about it. */
export function versionOf(stat: BigIntStats): string {
  return hash('sha256', `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`).slice(0, 12);
}

const maxNotes = 64;
const maxTalliers = 4;
const maxIndexedBytes = 64 * 1024 ** 3;
/** A clock tick of the file system: a second change within it would have the same time. */
const tickMs = 50;

export function createKeptNotes(now: () => number = Date.now): KeptNotes {
  const kept = new Map<string, Kept>();
  const building = new Map<string, Building>();
  const talliers = new Map<number, Tallier>();
  const turns = createTurns();
  let nextSeat = 0;

  /** A tallier holds two chunks; limiting their number limits memory, however many files wait. */
  function atDesk<T>(work: (tallier: Tallier) => Promise<T>): Promise<T> {
    const seat = nextSeat;
    nextSeat = (nextSeat + 1) % maxTalliers;
    return turns.take(String(seat), () => {
      const tallier = talliers.get(seat) ?? createTallier();
      talliers.set(seat, tallier);
      return work(tallier);
    });
  }

  function keep(key: string, entry: Kept): void {
    kept.delete(key);
    kept.set(key, entry);
    let bytes = 0;
    for (const { note } of kept.values()) bytes += note.index.bytes;
    for (const [oldest, { note }] of kept) {
      if (kept.size <= maxNotes && bytes <= maxIndexedBytes) break;
      kept.delete(oldest);
      bytes -= note.index.bytes;
    }
  }

  async function build(
    fd: number,
    stat: BigIntStats,
    version: string,
    signal: AbortSignal,
  ): Promise<KeptNote> {
    const startedMs = now();
    const key = keyOf(stat);
    try {
      const bytes = Number(stat.size);
      const index = await atDesk(async (tallier) => {
        const older = kept.get(key)?.note;
        const known = older && isGrownFrom(tallier, older, fd, bytes) ? older.index : undefined;
        if (!known) kept.delete(key);
        return buildIndex(tallier, fd, bytes, signal, known);
      });
      const note = keepNote(index, version, readTail(fd, bytes));
      const isSettled = Math.abs(startedMs - Number(stat.ctimeMs)) > tickMs;
      if (isSettled && isSame(stat, fstatSync(fd, { bigint: true }))) keep(key, { stat, note });
      return note;
    } finally {
      closeSync(fd);
    }
  }

  return {
    get(fd, stat, signal) {
      const key = keyOf(stat);
      const entry = kept.get(key);
      if (entry && isSame(entry.stat, stat)) {
        kept.delete(key);
        kept.set(key, entry);
        return entry.note;
      }
      const version = versionOf(stat);
      // One count serves all that wait for it, and stops when none does.
      let job = building.get(version);
      if (!job) {
        const stop = new AbortController();
        const forget = () => {
          if (building.get(version) === job) building.delete(version);
        };
        const counted = build(reopen(fd), stat, version, stop.signal).finally(forget);
        const abandon = () => {
          forget();
          stop.abort();
        };
        job = { note: counted, abandon, waiting: 0 };
        building.set(version, job);
        // Waiters get the error; without any, it does not matter.
        counted.catch(() => undefined);
      }
      return wait(job, signal);
    },
  };
}

interface Kept {
  readonly stat: BigIntStats;
  readonly note: KeptNote;
}

interface Building {
  readonly note: Promise<KeptNote>;
  readonly abandon: () => void;
  waiting: number;
}

function wait(job: Building, signal: AbortSignal): Promise<KeptNote> {
  job.waiting += 1;
  return new Promise<KeptNote>((resolve, reject) => {
    const leave = () => {
      job.waiting -= 1;
      if (job.waiting === 0) job.abandon();
      reject(cancelled('read'));
    };
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    job.note.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** Opens the same file again: the count may outlast the call that began it. */
function reopen(fd: number): number {
  return openSync(`/proc/self/fd/${fd}`, 'r');
}

function keyOf(stat: BigIntStats): string {
  return `${stat.dev}:${stat.ino}`;
}

function isSame(left: BigIntStats, right: BigIntStats): boolean {
  return (
    left.ino === right.ino &&
    left.dev === right.dev &&
    left.size === right.size &&
    left.mtimeNs === right.mtimeNs &&
    left.ctimeNs === right.ctimeNs
  );
}
