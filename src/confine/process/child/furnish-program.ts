import { Buffer } from 'node:buffer';
import { createConstants } from '../../../ground/elf.ts';
import { compileProgram, type Step } from './static-program.ts';

/** A symbolic link, and the file that it is put over. Paths as the command sees them. */
export interface LinkMount {
  readonly link: string;
  readonly over: string;
}

export interface FurnishOptions {
  readonly links: readonly LinkMount[];
  /** `struct sock_filter[]`: what holds from then on. */
  readonly filter: Buffer;
  /** The descriptor of the program itself. */
  readonly self: number;
  /** The program that it becomes. */
  readonly next: string;
}

/** What bubblewrap is to leave it, for the time of a few calls. */
export const furnishRights = ['--cap-add', 'CAP_SYS_ADMIN', '--cap-add', 'CAP_SETPCAP'];

/**
 * The first program inside a sandbox whose command is to find links where the file tree outside has files: bubblewrap
 * mounts files over files only. It mounts them in namespaces of its own, gives up every right, loads the filter that
 * keeps all that follows from doing the same, and becomes the next program.
 */
export function compileFurnish(
  { links, filter, self, next }: FurnishOptions,
  architecture: 'x64' | 'arm64',
): Buffer {
  const data = layOut(next, filter, links);
  const steps: readonly Step[] = [
    { call: 'close', args: [self] },
    // Those of bubblewrap belong to a user namespace that was left again.
    { call: 'unshare', args: [newMounts] },
    ...data.links.flatMap(({ link, over }): readonly Step[] => [
      { call: 'open_tree', args: [workingFolder, link, cloned | notFollowed | closeOnExec] },
      { call: 'move_mount', args: [self, data.empty, workingFolder, over, fromDescriptor] },
      { call: 'close', args: [self] },
    ]),
    ...[systemAdministration, settingCapabilities].map(
      (capability): Step => ({ call: 'prctl', args: [dropFromBound, capability, 0, 0, 0] }),
    ),
    { call: 'prctl', args: [ambient, clearAll, 0, 0, 0] },
    { call: 'capset', args: [data.header, data.none] },
    { call: 'seccomp', args: [setFilter, 0, data.program] },
  ];
  return compileProgram(steps, data.bytes, architecture);
}

const newMounts = 0x20000;
/** AT_FDCWD: the paths are absolute. */
const workingFolder = -100;
const cloned = 1;
const notFollowed = 0x100;
const closeOnExec = 0o2000000;
const fromDescriptor = 4;
const systemAdministration = 21;
const settingCapabilities = 8;
const dropFromBound = 24;
const ambient = 47;
const clearAll = 4;
const setFilter = 1;

/** The constants that the calls point to, and where each lies. */
function layOut(next: string, filter: Buffer, links: readonly LinkMount[]) {
  const { put, putText, bytes } = createConstants();
  putText(next);
  const empty = putText('');
  // struct __user_cap_header_struct: version 3, this process.
  const header = Buffer.alloc(8);
  header.writeUInt32LE(0x20080522, 0);
  const none = put(Buffer.alloc(24));
  // struct sock_fprog
  const program = Buffer.alloc(16);
  program.writeUInt16LE(filter.length / 8, 0);
  program.writeBigUInt64LE(BigInt(put(filter)), 8);
  const placed = links.map(({ link, over }) => ({ link: putText(link), over: putText(over) }));
  return {
    empty,
    header: put(header),
    none,
    program: put(program),
    links: placed,
    bytes: bytes(),
  };
}
