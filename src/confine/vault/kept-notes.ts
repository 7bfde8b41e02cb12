import { type BigIntStats, closeSync, fstatSync } from 'node:fs';
import type { Place } from '../../contract/files.ts';
import { buildIndex, cancelled, changed } from './build-index.ts';
import { type KeptNote, keepNote } from './open-note.ts';

/** Indexes of large notes, by device and inode, good for one size, time of modification and time of change. */
export interface KeptNotes {
  get(place: Place, stat: BigIntStats, version: string, signal: AbortSignal): KeptNote | Promise<KeptNote>;
}

const maxNotes = 64;
const maxIndexedBytes = 64 * 1024 ** 3;
/** A clock tick of the file system: a second change within it would show the same time. */
const tickMs = 50;

export function createKeptNotes(now: () => number = Date.now): KeptNotes {
  const kept = new Map<string, KeptNote>();
  const building = new Map<string, Building>();

  function keep(key: string, note: KeptNote): void {
    kept.delete(key);
    kept.set(key, note);
    let bytes = 0;
    for (const each of kept.values()) bytes += each.index.bytes;
    for (const [oldest, each] of kept) {
      if (kept.size <= maxNotes && bytes <= maxIndexedBytes) break;
      kept.delete(oldest);
      bytes -= each.index.bytes;
    }
  }

  async function build(
    place: Place,
    stat: BigIntStats,
    version: string,
    signal: AbortSignal,
  ): Promise<KeptNote> {
    const startedMs = now();
    const fd = place.openRead();
    try {
      if (!isSame(stat, fstatSync(fd, { bigint: true }))) throw changed();
      const note = keepNote(await buildIndex(fd, Number(stat.size), signal), version);
      const isSettled = Math.abs(startedMs - Number(stat.ctimeMs)) > tickMs;
      if (isSettled && isSame(stat, fstatSync(fd, { bigint: true }))) keep(keyOf(stat), note);
      return note;
    } finally {
      closeSync(fd);
    }
  }

  return {
    get(place, stat, version, signal) {
      const key = keyOf(stat);
      const note = kept.get(key);
      if (note?.version === version) {
        kept.delete(key);
        kept.set(key, note);
        return note;
      }
      kept.delete(key);
      // One count serves all who wait for it, and stops when nobody does.
      let job = building.get(version);
      if (!job) {
        const stop = new AbortController();
        const forget = () => {
          if (building.get(version) === job) building.delete(version);
        };
        const note = build(place, stat, version, stop.signal).finally(forget);
        const abandon = () => {
          forget();
          stop.abort();
        };
        job = { note, abandon, waiting: 0 };
        building.set(version, job);
      }
      return wait(job, signal);
    },
  };
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
      reject(cancelled());
    };
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    job.note.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
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
