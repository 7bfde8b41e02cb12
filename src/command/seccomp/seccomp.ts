import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  callsByKind,
  type Processor,
  type SyscallName,
  syscallNumbers,
  thisProcessor,
} from '../../ground/machine/syscalls.ts';
import { defer } from '../../ground/waiting/defer.ts';

/** The rights that a filter leaves. Common calls of builds, tests and interpreters stay allowed. */
export interface FilterPlan {
  /**
   * `private`: internet sockets, for a separate network namespace. `supervised`: also connected Unix sockets, whose
   * connect(2) calls the kernel passes to a supervisor, and those of inotify unless the files are watched.
   * `none`: socket pairs only. Packet, netlink (except routes),
   * vsock and MPTCP sockets bypass other restrictions, so no plan allows them. Neither does any allow Unix datagrams:
   * each names its receiver in memory that a filter cannot read.
   */
  readonly sockets: 'private' | 'supervised' | 'none';
  /** May it signal and trace? Only if the kernel already limits it to its own processes. */
  readonly signals: boolean;
  readonly tracing: boolean;
  /**
   * `watched`: calls that can destroy a file's content, remove or create a name, or change what else the file system
   * keeps of an entry, are passed to the supervisor, which performs them for the caller. Reading, and writing to open files, stay with the kernel.
   */
  readonly files?: 'watched' | undefined;
  /** Without a sandbox: passes calls on, and refuses only those that would bypass that. */
  readonly isOpen?: boolean | undefined;
}

/** The limit whose value tags the processes of one command (see `tag.ts`); a child may not change it. */
export const taggedLimit = 15; // RLIMIT_RTTIME

/** Compiles the filter to the kernel's form (`struct sock_filter[]`), for bubblewrap and seccomp(2). */
export function compileFilter(plan: FilterPlan, architecture = thisProcessor()): Buffer {
  const { program, on } = beginFilter(architecture);
  if (!plan.isOpen) for (const name of forbidden) on(name, [answer(refuse(EPERM))]);
  // Programs work without these calls if they seem to be missing.
  for (const name of plan.isOpen ? unseen : absent) on(name, [answer(refuse(ENOSYS))]);
  if (!plan.signals) for (const name of signalling) on(name, [answer(refuse(EPERM))]);
  if (!plan.tracing) for (const name of tracing) on(name, [answer(refuse(EPERM))]);

  if (!plan.isOpen)
    on('clone', [load(argument(0)), ...when(anyBit, newNamespaces, [answer(refuse(EPERM))]), answer(allow)]);
  // A set-user-id program in a root would run with the server's user id outside the sandbox.
  const refuseSetUser = (mode: number, then = [answer(allow)]) => [
    load(argument(mode)),
    ...when(anyBit, plan.isOpen ? 0 : setUserId, [answer(refuse(EPERM))]),
    ...then,
  ];
  const isWatched = plan.files === 'watched';
  const named = answer(isWatched ? notify : allow);
  for (const name of ['chmod', 'fchmod'] as const) on(name, refuseSetUser(1, [named]));
  on('fchmodat', refuseSetUser(2, [named]));
  for (const name of ['creat', 'mknod'] as const) on(name, refuseSetUser(1, [named]));
  on('mknodat', refuseSetUser(2, [named]));
  const opening = (flags: number) => [
    load(argument(flags)),
    // Without a creating flag, the mode argument is whatever was in the register.
    ...when(anyBit, creates, refuseSetUser(flags + 1, [load(argument(flags))])),
    // A nameless file, or an O_PATH descriptor, does no harm.
    ...when(anyBit, unnamed | placeOnly, [answer(allow)]),
    ...when(anyBit, writes, [named]),
    answer(allow),
  ];
  on('open', opening(1));
  on('openat', opening(2));
  if (isWatched) {
    for (const name of [...watched, ...changing]) on(name, [answer(notify)]);
    // The times of an open file, without a path: nearly always of one that was opened for writing, which was noted.
    const times = [load(argument(1)), ...unless(equal, 0, [answer(notify)])];
    on('utimensat', [...times, load(argument(1) + 4), ...unless(equal, 0, [answer(notify)]), answer(allow)]);
  }
  if (plan.isOpen) return encode([...program, answer(allow)]);
  // TIOCSTI and TIOCLINUX type into a terminal that another program reads.
  on('ioctl', [
    load(argument(1)),
    ...when(equal, 0x5412, [answer(refuse(EPERM))]),
    ...when(equal, 0x541c, [answer(refuse(EPERM))]),
    answer(allow),
  ]);
  // 0 is Linux; the large values query without a change, or only turn off address randomisation.
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
  // On a layer the kernel tells a program nothing of what others change below.
  if (plan.sockets === 'supervised' && !isWatched) for (const name of watching) on(name, [answer(notify)]);
  on('setrlimit', [load(argument(0)), ...when(equal, taggedLimit, [answer(refuse(EPERM))]), answer(allow)]);
  on('prlimit64', [
    load(argument(1)),
    ...unless(equal, taggedLimit, [answer(allow)]),
    // A query is allowed: its pointer to a new value is null.
    load(argument(2)),
    ...unless(equal, 0, [answer(refuse(EPERM))]),
    load(argument(2) + 4),
    ...unless(equal, 0, [answer(refuse(EPERM))]),
    answer(allow),
  ]);
  program.push(answer(allow));
  return encode(program);
}

