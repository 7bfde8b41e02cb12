import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Spawner } from '../child/child.ts';
import { startSweep } from './sweep.ts';

export interface CacheOptions {
  /** The folder for the caches of all roots. */
  readonly folder: string;
  /** Maximum size for one set of roots; 0: no caches are kept. */
  readonly maxBytes: number;
  /** How long no command must run before the sizes are checked. */
  readonly idleMs?: number | undefined;
}

/** The cache folder of one set of roots: only callers who may write these roots use it. */
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
  /** The path of the caches for commands. */
  readonly place: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Notes that a command begins to use them; the returned function notes its end. */
  use(): () => void;
  close(): Promise<void>;
}

/** Checks the size of caches when commands have ended and no other has begun since. */
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
/** Wait this many times as long as a sweep took: counting many files takes seconds of disk time. */
const betweenSweeps = 20;

/** Variables that put the caches of package managers and compilers into one folder. */
function cacheVariables(folder: string): Readonly<Record<string, string>> {
  const local = `-Dmaven.repo.local=${join(folder, 'maven')}`;
  return {
    // For pip, uv, go build, yarn 1, deno, corepack, pre-commit and most others.
    XDG_CACHE_HOME: folder,
    // Maven before 3.9 knows only MAVEN_OPTS, which a command often sets itself. Both are split at spaces.
    ...(/\s/.test(folder) ? {} : { MAVEN_ARGS: local, MAVEN_OPTS: local }),
    ...Object.fromEntries(Object.entries(ownNames).map(([variable, name]) => [variable, join(folder, name)])),
  };
}

const ownNames = {
  CARGO_HOME: 'cargo',
  GOMODCACHE: 'go-mod',
  GRADLE_USER_HOME: 'gradle',
  NUGET_PACKAGES: 'nuget',
  BUN_INSTALL_CACHE_DIR: 'bun',
  YARN_GLOBAL_FOLDER: 'yarn-berry',
  npm_config_cache: 'npm',
  // pnpm links from its store into projects, and creates a store in the project if it cannot.
  pnpm_config_store_dir: 'pnpm-store',
};
