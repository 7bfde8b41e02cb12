// Runs inside the sandbox and tries to get out. Prints what each attempt came to: `held`, or what it got.
const {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  writeFileSync,
  fstatSync,
} = require('node:fs');

const targets = JSON.parse(process.argv[2]);
const { load } = require(targets.koffi);
const libc = load(null);
const socket = libc.func('int socket(int, int, int)');
const syscall = libc.func('long syscall(long, long, long, long, long, long, long)');
const kill = libc.func('int kill(int, int)');
const ptrace = libc.func('long ptrace(long, long, long, long)');
const connectTo = libc.func('int connect(int, uint8_t *, int)');
const sendTo = libc.func('long sendto(int, uint8_t *, long, int, uint8_t *, int)');

function attempt(work) {
  try {
    return work() ?? 'held';
  } catch (error) {
    return error.code === undefined ? `broken: ${error}` : 'held';
  }
}

function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function address(port) {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16LE(2, 0);
  bytes.writeUInt16BE(port, 2);
  bytes.set([127, 0, 0, 1], 4);
  return bytes;
}

function unixAddress(name) {
  return Buffer.concat([Buffer.from([1, 0]), Buffer.from(name), Buffer.from([0])]);
}

function reach(family, type, protocol, to, length) {
  const fd = socket(family, type, protocol);
  if (fd < 0) return 'held';
  const result = connectTo(fd, to, length ?? to.length);
  closeSync(fd);
  return result === 0 ? 'connected' : 'held';
}

