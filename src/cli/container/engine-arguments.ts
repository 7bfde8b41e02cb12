import { outsideVariable } from '../../config/outside.ts';
import type { EngineName } from '../../config/runtime.ts';
import type { Mount } from './mounts.ts';

export interface Start {
  readonly engine: EngineName;
  readonly image: string;
  readonly platform: NodeJS.Platform;
  /** Who runs this, outside; undefined where there is no such number. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  /** Docker's daemon is the user's own: its root is them. */
  readonly isRootless: boolean;
  readonly mounts: readonly Mount[];
  readonly isStateNamed: boolean;
  /** The current folder, as the container knows it. */
  readonly folder: string;
  /** Variables that go along, by name: their values are on no command line. */
  readonly variables: readonly string[];
  readonly port: { readonly host: string; readonly port: number } | undefined;
  readonly isTerminal: boolean;
  /** What follows `sekisho`. */
  readonly args: readonly string[];
}

/**
 * The arguments of `docker run` or `podman run`: a container that ends with the command, read-only but for what is mounted, without
 * capabilities (root keeps one), as the person's own user. Its seccomp profile and the masks over /proc are off, since bubblewrap needs
 * namespaces and a /proc of its own; every command then has the walls and the filter of ours.
 */
export function engineArguments(start: Start): readonly string[] {
  const { isTerminal, mounts, port } = start;
  return [
    ...['run', '--rm', '--interactive', ...(isTerminal ? ['--tty'] : []), '--pull', 'never'],
    ...['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    ...['--security-opt', 'seccomp=unconfined', '--security-opt', 'systempaths=unconfined'],
    // A label would be written on the person's own files.
    ...['--security-opt', 'apparmor=unconfined', '--security-opt', 'label=disable'],
    ...['/tmp', '/var/tmp'].flatMap((path) => ['--tmpfs', `${path}:rw,exec,nosuid,nodev,mode=1777`]),
    ...userOf(start),
    // Linux lets none other map root into a namespace of its own, as bubblewrap then must.
    ...(isRoot(start) ? ['--cap-add', 'SETFCAP'] : []),
    ...(start.isStateNamed ? [] : ['--volume', `${volumeOf(start)}:/state`]),
    ...mounts.flatMap((mount) => ['--mount', mountWords(mount)]),
    ...['--workdir', start.folder],
    ...start.variables.flatMap((name) => ['--env', name]),
    ...['--env', outsideVariable],
    ...(port ? ['--publish', `${bracketed(port.host)}:${port.port}:${port.port}`] : []),
    ...['--no-healthcheck', start.image, ...start.args],
  ];
}

/** Each account of a machine whose engine is shared has a volume of its own. */
function volumeOf({ user }: Pick<Start, 'user'>): string {
  return user ? `sekisho-state-${user.uid}` : 'sekisho-state';
}

function isRoot({ user, isRootless }: Start): boolean {
  return isRootless || user?.uid === 0;
}

/** Files that tools write must be the person's, whatever the engine makes of numbers. */
function userOf({ engine, platform, user, isRootless }: Start): readonly string[] {
  if (!user) return [];
  if (isRootless) return ['--user', '0:0'];
  const same = ['--user', `${user.uid}:${user.gid}`];
  if (engine === 'docker' || user.uid === 0) return same;
  // Podman's own map of users; in a virtual machine its user there stands for the person.
  return platform === 'linux' ? ['--userns', 'keep-id', ...same] : ['--userns', 'keep-id'];
}

function mountWords({ outside, inside, writable }: Mount): string {
  return `type=bind,source=${outside},target=${inside}${writable ? '' : ',readonly'}`;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
