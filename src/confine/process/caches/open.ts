import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Spawner } from '../child/child.ts';
import { startSweep } from './sweep.ts';
import { cacheVariables } from './variables.ts';

export interface CacheOptions {
  /** Where the caches of all roots are kept. */
  readonly folder: string;
  /** What those of one set of roots may hold; 0: none are kept. */
  readonly maxBytes: number;
  /** How long nothing must run before they are looked at. */
  readonly idleMs?: number | undefined;
}

/** The caches of one set of roots: who may write in these may write there, and nobody else reads it. */
export function cacheFolder(
  { folder, maxBytes }: CacheOptions,
  roots: readonly string[],
): string | undefined {
  if (maxBytes === 0) return undefined;
  const name = createHash('sha256')
    .update(JSON.stringify([...roots].sort()))
    .digest('hex')
    .slice(0, 16);
  const path = join(folder, name);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}

export interface CacheKeeper {
  /** Where commands find them. */
  readonly place: string;
  readonly variables: Readonly<Record<string, string>>;
  /** A command that uses them begins; the returned function says that it has ended. */
  use(): () => void;
  close(): Promise<void>;
}

/** Looks at the size of caches where commands have ended and none has begun since. */
export function keepCaches(
  spawner: Spawner,
  {
    place,
    maxBytes,
    root,
    idleMs = defaultIdleMs,
  }: Omit<CacheOptions, 'folder'> & { readonly place: string; readonly root: string },
): CacheKeeper {
  let using = 0;
  let timer: NodeJS.Timeout | undefined;
  let sweeping: ReturnType<typeof startSweep> | undefined;
  let sweptAtMs = Number.NEGATIVE_INFINITY;

  function sweep(): void {
    sweptAtMs = Date.now();
    const own = startSweep(spawner, { place, maxBytes, root });
    sweeping = own;
    void own
      .then((started) => started?.ended)
      .finally(() => {
        if (sweeping === own) sweeping = undefined;
      });
  }

  async function stop(): Promise<void> {
    clearTimeout(timer);
    const started = await sweeping;
    started?.stop();
    await started?.ended;
  }

  return {
    place,
    variables: cacheVariables(place),
    use() {
      using++;
      void stop();
      return () => {
        using--;
        if (using > 0) return;
        clearTimeout(timer);
        timer = setTimeout(sweep, Math.max(idleMs, sweptAtMs + idleMs * betweenSweeps - Date.now()));
        timer.unref();
      };
    },
    close: stop,
  };
}

const defaultIdleMs = 30_000;
/** Times as long: counting many files takes seconds of the disk. */
const betweenSweeps = 20;