/**
 * The filter for commands in their own namespaces: their network has no connection to the outside, and they see no
 * other processes to signal or trace.
 */
export function namespaceFilter(sockets: 'private' | 'supervised', files?: 'watched'): Buffer {
  return compileFilter({ sockets, signals: true, tracing: true, files });
}

/** A nameless file with the filter. */
export function openFilter(filter: Buffer): number {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-filter-'));
  using _ = defer(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'filter');
  writeFileSync(path, filter);
  return openSync(path, 'r');
}

/** The filter of a program that only reads, computes and prints: no other program, no socket, no file to write. */
export function compileReaderFilter(architecture = thisProcessor()): Buffer {
  const { program, on } = beginFilter(architecture);
  for (const name of absent) on(name, [answer(refuse(ENOSYS))]);
  for (const name of ['fork', 'vfork', 'socket', 'creat', ...watched] as const)
    on(name, [answer(refuse(EACCES))]);
  on('clone', [load(argument(0)), ...unless(anyBit, thread, [answer(refuse(EACCES))]), answer(allow)]);
  for (const [name, flags] of [['open', 1] as const, ['openat', 2] as const])
    on(name, [load(argument(flags)), ...when(anyBit, writes, [answer(refuse(EACCES))]), answer(allow)]);
  return encode([...program, answer(allow)]);
}

/** A filter's first instructions, and how to add those for one call. */
function beginFilter(architecture: Processor) {
  const program: Instruction[] = [
    load(field.architecture),
    ...unless(equal, architecture === 'x64' ? 0xc000003e : 0xc00000b7, [answer(kill)]),
    load(field.number),
  ];
  // x32 has other numbers for the same calls.
  if (architecture === 'x64') program.push(...when(atLeast, 0x40000000, [answer(refuse(ENOSYS))]));
  const on = (name: SyscallName, body: readonly Instruction[]) => {
    const nr = syscallNumbers[name][architecture === 'x64' ? 0 : 1];
    if (nr !== undefined) program.push(...when(equal, nr, body));
  };
  return { program, on };
}

export const { forbidden, absent, signalling, tracing, watched, changing, watching } = namesByKind();
/** They open or change files by arguments that a filter cannot read. */
const unseen = absent.filter((name) => name !== 'clone3');

function namesByKind() {
  const named = Object.entries(callsByKind).map(([kind, calls]) => [kind, Object.keys(calls)]);
  return Object.fromEntries(named) as Record<keyof typeof callsByKind, readonly SyscallName[]>;
}

const EPERM = 1;
const EACCES = 13;
const ENOSYS = 38;
const AF_UNIX = 1;
const newNamespaces = 0x7e020000;
const thread = 0x10000;
const setUserId = 0o4000;
/** O_CREAT, and the one bit that only O_TMPFILE has. */
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

// Offsets into `struct seccomp_data`; both architectures are little-endian.
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
  // Interfaces are listed by netlink's route family, protocol 0.
  ...when(equal, AF_NETLINK, [load(argument(2)), ...when(equal, 0, [answer(allow)]), answer(refuse(EACCES))]),
  ...unless(equal, AF_INET, unless(equal, AF_INET6, [answer(refuse(EACCES))])),
  load(argument(2)),
  ...when(equal, IPPROTO_MPTCP, [answer(refuse(EACCES))]),
  load(argument(1)),
  { code: 0x54, ifTrue: 0, ifFalse: 0, value: 0xf },
  ...unless(equal, SOCK_STREAM, unless(equal, SOCK_DGRAM, [answer(refuse(EACCES))])),
  answer(allow),
];

/** Unix sockets that reach others only by connect(2), or are a pair. */
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
