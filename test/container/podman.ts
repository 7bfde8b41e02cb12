import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Why containers cannot be tried here, or undefined where they can. */
export function lackOfPodman(): string | undefined {
  if (process.getuid?.() !== 0) return 'not root';
  const missing = ['podman', 'runc', 'dpkg', 'apt-cache'].find(
    (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).error !== undefined,
  );
  return missing && `no ${missing}`;
}

/** Whose containers are tried that belong to no root: there on every Debian. */
export const nobody = { uid: 65534, gid: 65534 };

/** Why containers without root cannot be tried here. */
export function lackOfRootless(): string | undefined {
  if (spawnSync('newuidmap', { stdio: 'ignore' }).error !== undefined) return 'no newuidmap';
  const given = existsSync('/etc/subuid') ? readFileSync('/etc/subuid', 'utf8') : '';
  return /^nobody:/m.test(given) ? undefined : 'no subordinate ids for nobody';
}

/**
 * Variables that give podman a store of its own in `folder`, and settings that hold in a machine whose control groups are of both
 * kinds and whose limits nobody may raise.
 */
export function podmanEnvironment(folder: string): NodeJS.ProcessEnv {
  const store = join(folder, 'store');
  mkdirSync(store, { recursive: true });
  writeFileSync(
    join(folder, 'containers.conf'),
    '[containers]\ndefault_ulimits = ["nofile=1024:4096", "nproc=1024:4096"]\n[engine]\nruntime = "runc"\n',
  );
  writeFileSync(
    join(folder, 'storage.conf'),
    `[storage]\ndriver = "overlay"\ngraphroot = "${store}"\nrunroot = "${join(folder, 'run')}"\n`,
  );
  return {
    ...process.env,
    CONTAINERS_CONF: join(folder, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
  };
}

/** What podman prints. Throws with what it says where it fails. */
export function podman(environment: NodeJS.ProcessEnv, ...args: readonly string[]): string {
  return execFileSync('podman', args, {
    env: environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 26,
  }).trim();
}
