import { Buffer } from 'node:buffer';
import { createConstants } from '../../../ground/elf.ts';
import type { Overlay } from '../../layer/overlay.ts';
import { compileProgram, type Step } from './static-program.ts';

export interface LayerOptions {
  readonly overlays: readonly Overlay[];
  /** Whose files they are: outside and inside the same. */
  readonly user: number;
  readonly group: number;
  /** The descriptor of the program itself; all below it are open. */
  readonly self: number;
  /** The program that it becomes, with the arguments that follow. */
  readonly next: string;
  /** The namespaces of a room that it enters instead of making such of users: those first; and what else it is to close. */
  readonly room?: { readonly namespaces: readonly number[]; readonly close: readonly number[] } | undefined;
}

/**
 * What starts bubblewrap over a layer. In namespaces of its own it mounts an overlay on each folder, on the folder's own
 * path, where bubblewrap then finds it. (Mounted by bubblewrap itself it would work for root only: for others it nests a
 * user namespace that does not own the mount.) A mount that fails ends it: nothing runs without the layer.
 */
export function compileLayer(
  { overlays, user, group, self, next, room }: LayerOptions,
  architecture: 'x64' | 'arm64',
): Buffer {
  const { put, putText, bytes } = createConstants();
  putText(next);
  const write = (path: string, words: string): readonly Step[] => [
    // It gets the lowest number that is free: that of the program, which is closed by then.
    { call: 'openat', args: [workingFolder, putText(path), writeOnly] },
    { call: 'write', args: [self, putText(words), Buffer.byteLength(words)] },
    { call: 'close', args: [self] },
  ];
  const type = putText('overlay');
  const own: readonly Step[] = [
    { call: 'close', args: [self] },
    { call: 'unshare', args: [newUsers | newMounts] },
    // Without it nobody but the system's root may say which groups there are.
    ...write('/proc/self/setgroups', 'deny'),
    ...write('/proc/self/uid_map', `${user} ${user} 1`),
    ...write('/proc/self/gid_map', `${group} ${group} 1`),
  ];
  const shared = (given: NonNullable<typeof room>): readonly Step[] => [
    ...given.namespaces.map((fd): Step => ({ call: 'setns', args: [fd, 0] })),
    ...[self, ...given.close, ...given.namespaces].map((fd): Step => ({ call: 'close', args: [fd] })),
    // The room's own mounts stay as they are for its other commands.
    { call: 'unshare', args: [newMounts] },
  ];
  const steps: readonly Step[] = [
    ...(room ? shared(room) : own),
    ...overlays.map(({ on, data }): Step => {
      // What mount(2) reads of it is a page, with its end.
      if (Buffer.byteLength(data) >= pageBytes) throw new Error('the paths of the layer are too long');
      return {
        call: 'mount',
        args: [type, putText(on), type, noDevices | noSetUser, put(Buffer.from(`${data}\0`))],
      };
    }),
  ];
  return compileProgram(steps, bytes(), architecture);
}

const newUsers = 0x10000000;
const newMounts = 0x20000;
/** AT_FDCWD: the paths are absolute. */
const workingFolder = -100;
const writeOnly = 1;
const noSetUser = 2;
const noDevices = 4;
const pageBytes = 4096;
