import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Keeps a long-running server as small as it was after its first thousand calls. V8 doubles the space of young objects
 * whenever several calls run during a collection, up to 100 MiB that a tool server gains nothing from; and until its
 * first full collection, it lets old garbage grow to a share of the machine's memory.
 */
export function keepMemorySteady(enoughBytes: number = enoughYoungBytes): void {
  const observer = new PerformanceObserver(() => {
    if (youngBytes() < enoughBytes) return;
    observer.disconnect();
    setFlagsFromString('--semi-space-growth-factor=1');
    // Waits for the current calls to end, since a collection takes some 10 ms.
    setTimeout(() => void collectEverything(), quietMs).unref();
  });
  observer.observe({ entryTypes: ['gc'] });
}

/** The space that V8 reserves for new objects. */
export function youngBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0;
}

/** Gives back the memory that nothing needs. Takes some 20 ms, in which nothing else runs. */
export async function collectEverything(): Promise<void> {
  const { runInNewContext } = await import('node:vm');
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') {
    collect();
    // Another thread frees the buffers that it found; the next collection begins when that thread is done.
    collect();
  }
  const { trimAllocator } = await import('../../checkpoint/index.ts');
  await trimAllocator();
}

const enoughYoungBytes = 16 * 1024 * 1024;
const quietMs = 500;
