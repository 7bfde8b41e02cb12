import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Spawner } from '../child/child.ts';
import { waitForEnd } from '../child/run-child.ts';
import { defaultProcessLimits } from '../prelude.ts';

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

export type CacheKeeper = ReturnType<typeof keepCaches>;

/** Checks the size of caches when commands have ended and no other has begun since. */
export function keepCaches(
  spawner: Spawner,
  {
    place,
    maxBytes,
    root,
    idleMs = defaultIdleMs,
  }: Omit<CacheOptions, 'folder'> & { readonly place: string; readonly root: string },
) {
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
    /** The path of the caches for commands. */
    place,
    variables: cacheVariables(place),
    /** Notes that a command begins to use them; the returned function notes its end. */
    use(): () => void {
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

/**
 * Shrinks a cache to its limit. Runs in the sandbox of a command: commands may put links in the way of a removal, and
 * there these lead nowhere. Undefined if it cannot be started.
 */
async function startSweep(
  spawner: Spawner,
  { place, maxBytes, root }: { readonly place: string; readonly maxBytes: number; readonly root: string },
): Promise<{ readonly ended: Promise<unknown>; stop(): void } | undefined> {
  const args = ['-c', script, 'sh', place, String(Math.floor(maxBytes / 1024))];
  const child = await spawner
    .spawn({
      command: { kind: 'program', program: '/bin/sh', args },
      limits: defaultProcessLimits,
      workingFolder: root,
      environment: { PATH: '/usr/bin:/bin' },
      writable: [],
      caches: true,
      stdin: 'null',
    })
    // No command waits for it, and the next sweep tries again.
    .catch(() => undefined);
  if (!child) return undefined;
  child.stdout.resume();
  child.stderr.resume();
  const ended = waitForEnd(child, {
    timeoutMs: 10 * 60_000,
    signal: new AbortController().signal,
    most: { ...defaultProcessLimits, processes: 64 },
  });
  return { ended, stop: () => child.destroy() };
}

// Half a cache breaks builds, so each cache goes as a whole, and is renamed before it is deleted: stopping the script
// does no harm. Caches not written for a week go first, then for a day, then for an hour, then the rest.
const script = `
cd "$1" || exit 1
fits() { [ "$(du -skx . 2>/dev/null | cut -f 1)" -le "$2" ]; }
drop() { chmod -R u+w "$1"; rm -rf "$1"; }
for gone in ./.gone.*; do drop "$gone"; done
fits "$@" && exit
for minutes in 10080 1440 60 0; do
  for name in ./* ./.[!.]*; do
    [ -e "$name" ] || [ -L "$name" ] || continue
    [ "$minutes" = 0 ] || [ -z "$(find "$name" -xdev -mmin "-$minutes" | head -n 1)" ] || continue
    mv "$name" "./.gone.$$" && drop "./.gone.$$"
    fits "$@" && exit
  done
done
`;

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