const x64 = process.arch === 'x64';
const attempts = {
  'read a file outside': () => readFileSync(targets.canary, 'utf8'),
  'read it by /proc/self/root': () => readFileSync(`/proc/self/root${targets.canary}`, 'utf8'),
  'read it through a link': () => {
    require('node:fs').symlinkSync(targets.canary, 'link');
    return readFileSync('link', 'utf8');
  },
  'write a file outside': () => writeFileSync(targets.canary, 'overwritten') ?? 'written',
  'make a file outside': () => writeFileSync(`${targets.canary}.new`, 'x') ?? 'made',
  'truncate a file outside': () => require('node:fs').truncateSync(targets.canary) ?? 'truncated',
  'remove a file outside': () => require('node:fs').unlinkSync(targets.canary) ?? 'removed',
  'link a file outside into the root': () => require('node:fs').linkSync(targets.canary, 'hard') ?? 'linked',
  'move a file out': () => {
    writeFileSync('mine', 'x');
    return require('node:fs').renameSync('mine', `${targets.canary}.moved`) ?? 'moved';
  },
  'read /etc/shadow': () => `read ${readFileSync('/etc/shadow').length} bytes`,
  'write below /usr': () => writeFileSync('/usr/sekisho-intruder', 'x') ?? 'written',
  'write in /etc': () => writeFileSync('/etc/sekisho-intruder', 'x') ?? 'written',
  'open a setting of the kernel for writing': () => {
    let opened = 0;
    const walk = (folder, isProc) => {
      for (const name of namesIn(folder)) {
        if (isProc && /^(\d+|self|thread-self|net|mounts)$/.test(name)) continue;
        const path = `${folder}/${name}`;
        const stat = lstatSync(path, { throwIfNoEntry: false });
        if (stat?.isDirectory()) walk(path, false);
        if (!stat?.isFile()) continue;
        try {
          // Nothing is written.
          closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
          opened++;
        } catch {}
      }
    };
    walk('/proc', true);
    for (const folder of ['/sys', '/proc/sys/kernel', '/proc/irq', '/proc/bus']) walk(folder, false);
    return opened === 0 ? 'held' : `${opened} opened`;
  },
  'read the memory of the machine': () => openSync('/dev/mem', 'r') && 'opened',
  TCP: () => reach(2, 1, 0, address(targets.tcp)),
  MPTCP: () => reach(2, 1, 262, address(targets.tcp)),
  UDP: () => {
    const fd = socket(2, 2, 0);
    if (fd < 0) return 'held';
    const to = address(targets.udp);
    sendTo(fd, Buffer.from('leak'), 4, 0, to, to.length);
    // Nobody answers either way: the listener says whether it came.
    return 'held';
  },
  'a raw socket': () => (socket(2, 3, 1) >= 0 ? 'opened' : 'held'),
  'a packet socket': () => (socket(17, 3, 0x300) >= 0 ? 'opened' : 'held'),
  'a vsock socket': () => (socket(40, 1, 0) >= 0 ? 'opened' : 'held'),
  "a socket of the kernel's ciphers": () => (socket(38, 5, 0) >= 0 ? 'opened' : 'held'),
  'a Unix socket outside': () => reach(1, 1, 0, unixAddress(targets.unixOutside)),
  'a Unix socket in the root': () => reach(1, 1, 0, unixAddress(targets.unixInside)),
  'an abstract Unix socket': () => {
    const name = unixAddress(`\0${targets.abstract}`);
    return reach(1, 1, 0, name, name.length - 1);
  },
  io_uring: () => (syscall(425, 8, 0, 0, 0, 0, 0) >= 0 ? 'opened' : 'held'),
  'a new user namespace': () =>
    syscall(x64 ? 272 : 97, 0x10000000, 0, 0, 0, 0, 0) === 0 ? 'entered' : 'held',
  'a mount': () =>
    libc.func('int mount(str, str, str, long, void*)')('none', '/tmp', 'tmpfs', 0, null) === 0
      ? 'mounted'
      : 'held',
  'the keyring': () => (syscall(x64 ? 250 : 219, 0, -3, 1, 0, 0, 0) > 0 ? 'opened' : 'held'),
  'signal the server': () => {
    // In a process namespace of its own the number may be one of its own processes.
    if (process.pid < 100 && targets.server < 100) return 'held';
    return kill(targets.server, 0) === 0 ? 'possible' : 'held';
  },
  'trace the server': () => (ptrace(16, targets.server, 0, 0) === 0 ? 'attached' : 'held'),
  "read the server's variables": () => {
    const read = readFileSync(`/proc/${targets.server}/environ`, 'utf8');
    return read.includes(targets.secret) ? 'read' : 'held';
  },
  "read anybody's variables": () => {
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      try {
        if (readFileSync(`/proc/${name}/environ`, 'utf8').includes(targets.secret)) return `read of ${name}`;
      } catch {}
    }
    return 'held';
  },
  'find the secret in its own variables': () =>
    JSON.stringify(process.env).includes(targets.secret) ? 'found' : 'held',
  'use an inherited descriptor': () => {
    const bytes = Buffer.alloc(100);
    for (let fd = 3; fd < 1024; fd++) {
      try {
        if (!fstatSync(fd).isFile()) continue;
        if (bytes.toString('utf8', 0, readSync(fd, bytes, 0, 100, 0)).includes(targets.secret))
          return `read ${fd}`;
      } catch {}
    }
    return 'held';
  },
  'raise its limits': () => {
    const limit = Buffer.alloc(16, 0xff);
    const setrlimit = libc.func('int setrlimit(int, uint8_t *)');
    // Core size, written as unlimited, was set to nothing.
    return setrlimit(4, limit) === 0 ? 'raised' : 'held';
  },
  'take off the mark that it is found by': () => {
    const limit = Buffer.alloc(16);
    return libc.func('int setrlimit(int, uint8_t *)')(15, limit) === 0 ? 'taken off' : 'held';
  },
};

const report = {};
for (const [name, work] of Object.entries(attempts)) report[name] = attempt(work);
// Afterwards, for it is the one that changes what a later command would meet.
if (existsSync('.git'))
  report['change .git'] = attempt(() => {
    // It may be a copy that it writes: whether a person would read this is looked at from outside, meanwhile.
    writeFileSync('.git/config', '[core]\nfsmonitor=evil\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  });
process.stdout.write(JSON.stringify(report));
