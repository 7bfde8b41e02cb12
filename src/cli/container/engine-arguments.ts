import type { Gpu } from '../../config/gpu.ts';
import { outsideVariable } from '../../config/places/outside.ts';
import type { EngineName } from '../../config/runtime.ts';
import type { Mount } from './mounts.ts';

export interface Start {
  readonly engine: EngineName;
  readonly image: string;
  readonly platform: NodeJS.Platform;
  /** The user outside; undefined if the system has no user numbers. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  /** Docker's daemon runs as the user: its root is them. */
  readonly isRootless: boolean;
  readonly mounts: readonly Mount[];
  readonly isStateNamed: boolean;
  /** The current folder inside the container. */
  readonly folder: string;
  /** Variables to pass, by name: their values are on no command line. */
  readonly variables: readonly string[];
  readonly gpu: Pick<Gpu, 'nodes' | 'groups'> | undefined;
  readonly port: { readonly host: string; readonly port: number } | undefined;
  readonly isTerminal: boolean;
  /** The arguments after `sekisho`. */
  readonly args: readonly string[];
}

/**
 * The arguments of `docker run` or `podman run`: a container that ends with the command, read-only except for the
 * mounts, without capabilities (root keeps one), as the person's own user. Its seccomp profile and the masks over /proc
 * are off, since bubblewrap needs namespaces and its own /proc; every command then has our sandbox and filter.
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
    ...devicesOf(start),
    // Without it, Linux does not let bubblewrap map root into its own namespace, which it then must.
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

/** The engine itself brings NVIDIA's driver, which must fit the kernel's. */
function devicesOf({ engine, gpu }: Pick<Start, 'engine' | 'gpu'>): readonly string[] {
  if (!gpu) return [];
  const others = gpu.nodes.filter((path) => !path.startsWith('/dev/nvidia'));
  const nvidia = engine === 'docker' ? ['--gpus', 'all'] : ['--device', 'nvidia.com/gpu=all'];
  const groups = engine === 'docker' ? gpu.groups.map(String) : ['keep-groups'];
  return [
    ...(others.length < gpu.nodes.length ? nvidia : []),
    ...others.flatMap((path) => ['--device', path]),
    ...groups.flatMap((group) => ['--group-add', group]),
  ];
}

/** On a machine with a shared engine, each account has its own volume. */
function volumeOf({ user }: Pick<Start, 'user'>): string {
  return user ? `sekisho-state-${user.uid}` : 'sekisho-state';
}

function isRoot({ user, isRootless }: Start): boolean {
  return isRootless || user?.uid === 0;
}

/** Files that tools write must belong to the person, however the engine maps users. */
function userOf({ engine, platform, user, isRootless }: Start): readonly string[] {
  if (!user) return [];
  if (isRootless) return ['--user', '0:0'];
  const same = ['--user', `${user.uid}:${user.gid}`];
  if (engine === 'docker' || user.uid === 0) return same;
  // Podman maps users itself; in a virtual machine its user there stands for the person.
  return platform === 'linux' ? ['--userns', 'keep-id', ...same] : ['--userns', 'keep-id'];
}

function mountWords({ outside, inside, writable }: Mount): string {
  return `type=bind,source=${outside},target=${inside}${writable ? '' : ',readonly'}`;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
