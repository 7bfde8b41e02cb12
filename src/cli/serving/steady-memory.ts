import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Keeps a long-running server as small as it was after its first thousand calls. V8 doubles the room of young objects
 * whenever several calls are under way as it collects, up to a hundred MiB that a tool server gains nothing from; and
 * until it has collected everything once, it lets old garbage pile up to a share of the machine's memory.
 */
export function keepMemorySteady(enoughBytes: number = enoughYoungBytes): void {
  const observer = new PerformanceObserver(() => {
    if (youngBytes() < enoughBytes) return;
    observer.disconnect();
    setFlagsFromString('--semi-space-growth-factor=1');
    // When the calls of this moment are over: it takes some 10 ms.
    setTimeout(() => void collectEverything(), quietMs).unref();
  });
  observer.observe({ entryTypes: ['gc'] });
}

/** What V8 holds ready for objects that were just made. */
export function youngBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0;
}

async function collectEverything(): Promise<void> {
  const { runInNewContext } = await import('node:vm');
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect();
}

const enoughYoungBytes = 16 * 1024 * 1024;
const quietMs = 500;
