/**
 * How a program that runs another finds it: its own options, then some operands, then the command. An option that
 * is not in the table could shift where the command begins, so it makes the whole unreadable.
 */
export interface WrapperGrammar {
  /** Switches by letter, and letters whose value is the next word unless attached. */
  readonly flags?: string;
  readonly valued?: string;
  /** Letters whose value can only be attached: `-i{}`, `-10`. */
  readonly attached?: string;
  readonly long?: readonly string[];
  readonly longValued?: readonly string[];
  /** Words between the options and the command. */
  readonly operands?: number;
  /** NAME=value words may stand before the command. */
  readonly assignments?: boolean;
  /** A first word that must be there: `bundle exec`, `uv run`. */
  readonly verbs?: readonly string[];
  /** A word that may stand before it. */
  readonly groups?: readonly string[];
  /** The words are joined and given to a shell. */
  readonly joined?: boolean;
  /** With one of these letters or names nothing is run. */
  readonly inert?: readonly string[];
}

const digits = '0123456789';

/** Programs of the system that run another. */
export const wrappers: ReadonlyMap<string, WrapperGrammar> = new Map<string, WrapperGrammar>([
  ['nice', { attached: digits, valued: 'n', longValued: ['adjustment'] }],
  [
    'ionice',
    {
      flags: 't',
      valued: 'cnpPu',
      long: ['ignore'],
      longValued: ['class', 'classdata', 'pid', 'pgid', 'uid'],
    },
  ],
  ['nohup', {}],
  ['setsid', { flags: 'cfw', long: ['ctty', 'fork', 'wait'] }],
  [
    'timeout',
    {
      flags: 'vfp',
      valued: 'ks',
      long: ['verbose', 'foreground', 'preserve-status'],
      longValued: ['kill-after', 'signal'],
      operands: 1,
    },
  ],
  ['stdbuf', { valued: 'ioe', longValued: ['input', 'output', 'error'] }],
  [
    'time',
    {
      flags: 'pvqaVl',
      valued: 'fo',
      long: ['portability', 'verbose', 'quiet', 'append'],
      longValued: ['format', 'output'],
    },
  ],
  ['command', { flags: 'pvV', inert: ['v', 'V'] }],
  ['builtin', {}],
  ['exec', { flags: 'cl', valued: 'a' }],
  [
    'sudo',
    {
      flags: 'ABbEeHiKklnNPSsVv',
      valued: 'CDghpRrTtUu',
      long: [
        ...['askpass', 'background', 'preserve-env', 'edit', 'set-home', 'help', 'login', 'remove-timestamp'],
        ...['reset-timestamp', 'list', 'non-interactive', 'no-update', 'preserve-groups', 'stdin', 'shell'],
        ...['version', 'validate'],
      ],
      longValued: [
        ...['close-from', 'chdir', 'group', 'host', 'prompt', 'chroot', 'role', 'command-timeout', 'type'],
        ...['other-user', 'user'],
      ],
      assignments: true,
    },
  ],
  ['doas', { flags: 'nsL', valued: 'uCa' }],
  ['pkexec', { long: ['disable-internal-agent', 'keep-cwd'], longValued: ['user'] }],
  [
    'run0',
    {
      long: ['no-ask-password', 'pipe', 'pty', 'slice-inherit'],
      longValued: [
        'unit',
        'property',
        'description',
        'slice',
        'user',
        'group',
        'nice',
        'chdir',
        'setenv',
        'machine',
      ],
      valued: 'ugD',
    },
  ],
  ['gosu', { operands: 1 }],
  ['su-exec', { operands: 1 }],
  ['chroot', { long: ['skip-chdir'], longValued: ['groups', 'userspec', 'group', 'user'], operands: 1 }],
  ...['setarch', 'linux32', 'linux64', 'i386', 'uname26', 'x86_64'].map((name): [string, WrapperGrammar] => [
    name,
    setarch(),
  ]),
  ['taskset', { flags: 'ac', long: ['all-tasks', 'cpu-list'], operands: 1 }],
  [
    'chrt',
    {
      flags: 'abdfiormvR',
      valued: 'TPD',
      long: ['batch', 'deadline', 'fifo', 'idle', 'other', 'rr', 'reset-on-fork', 'verbose', 'all-tasks'],
      longValued: ['sched-runtime', 'sched-period', 'sched-deadline'],
      operands: 1,
    },
  ],
  ['numactl', { flags: 'alsH', valued: 'iNmpCP', long: ['localalloc', 'all', 'show', 'hardware'] }],
  ['unbuffer', { flags: 'p' }],
  ['rlwrap', { flags: 'acimnrRsvAE', valued: 'bCDefgHlOpPqStwz' }],
  ['faketime', { flags: 'mf', long: ['exclude-monotonic'], operands: 1 }],
  ['fakeroot', { flags: 'uv', valued: 'lsib', long: ['unknown-is-real'], longValued: ['lib', 'faked'] }],
  ['eatmydata', {}],
  ['torsocks', { flags: 'iq' }],
  ['torify', {}],
  ['proxychains', { flags: 'q', valued: 'f' }],
  ['proxychains4', { flags: 'q', valued: 'f' }],
  ['tsocks', {}],
  ['catchsegv', {}],
  ['dumb-init', { flags: 'cv', valued: 'r', long: ['single-child', 'verbose'], longValued: ['rewrite'] }],
  ['tini', { flags: 'gsvw', valued: 'ep' }],
  [
    'xvfb-run',
    { flags: 'al', valued: 'enfpsw', long: ['auto-servernum'], longValued: ['server-args', 'server-num'] },
  ],
  ['dbus-run-session', { longValued: ['config-file', 'dbus-daemon'] }],
  ['unshare', { flags: 'mupinUCfrcT', valued: 'SGRw', long: unshareSwitches() }],
  ['cgexec', { valued: 'g', long: ['sticky'] }],
  ['systemd-inhibit', { longValued: ['what', 'who', 'why', 'mode'] }],
  [
    'strace',
    {
      flags: 'cCdDfFhikqrtTvVwxyzZY',
      valued: 'aeEIobpPsSuUX',
      long: ['follow-forks', 'output-separately', 'summary-only', 'summary'],
      longValued: ['output', 'trace', 'string-limit', 'env', 'user', 'attach'],
    },
  ],
  ['ltrace', { flags: 'bcCfhiLrStTV', valued: 'aADeFlnopsuwxX' }],
  ['xargs', xargs()],
  ['entr', { flags: 'acdnprxz' }],
  ['chronic', { flags: 've' }],
  ['ifne', { flags: 'n' }],
  ['caffeinate', { flags: 'disum', valued: 'tw' }],
  ['arch', { attached: 'axi', flags: 'c', valued: 'de' }],
  [
    'xcrun',
    { flags: 'vnkl', longValued: ['sdk', 'toolchain'], long: ['verbose', 'no-cache', 'kill-cache', 'log'] },
  ],
  ['prlimit', { flags: 'v', valued: 'po', long: ['verbose', 'noheadings', 'raw'], longValued: prlimits() }],
  [
    'setpriv',
    {
      flags: 'd',
      long: ['dump', 'no-new-privs', 'clear-groups', 'keep-groups', 'init-groups', 'reset-env'],
      longValued: [
        'reuid',
        'regid',
        'ruid',
        'euid',
        'rgid',
        'egid',
        'groups',
        'bounding-set',
        'inh-caps',
        'ambient-caps',
        'securebits',
        'pdeathsig',
      ],
    },
  ],
  [
    'nsenter',
    {
      flags: 'amuinpCUTrwFZeWc',
      valued: 'tSG',
      long: [
        'all',
        'mount',
        'uts',
        'ipc',
        'net',
        'pid',
        'cgroup',
        'user',
        'time',
        'no-fork',
        'preserve-credentials',
        'root',
        'wd',
        'env',
      ],
      longValued: ['target', 'setuid', 'setgid', 'wdns'],
    },
  ],
  [
    'perf',
    {
      // perf-sched(1), perf-lock(1), perf-mem(1) and their like have a `record` of their own.
      groups: ['sched', 'lock', 'kmem', 'mem', 'c2c', 'timechart', 'kwork', 'kvm'],
      verbs: ['stat', 'record', 'trace'],
      flags: 'adgvr',
      valued: 'eoFCpt',
      long: ['all-cpus', 'detailed', 'null'],
      longValued: ['event', 'output', 'repeat', 'call-graph', 'freq'],
    },
  ],
  ['screen', { flags: 'dDmUqaAOLrRixX', valued: 'ceEhpsStT' }],
  ['noglob', {}],
  ['nocorrect', {}],
  ['repeat', { operands: 1 }],
  ['winpty', {}],
  [
    'watch',
    {
      flags: 'bcCegprtwx',
      valued: 'nqs',
      attached: 'd',
      long: [
        'beep',
        'color',
        'differences',
        'errexit',
        'chgexit',
        'exec',
        'precise',
        'no-title',
        'no-wrap',
        'no-rerun',
      ],
      longValued: ['interval', 'equexit', 'shotsdir'],
      joined: true,
    },
  ],
]);

