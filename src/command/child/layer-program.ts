import { openPath } from '../../files/walk.ts';
import { createConstants } from '../../ground/machine/elf.ts';
import { compileProgram, putMessage, type Step } from '../../ground/machine/static-program.ts';
import { closeOnExec, thisProcessor } from '../../ground/machine/syscalls.ts';
import type { Overlay } from '../layer/overlay.ts';

export interface LayerOptions {
  readonly overlays: readonly Overlay[];
  /** The owner of the files, the same outside and inside. */
  readonly user: number;
  readonly group: number;
  /** The descriptor of the program itself; all below it are open. */
  readonly self: number;
  /** The program to become, with the arguments that follow. */
  readonly next: string;
  /** A room's namespaces to enter instead of a user namespace: these descriptors first. `close`: others to close. */
  readonly room?: { readonly namespaces: readonly number[]; readonly close: readonly number[] } | undefined;
  /**
   * The descriptor of a socket for two others of each overlay: first the folder below it, then the one by which the
   * kernel looks below anew. A kernel that opens none sends none.
   */
  readonly channel?: number | undefined;
}

/**
 * Starts bubblewrap over a layer. In its own namespaces it mounts an overlay on each folder's own path, so that
 * bubblewrap finds it there. (An overlay mounted by bubblewrap would work only for root: for others it nests a user
 * namespace that does not own the mount.) A failed mount ends the program: nothing runs without the layer.
 */
export function compileLayer(
  { overlays, user, group, self, next, room, channel }: LayerOptions,
  architecture = thisProcessor(),
): Buffer {
  const { put, putText, bytes } = createConstants();
  putText(next);
  const write = (path: string, words: string): readonly Step[] => [
    // It gets the lowest free number: that of the program, which is closed by then.
    { call: 'openat', args: [workingFolder, putText(path), writeOnly] },
    { call: 'write', args: [self, putText(words), Buffer.byteLength(words)] },
    { call: 'close', args: [self] },
  ];
  const type = putText('overlay');
  const own: readonly Step[] = [
    { call: 'close', args: [self] },
    { call: 'unshare', args: [newUsers | newMounts] },
    // Without this, only the system's root may map groups.
    ...write('/proc/self/setgroups', 'deny'),
    ...write('/proc/self/uid_map', `${user} ${user} 1`),
    ...write('/proc/self/gid_map', `${group} ${group} 1`),
  ];
  const shared = (given: NonNullable<typeof room>): readonly Step[] => [
    ...given.namespaces.map((fd): Step => ({ call: 'setns', args: [fd, 0] })),
    ...[self, ...given.close, ...given.namespaces].map((fd): Step => ({ call: 'close', args: [fd] })),
    // The room's own mounts stay unchanged for its other commands.
    { call: 'unshare', args: [newMounts] },
  ];
  // It gets the lowest number that is closed by then.
  const opened = Math.min(self, ...(room ? [...room.close, ...room.namespaces] : []));
  const message = putMessage(put, opened);
  const handing = (...[call, args]: readonly [Step['call'], Step['args']]): readonly Step[] =>
    channel === undefined
      ? []
      : [
          { call, args, mayFail: true },
          { call: 'sendmsg', args: [channel, message, 0], mayFail: true },
          { call: 'close', args: [opened], mayFail: true },
        ];
  const steps: readonly Step[] = [
    ...(room ? shared(room) : own),
    ...overlays.flatMap(({ on, data }): readonly Step[] => {
      // mount(2) reads at most one page, including the final NUL.
      if (Buffer.byteLength(data) >= pageBytes) throw new Error('the paths of the layer are too long');
      const folder = putText(on);
      const text = put(Buffer.from(`${data}\0`));
      return [
        ...handing('openat', [workingFolder, folder, openPath | closeOnExec]),
        { call: 'mount', args: [type, folder, type, noDevices | noSetUser, text] },
        ...handing('fspick', [workingFolder, folder, 1]),
      ];
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
