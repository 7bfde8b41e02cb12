import { Buffer } from 'node:buffer';
import { type SyscallName, syscallNumbers } from './syscalls.ts';

/** What a filter lets through. Everything that a build, a test or an interpreter commonly does stays allowed. */
export interface FilterPlan {
  /**
   * `private`: internet sockets, for a network namespace of its own. `supervised`: connected ones of Unix too, whose
   * every connect(2) the kernel hands to a supervisor. `none`: no socket but a pair. Packet, netlink beyond routes, vsock
   * and MPTCP sockets pass other walls, so no plan allows them, and neither datagrams of Unix: each names whom it goes to
   * where no filter can look.
   */
  readonly sockets: 'private' | 'supervised' | 'none';
  /** May it signal and trace? Only where the kernel already keeps it to its own processes. */
  readonly signals: boolean;
  readonly tracing: boolean;
  /**
   * `watched`: whatever can destroy what a file holds, or take or make a name, is handed to the supervisor, which does it in
   * the caller's place. Reading, and writing to what is open, stay the kernel's alone.
   */
  readonly files?: 'watched' | undefined;
  /** No walls: it hands over calls, and refuses only those by which they would go past that. */
  readonly isOpen?: boolean | undefined;
}

/** Is there a filter for this processor? */
export function hasSeccomp(architecture: string): architecture is 'x64' | 'arm64' {
  return architecture === 'x64' || architecture === 'arm64';
}

/** The limit whose value marks the processes of one command (see `tag.ts`); a child may not change it. */
export const taggedLimit = 15; // RLIMIT_RTTIME

/** The program in the kernel's own form (`struct sock_filter[]`), as bubblewrap and seccomp(2) take it. */
export function compileFilter(plan: FilterPlan, architecture: 'x64' | 'arm64'): Buffer {
  const number = (name: SyscallName) => syscallNumbers[name][architecture === 'x64' ? 0 : 1];
  const program: Instruction[] = [
    load(field.architecture),
    ...unless(equal, architecture === 'x64' ? 0xc000003e : 0xc00000b7, [answer(kill)]),
    load(field.number),
  ];
  // x32 calls have other numbers for the same work.
  if (architecture === 'x64') program.push(...when(atLeast, 0x40000000, [answer(refuse(ENOSYS))]));

  const on = (name: SyscallName, body: readonly Instruction[]) => {
    const nr = number(name);
    if (nr !== undefined) program.push(...when(equal, nr, body));
  };
  if (!plan.isOpen) for (const name of forbidden) on(name, [answer(refuse(EPERM))]);
  // A program that finds these missing does without them.
  for (const name of plan.isOpen ? unseen : absent) on(name, [answer(refuse(ENOSYS))]);
  if (!plan.signals) for (const name of signalling) on(name, [answer(refuse(EPERM))]);
  if (!plan.tracing) for (const name of tracing) on(name, [answer(refuse(EPERM))]);

  if (!plan.isOpen)
    on('clone', [load(argument(0)), ...when(anyBit, newNamespaces, [answer(refuse(EPERM))]), answer(allow)]);
  // A set-user-id program in a root would lend the server's user to whoever runs it outside.
  const refuseSetUser = (mode: number, then = [answer(allow)]) => [
    load(argument(mode)),
    ...when(anyBit, plan.isOpen ? 0 : setUserId, [answer(refuse(EPERM))]),
    ...then,
  ];
  const isWatched = plan.files === 'watched';
  const named = answer(isWatched ? notify : allow);
  for (const name of ['chmod', 'fchmod'] as const) on(name, refuseSetUser(1));
  on('fchmodat', refuseSetUser(2));
  for (const name of ['creat', 'mknod'] as const) on(name, refuseSetUser(1, [named]));
  on('mknodat', refuseSetUser(2, [named]));
  const opening = (flags: number) => [
    load(argument(flags)),
    // Without a flag that creates, the mode is whatever was in the register.
    ...when(anyBit, creates, refuseSetUser(flags + 1, [load(argument(flags))])),
    // A file without a name, and a mere place, are in nobody's way.
    ...when(anyBit, unnamed | placeOnly, [answer(allow)]),
    ...when(anyBit, writes, [named]),
    answer(allow),
  ];
  on('open', opening(1));
  on('openat', opening(2));
  if (isWatched) for (const name of watched) on(name, [answer(notify)]);
  if (plan.isOpen) return encode([...program, answer(allow)]);
  // TIOCSTI and TIOCLINUX type into a terminal that somebody else reads.
  on('ioctl', [
    load(argument(1)),
    ...when(equal, 0x5412, [answer(refuse(EPERM))]),
    ...when(equal, 0x541c, [answer(refuse(EPERM))]),
    answer(allow),
  ]);
  // 0 is Linux, the large ones ask without changing or only turn off address randomisation.
  on('personality', [
    load(argument(0)),
    ...when(equal, 0, [answer(allow)]),
    ...when(equal, 0x40000, [answer(allow)]),
    ...when(equal, 0xffffffff, [answer(allow)]),
    answer(refuse(EPERM)),
  ]);
  on('socketpair', [
    load(argument(0)),
    ...unless(equal, AF_UNIX, [answer(refuse(EACCES))]),
    ...onlyConnected,
  ]);
  on(
    'socket',
    {
      none: [answer(refuse(EACCES))],
      private: internetOnly,
      supervised: [load(argument(0)), ...when(equal, AF_UNIX, onlyConnected), ...internetOnly],
    }[plan.sockets],
  );
  if (plan.sockets === 'supervised') on('connect', [answer(notify)]);
  on('setrlimit', [load(argument(0)), ...when(equal, taggedLimit, [answer(refuse(EPERM))]), answer(allow)]);
  on('prlimit64', [
    load(argument(1)),
    ...unless(equal, taggedLimit, [answer(allow)]),
    // Asking is allowed: the pointer to a new value is null.
    load(argument(2)),
    ...unless(equal, 0, [answer(refuse(EPERM))]),
    load(argument(2) + 4),
    ...unless(equal, 0, [answer(refuse(EPERM))]),
    answer(allow),
  ]);
  program.push(answer(allow));
  return encode(program);
}