function setarch(): WrapperGrammar {
  return {
    flags: 'vRFZLXBITS3hV',
    long: [
      ...['verbose', 'addr-no-randomize', 'fdpic-funcptrs', 'mmap-page-zero', 'addr-compat-layout'],
      ...['read-implies-exec', '32bit', 'short-inode', 'whole-seconds', 'sticky-timeouts', '3gb', '4gb'],
      ...['uname-2.6', 'list', 'show', 'help', 'version'],
    ],
  };
}

function unshareSwitches(): readonly string[] {
  return [
    ...['mount', 'uts', 'ipc', 'net', 'pid', 'user', 'cgroup', 'time', 'fork', 'map-root-user'],
    ...['map-current-user', 'map-auto', 'keep-caps', 'kill-child', 'mount-proc'],
  ];
}

function prlimits(): readonly string[] {
  return [
    ...[
      'pid',
      'output',
      'core',
      'data',
      'nice',
      'fsize',
      'sigpending',
      'memlock',
      'rss',
      'nofile',
      'msgqueue',
    ],
    ...['rtprio', 'stack', 'cpu', 'nproc', 'as', 'locks', 'rttime'],
  ];
}

function xargs(): WrapperGrammar {
  return {
    flags: '0rtpxo',
    valued: 'adEILnPsJRS',
    attached: 'eil',
    long: [
      'null',
      'no-run-if-empty',
      'verbose',
      'interactive',
      'exit',
      'open-tty',
      'show-limits',
      'replace',
      'max-lines',
      'eof',
    ],
    longValued: ['arg-file', 'delimiter', 'max-args', 'max-procs', 'max-chars', 'process-slot-var'],
  };
}

/** What a shell itself runs behind these may be its builtin; all other wrappers start a program. */
export const startsBuiltins = new Set(['command', 'builtin', 'eval', 'noglob', 'time', 'coproc']);
