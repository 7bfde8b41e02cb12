import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ClientDriver } from './clients.ts';

/** Where clients are kept between runs: hundreds of megabytes that are none of this repository's. */
const cache =
  process.env.SEKISHO_CLIENTS ??
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'sekisho-clients');

export type Installed =
  | { readonly ok: true; readonly bin: string; readonly version: string }
  | { readonly ok: false; readonly why: string };

/** Installs the newest version; where the registry is out of reach, one that is there already will do. */
export function install({ package: name, bin }: ClientDriver): Installed {
  const folder = join(cache, name.replace(/[@/]/g, '_'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private": true}\n');
  const npm = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', `${name}@latest`], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 600_000,
  });
  try {
    const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
    return { ok: true, bin: join(folder, 'node_modules/.bin', bin), version };
  } catch {
    return {
      ok: false,
      why: `not installed: ${npm.stderr?.trim().split('\n').at(-1) ?? npm.error?.message}`,
    };
  }
}
