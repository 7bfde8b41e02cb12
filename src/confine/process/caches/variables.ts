import { join } from 'node:path';

/** Variables that lead package managers and compilers to write what they may fetch or build again in one folder. */
export function cacheVariables(folder: string): Readonly<Record<string, string>> {
  return {
    // pip, uv, go build, yarn 1, deno, corepack, pre-commit and most others.
    XDG_CACHE_HOME: folder,
    // Its words are split at spaces.
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
  // It links from its store into projects, and makes one in the project where it cannot.
  pnpm_config_store_dir: 'pnpm-store',
};
