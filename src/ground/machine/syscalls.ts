/** Numbers of system calls on x86-64 and arm64; undefined if the kernel has none. */
type Numbers = readonly [x64: number, arm64: number | undefined];

/** Calls by what they do, for filters that treat all of a kind alike. */
export const callsByKind = {
  /** They administer the machine, enter namespaces, or reach into other programs. */
  forbidden: {
    keyctl: [250, 219],
    add_key: [248, 217],
    request_key: [249, 218],
    bpf: [321, 280],
    perf_event_open: [298, 241],
    userfaultfd: [323, 282],
    fanotify_init: [300, 262],
    mount: [165, 40],
    umount2: [166, 39],
    pivot_root: [155, 41],
    move_mount: [429, 429],
    open_tree: [428, 428],
    fsopen: [430, 430],
    fsconfig: [431, 431],
    fsmount: [432, 432],
    fspick: [433, 433],
    mount_setattr: [442, 442],
    chroot: [161, 51],
    unshare: [272, 97],
    setns: [308, 268],
    open_by_handle_at: [304, 265],
    kexec_load: [246, 104],
    kexec_file_load: [320, 294],
    init_module: [175, 105],
    finit_module: [313, 273],
    delete_module: [176, 106],
    reboot: [169, 142],
    swapon: [167, 224],
    swapoff: [168, 225],
    acct: [163, 89],
    quotactl: [179, 60],
    quotactl_fd: [443, 443],
    settimeofday: [164, 170],
    clock_settime: [227, 112],
    adjtimex: [159, 171],
    clock_adjtime: [305, 266],
    sethostname: [170, 161],
    setdomainname: [171, 162],
    syslog: [103, 116],
    vhangup: [153, 58],
    lookup_dcookie: [212, 18],
    nfsservctl: [180, 42],
    iopl: [172, undefined],
    ioperm: [173, undefined],
    modify_ldt: [154, undefined],
    kcmp: [312, 272],
    pidfd_getfd: [438, 438],
  },
  /** io_uring makes sockets that no filter sees; the others have their flags or names in memory that a filter cannot read. */
  absent: {
    io_uring_setup: [425, 425],
    io_uring_enter: [426, 426],
    io_uring_register: [427, 427],
    clone3: [435, 435],
    openat2: [437, 437],
    fchmodat2: [452, 452],
    setxattrat: [463, 463],
    removexattrat: [466, 466],
    file_setattr: [469, 469],
  },
  signalling: {
    kill: [62, 129],
    tkill: [200, 130],
    tgkill: [234, 131],
    pidfd_send_signal: [424, 424],
    rt_sigqueueinfo: [129, 138],
    rt_tgsigqueueinfo: [297, 240],
  },
  tracing: {
    ptrace: [101, 117],
    process_vm_readv: [310, 270],
    process_vm_writev: [311, 271],
    process_madvise: [440, 440],
  },
  /** They remove or create names, besides the calls that open files, `creat` and `mknod`. */
  watched: {
    unlink: [87, undefined],
    unlinkat: [263, 35],
    rmdir: [84, undefined],
    rename: [82, undefined],
    renameat: [264, 38],
    renameat2: [316, 276],
    truncate: [76, 45],
    mkdir: [83, undefined],
    mkdirat: [258, 34],
    link: [86, undefined],
    linkat: [265, 37],
    symlink: [88, undefined],
    symlinkat: [266, 36],
    umask: [95, 166],
  },
  /** They watch files by inotify. */
  watching: {
    inotify_init: [253, undefined],
    inotify_init1: [294, 26],
    inotify_add_watch: [254, 27],
    inotify_rm_watch: [255, 28],
  },
  /** They change the owner, the times or the attributes of an entry. */
  changing: {
    chown: [92, undefined],
    fchown: [93, 55],
    lchown: [94, undefined],
    fchownat: [260, 54],
    utime: [132, undefined],
    utimes: [235, undefined],
    futimesat: [261, undefined],
    setxattr: [188, 5],
    lsetxattr: [189, 6],
    fsetxattr: [190, 7],
    removexattr: [197, 14],
    lremovexattr: [198, 15],
    fremovexattr: [199, 16],
  },
} as const satisfies Record<string, Record<string, Numbers>>;

export const syscallNumbers = {
  ...callsByKind.forbidden,
  ...callsByKind.absent,
  ...callsByKind.signalling,
  ...callsByKind.tracing,
  ...callsByKind.watched,
  ...callsByKind.changing,
  ...callsByKind.watching,
  socket: [41, 198],
  socketpair: [53, 199],
  connect: [42, 203],
  chmod: [90, undefined],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  open: [2, undefined],
  openat: [257, 56],
  creat: [85, undefined],
  mknod: [133, undefined],
  mknodat: [259, 33],
  utimensat: [280, 88],
  fork: [57, undefined],
  vfork: [58, undefined],
  clone: [56, 220],
  ioctl: [16, 29],
  personality: [135, 92],
  prlimit64: [302, 261],
  setrlimit: [160, 164],
  read: [0, 63],
  write: [1, 64],
  close: [3, 57],
  lseek: [8, 62],
  rt_sigprocmask: [14, 135],
  nanosleep: [35, 101],
  pread64: [17, 67],
  pwrite64: [18, 68],
  ppoll: [271, 73],
  fallocate: [285, 47],
  signalfd4: [289, 74],
  sendto: [44, 206],
  recvfrom: [45, 207],
  sendmsg: [46, 211],
  recvmsg: [47, 212],
  shutdown: [48, 210],
  bind: [49, 200],
  listen: [50, 201],
  getsockopt: [55, 209],
  exit: [60, 93],
  execve: [59, 221],
  fcntl: [72, 25],
  flock: [73, 32],
  ftruncate: [77, 46],
  getcwd: [79, 17],
  setsid: [112, 157],
  capset: [126, 91],
  prctl: [157, 167],
  lgetxattr: [192, 9],
  llistxattr: [195, 12],
  getxattr: [191, 8],
  listxattr: [194, 11],
  faccessat: [269, 48],
  epoll_pwait: [281, 22],
  eventfd2: [290, 19],
  dup3: [292, 24],
  pipe2: [293, 59],
  seccomp: [317, 277],
  memfd_create: [319, 279],
  statx: [332, 291],
  pidfd_open: [434, 434],
  wait4: [61, 260],
} as const satisfies Record<string, Numbers>;

export type SyscallName = keyof typeof syscallNumbers;

/** A call that both kernels have. */
export type CommonSyscall = {
  [Name in SyscallName]: (typeof syscallNumbers)[Name][1] extends number ? Name : never;
}[SyscallName];

/** O_CLOEXEC, and the flag of the same meaning and value for sockets, epoll and eventfd. */
export const closeOnExec = 0o2000000;

/** A processor whose calls are known. */
export type Processor = 'x64' | 'arm64';

/** This machine's. Throws if its calls are not known. */
export function thisProcessor(): Processor {
  const { arch } = process;
  if (arch !== 'x64' && arch !== 'arm64') throw new Error(`no system calls are known for ${arch}`);
  return arch;
}

/** The number of a call on a processor, by default on this machine's. */
export function syscallNumber(name: CommonSyscall, architecture: string = process.arch): number {
  return syscallNumbers[name][architecture === 'x64' ? 0 : 1];
}
