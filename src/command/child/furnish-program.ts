import { createConstants } from '../../ground/machine/elf.ts';
import { compileProgram, putMessage, type Step } from '../../ground/machine/static-program.ts';
import { closeOnExec, thisProcessor } from '../../ground/machine/syscalls.ts';

/** A symbolic link, and the file that it is mounted over. Paths as the command sees them. */
export interface LinkMount {
  readonly link: string;
  readonly over: string;
}

export interface FurnishOptions {
  readonly links: readonly LinkMount[];
  /** `struct sock_filter[]`: the filter for everything that follows. */
  readonly filter: Buffer;
  /** The descriptor of the program itself, the lowest after the streams. */
  readonly self: number;
  /**
   * With a supervised filter: the descriptor of a socket for two others, first the one that reports sockets of this
   * network namespace, then the one by which the filter hands over calls.
   */
  readonly channel?: number | undefined;
  /** Only file calls are supervised: just the descriptor that hands over calls is sent. */
  readonly handsOverFilesOnly?: boolean | undefined;
  /** The program to become. */
  readonly next: string;
}

/** Capabilities that bubblewrap leaves to the program for a few calls, if there are links. */
export const furnishRights = ['--cap-add', 'CAP_SYS_ADMIN', '--cap-add', 'CAP_SETPCAP'];

/**
 * The first program in a sandbox does the work that bubblewrap cannot. For a command that needs links in place of
 * outside files (bubblewrap mounts only files over files), it mounts them in its own namespaces and gives up all
 * rights. It loads the filter that keeps later programs from doing the same, hands over the supervisor's descriptors,
 * and becomes the next program.
 */
export function compileFurnish(
  { links, filter, self, channel, next, handsOverFilesOnly = false }: FurnishOptions,
  architecture = thisProcessor(),
): Buffer {
  const data = layOut({ next, filter, links, self });
  const mounting: readonly Step[] = [
    // Bubblewrap's mounts belong to a user namespace that it has left.
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
  ];
  // Each socket gets the lowest free number: that of the program, which is closed by then.
  const handing = (socket: number): readonly Step[] => [
    { call: 'sendmsg', args: [socket, data.message, 0] },
    { call: 'close', args: [self] },
  ];
  const supervised = (socket: number): readonly Step[] => [
    ...(handsOverFilesOnly
      ? [{ call: 'prctl', args: [noNewPrivileges, 1, 0, 0, 0] } as const]
      : [
          // Before the filter, which denies this call to the command.
          { call: 'socket', args: [netlink, raw | closeOnExec, socketDiagnosis] } as const,
          ...handing(socket),
        ]),
    { call: 'seccomp', args: [setFilter, newListener | waitKillable, data.program] },
    ...handing(socket),
    { call: 'close', args: [socket] },
  ];
  const steps: readonly Step[] = [
    { call: 'close', args: [self] },
    ...(links.length > 0 ? mounting : []),
    ...(channel === undefined
      ? [{ call: 'seccomp', args: [setFilter, 0, data.program] } as const]
      : supervised(channel)),
  ];
  return compileProgram(steps, data.bytes, architecture);
}

const newMounts = 0x20000;
/** AT_FDCWD: the paths are absolute. */
const workingFolder = -100;
const cloned = 1;
const notFollowed = 0x100;
const fromDescriptor = 4;
const systemAdministration = 21;
const settingCapabilities = 8;
const dropFromBound = 24;
const ambient = 47;
const clearAll = 4;
const setFilter = 1;
const newListener = 8;
/** Once the supervisor has a call, only a kill of its thread interrupts it: no call is made twice. */
const waitKillable = 32;
const noNewPrivileges = 38;
const netlink = 16;
const raw = 3;
const socketDiagnosis = 4;

/** The constants of the calls, with their offsets. */
function layOut({ next, filter, links, self }: FurnishOptions) {
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
    message: putMessage(put, self),
    bytes: bytes(),
  };
}
