import { type BigIntStats, closeSync, constants, fstatSync, openSync } from 'node:fs';
import { defer } from '../../ground/waiting/defer.ts';
import { itself } from '../walk.ts';
import { type CountedLines, countLines, isGrownFrom } from './count-lines.ts';
import type { FoundEncoding } from './encoding.ts';
import type { LineIndex } from './line-index.ts';

/** Line indexes of large files, cached between calls: each is valid for one inode, size and pair of times. */
export type LineIndexes = ReturnType<typeof createLineIndexes>;

const maxFiles = 64;
/** Marks of all files together: 8 MiB, enough for 64 GiB of text. */
const maxMarks = 1024 * 1024;
/** Up to this size a grown file is counted again, in about 10 ms: comparing samples is only likely right. */
const recountBytes = 64 * 1024 * 1024;
/** Two changes within one clock tick of the file system can have the same time. */
const tickMs = 50;

export function createLineIndexes() {
  const kept = new Map<string, Kept>();
  const counting = new Map<string, Count>();

  function find(stat: BigIntStats): Kept | undefined {
    const found = kept.get(keyOf(stat));
    return found && versionOf(stat) === found.version ? found : undefined;
  }

  function keep(stat: BigIntStats, counted: CountedLines): void {
    kept.delete(keyOf(stat));
    kept.set(keyOf(stat), { version: versionOf(stat), counted });
    let marks = 0;
    for (const each of kept.values()) marks += each.counted.before.newlines.length;
    for (const [key, each] of kept) {
      if (kept.size <= maxFiles && marks <= maxMarks) break;
      kept.delete(key);
      marks -= each.counted.before.newlines.length;
    }
  }

  async function count(fd: number, stat: BigIntStats, written: FoundEncoding, signal: AbortSignal) {
    using _ = defer(() => closeSync(fd));
    const startedMs = Date.now();
    const bytes = Number(stat.size);
    const older = kept.get(keyOf(stat))?.counted;
    const mayGrow = older && older.index.bytes > recountBytes && older.index.bytes < bytes;
    const grown = mayGrow && (await isGrownFrom(older, fd)) ? older : undefined;
    const counted = await countLines(fd, bytes, written, signal, grown);
    const isSettled = Math.abs(startedMs - Number(stat.ctimeMs)) > tickMs;
    if (isSettled && versionOf(fstatSync(fd, { bigint: true })) === versionOf(stat)) keep(stat, counted);
    return counted.index;
  }

  return {
    /** The cached index, if there is one. */
    peek: (stat: BigIntStats): LineIndex | undefined => find(stat)?.counted.index,
    /** The index, counted now if needed; calls for the same file share one count. */
    async get(
      fd: number,
      stat: BigIntStats,
      written: FoundEncoding,
      signal?: AbortSignal,
    ): Promise<LineIndex> {
      const found = find(stat);
      if (found) {
        // Moves it to the end: the least recently used file is dropped first.
        kept.delete(keyOf(stat));
        kept.set(keyOf(stat), found);
        return found.counted.index;
      }
      const version = `${keyOf(stat)} ${versionOf(stat)}`;
      let job = counting.get(version);
      if (!job) {
        const stop = new AbortController();
        const forget = () => counting.get(version) === job && counting.delete(version);
        // A descriptor of its own: the caller may stop waiting and close its own before the count is done.
        const own = openSync(itself(fd), constants.O_RDONLY);
        const abandon = () => {
          forget();
          stop.abort();
        };
        job = { abandon, waiting: 0, index: count(own, stat, written, stop.signal) };
        counting.set(version, job);
        job.index.then(forget, forget);
      }
      return waitFor(job, signal);
    },
  };
}

interface Kept {
  readonly version: string;
  readonly counted: CountedLines;
}

interface Count {
  readonly abandon: () => void;
  readonly index: Promise<LineIndex>;
  waiting: number;
}

/** Waits until the signal aborts; a count that no call waits for is stopped. */
async function waitFor(job: Count, signal: AbortSignal | undefined): Promise<LineIndex> {
  job.waiting++;
  const { promise: withdrawn, reject } = Promise.withResolvers<never>();
  const leave = () => reject(signal?.reason);
  try {
    signal?.throwIfAborted();
    signal?.addEventListener('abort', leave, { once: true });
    return await Promise.race([job.index, withdrawn]);
  } finally {
    signal?.removeEventListener('abort', leave);
    job.waiting--;
    if (job.waiting === 0) job.abandon();
  }
}

function keyOf(stat: BigIntStats): string {
  return `${stat.dev}:${stat.ino}`;
}

function versionOf(stat: BigIntStats): string {
  return `${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
}