const forbidden: readonly SyscallName[] = [
  'keyctl',
  'add_key',
  'request_key',
  'bpf',
  'perf_event_open',
  'userfaultfd',
  'fanotify_init',
  'mount',
  'umount2',
  'pivot_root',
  'move_mount',
  'open_tree',
  'fsopen',
  'fsconfig',
  'fsmount',
  'fspick',
  'mount_setattr',
  'chroot',
  'unshare',
  'setns',
  'open_by_handle_at',
  'kexec_load',
  'kexec_file_load',
  'init_module',
  'finit_module',
  'delete_module',
  'reboot',
  'swapon',
  'swapoff',
  'acct',
  'quotactl',
  'quotactl_fd',
  'settimeofday',
  'clock_settime',
  'adjtimex',
  'clock_adjtime',
  'sethostname',
  'setdomainname',
  'syslog',
  'vhangup',
  'lookup_dcookie',
  'nfsservctl',
  'iopl',
  'ioperm',
  'modify_ldt',
  'kcmp',
  'pidfd_getfd',
];
// io_uring makes sockets that no filter sees; clone3 and openat2 keep theirs where no filter can look.
const absent: readonly SyscallName[] = [
  'io_uring_setup',
  'io_uring_enter',
  'io_uring_register',
  'clone3',
  'openat2',
  'fchmodat2',
];
/** Opens files where no filter can look. */
const unseen: readonly SyscallName[] = ['io_uring_setup', 'io_uring_enter', 'io_uring_register', 'openat2'];
const signalling: readonly SyscallName[] = [
  'kill',
  'tkill',
  'tgkill',
  'pidfd_send_signal',
  'rt_sigqueueinfo',
  'rt_tgsigqueueinfo',
];
const tracing: readonly SyscallName[] = [
  'ptrace',
  'process_vm_readv',
  'process_vm_writev',
  'process_madvise',
];

/** Beside those that open, and `creat` and `mknod`. */
const watched: readonly SyscallName[] = [
  'unlink',
  'unlinkat',
  'rmdir',
  'rename',
  'renameat',
  'renameat2',
  'truncate',
  'mkdir',
  'mkdirat',
  'link',
  'linkat',
  'symlink',
  'symlinkat',
  'umask',
];

const EPERM = 1;
const EACCES = 13;
const ENOSYS = 38;
const AF_UNIX = 1;
const newNamespaces = 0x7e020000;
const setUserId = 0o4000;
/** O_CREAT and the bit of O_TMPFILE that is its own. */
const creates = 0x400040;
const unnamed = 0x400000;
const placeOnly = 0x200000;
/** O_WRONLY, O_RDWR, O_CREAT, O_TRUNC. */
const writes = 0x243;

interface Instruction {
  readonly code: number;
  readonly ifTrue: number;
  readonly ifFalse: number;
  readonly value: number;
}

// Offsets into `struct seccomp_data`; both processors are little-endian.
const field = { number: 0, architecture: 4 };
const argument = (index: number) => 16 + index * 8;

const equal = 0x15;
const atLeast = 0x35;
const anyBit = 0x45;
const allow = 0x7fff0000;
const kill = 0x80000000;
const notify = 0x7fc00000;
const refuse = (errno: number) => 0x00050000 | errno;

const load = (offset: number): Instruction => ({ code: 0x20, ifTrue: 0, ifFalse: 0, value: offset });
const answer = (value: number): Instruction => ({ code: 0x06, ifTrue: 0, ifFalse: 0, value });

function when(test: number, value: number, body: readonly Instruction[]): readonly Instruction[] {
  return [{ code: test, ifTrue: 0, ifFalse: body.length, value }, ...body];
}

function unless(test: number, value: number, body: readonly Instruction[]): readonly Instruction[] {
  return [{ code: test, ifTrue: body.length, ifFalse: 0, value }, ...body];
}

const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const SOCK_STREAM = 1;
const SOCK_DGRAM = 2;
const SOCK_SEQPACKET = 5;
const IPPROTO_MPTCP = 262;
const internetOnly: readonly Instruction[] = [
  load(argument(0)),
  // Interfaces are listed over netlink's route family, protocol 0.
  ...when(equal, AF_NETLINK, [load(argument(2)), ...when(equal, 0, [answer(allow)]), answer(refuse(EACCES))]),
  ...unless(equal, AF_INET, unless(equal, AF_INET6, [answer(refuse(EACCES))])),
  load(argument(2)),
  ...when(equal, IPPROTO_MPTCP, [answer(refuse(EACCES))]),
  load(argument(1)),
  { code: 0x54, ifTrue: 0, ifFalse: 0, value: 0xf },
  ...unless(equal, SOCK_STREAM, unless(equal, SOCK_DGRAM, [answer(refuse(EACCES))])),
  answer(allow),
];

/** Of Unix: those that reach nobody but by connect(2), or are a pair. */
const onlyConnected: readonly Instruction[] = [
  load(argument(1)),
  { code: 0x54, ifTrue: 0, ifFalse: 0, value: 0xf },
  ...unless(equal, SOCK_STREAM, unless(equal, SOCK_SEQPACKET, [answer(refuse(EACCES))])),
  answer(allow),
];

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, ifTrue, ifFalse, value }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
