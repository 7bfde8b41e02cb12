import { join } from 'node:path';

/** Variables that put the caches of package managers and compilers into one folder. */
export function cacheVariables(folder: string): Readonly<Record<string, string>> {
  return {
    // For pip, uv, go build, yarn 1, deno, corepack, pre-commit and most others.
    XDG_CACHE_HOME: folder,
    // MAVEN_ARGS is split at spaces.
    ...(/\s/.test(folder) ? {} : { MAVEN_ARGS: `-Dmaven.repo.local=${join(folder, 'maven')}` }),
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
