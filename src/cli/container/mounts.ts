import { existsSync } from 'node:fs';
import type { Settings } from '../../config/settings.ts';
import { ConfigError } from '../../contract/error.ts';
import { isInside } from '../../ground/inside.ts';
import { innerPath } from './inner-path.ts';

/** A file or folder of the machine that the container has under `inside`. */
export interface Mount {
  readonly outside: string;
  readonly inside: string;
  readonly writable: boolean;
}

/** The paths that the settings name. Throws `ConfigError` for one over the container's own, or that cannot be. */
export function mountsOf(
  settings: Pick<Settings, 'roots' | 'files' | 'process' | 'vault'>,
  /** The server's own files: its configuration, its variables. */
  own: readonly string[],
  /** The state folder, if one was named; otherwise records are in a volume. */
  state: string | undefined,
): readonly Mount[] {
  const shown = [...settings.roots, ...settings.files].flatMap(({ path, named, writable }) =>
    // A client sends paths as the person named them, so both names must work.
    [...new Set([path, named])].map((inside) => ({ outside: path, inside, writable })),
  );
  const more = [
    ...[settings.vault.root, ...(state ? [state] : [])].map((path) => ({ path, writable: true })),
    ...[...settings.process.readable, ...own].map((path) => ({ path, writable: false })),
  ]
    // Paths inside a root come with it, and missing ones are not mounted.
    .filter(({ path }) => existsSync(path) && !settings.roots.some((root) => isInside(path, root.path)))
    .map(({ path, writable }) => ({ outside: path, inside: path, writable }));
  const all = [...shown, ...more].map((mount) => ({ ...mount, inside: innerPath(mount.inside) }));
  for (const { outside } of all) assertMountable(outside);
  return all.filter(({ inside }, index) => all.findIndex((other) => other.inside === inside) === index);
}

function assertMountable(path: string): void {
  const inside = innerPath(path);
  const top = inside.split('/')[1] ?? '';
  if (inside === '/' || taken.has(inside) || takenBelow.has(top))
    throw new ConfigError(
      `${path} cannot be mounted in the container: its own system is there. Serve a folder with your own files, e.g. one in your home folder.`,
      `${path} はコンテナーにマウントできません。コンテナー自身のシステムがその場所にあります。ホームフォルダーの中など、自分のファイルのあるフォルダーを指定してください。`,
    );
  // A mount is described in one string with commas and colons.
  if (/[,"\n\r]/.test(path))
    throw new ConfigError(
      `${JSON.stringify(path)} cannot be mounted in the container: its name has a comma, a quote or a line break.`,
      `${JSON.stringify(path)} はコンテナーにマウントできません。名前にコンマ、引用符、改行のいずれかが含まれています。`,
    );
}

const taken = new Set(['/tmp', '/var', '/var/tmp', '/run']);
const takenBelow = new Set(['bin', 'dev', 'etc', 'lib', 'lib64', 'proc', 'sbin', 'state', 'sys', 'usr']);
