import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import type { CommandLife } from '../../src/contract/capabilities/command-life.ts';
import { createTestJudge } from '../support/effects-judge.ts';
import { needs, programs, sandbox } from '../support/needs.ts';

const path = [dirname(process.execPath), '/usr/bin', '/bin'].join(':');

/** What programs do with sockets of their own all day: a name, the program it needs, the script and what it prints. */
const daily = [
  [
    'a manager of processes',
    'python3',
    `/usr/bin/python3 -c '
import multiprocessing
if __name__ == "__main__":
  with multiprocessing.Manager() as manager:
    shared = manager.dict(); shared[1] = "shared"; print(dict(shared))'`,
    "{1: 'shared'}\n",
  ],
  [
    'a terminal multiplexer',
    'tmux',
    'tmux new -d -s one "sleep 60"; tmux ls -F "#S"; tmux kill-server',
    'one\n',
  ],
  [
    'an agent that holds keys',
    'ssh-agent',
    'eval "$(ssh-agent)" >agent.log; ssh-add -l; kill "$SSH_AGENT_PID"',
    'The agent has no identities.\n',
  ],
  [
    'a browser without windows',
    'chromium',
    `chromium --headless --no-sandbox --disable-gpu --dump-dom 'data:text/html,<p>Hi</p>' 2>/dev/null`,
    '<html><head></head><body><p>Hi</p></body></html>\n',
  ],
  [
    'a server at a relative path in the root',
    'node',
    `node -e '
const http = require("http");
const server = http.createServer((request, response) => response.end("served " + request.url));
server.listen("app.sock", () =>
  http.get({ socketPath: "./app.sock", path: "/x" }, (response) =>
    response.on("data", (bytes) => { console.log(String(bytes)); server.close(); })));'`,
    'served /x\n',
  ],
  [
    'workers of a cluster, many connections at once',
    'node',
    `cat >cluster.cjs <<'EOF'
const cluster = require('cluster'); const net = require('net'); const fs = require('fs');
if (cluster.isPrimary) {
  const worker = cluster.fork();
  let listening = 0;
  worker.on('listening', async () => {
    if (++listening < 2) return;
    const one = (where) => new Promise((resolve, reject) =>
      net.connect(where).on('error', reject).on('end', resolve).resume());
    await Promise.all(Array.from({ length: 40 }, (_, i) => one(i % 2 ? { path: '/tmp/c.sock' } : { port: 8123, host: '127.0.0.1' })));
    console.log('40 served'); process.exit();
  });
} else net.createServer((s) => s.end('x')).listen(8123, '127.0.0.1', () => net.createServer((s) => s.end('x')).listen('/tmp/c.sock'));
EOF
node cluster.cjs`,
    '40 served\n',
  ],
  [
    'a connection that waits until it is taken, while signals come',
    'python3',
    `/usr/bin/python3 - <<'EOF'
import signal, socket, threading, time
signal.signal(signal.SIGALRM, lambda *_: None); signal.siginterrupt(signal.SIGALRM, False)
signal.setitimer(signal.ITIMER_REAL, .01, .01)
door = socket.socket(socket.AF_UNIX); door.bind('/tmp/full'); door.listen(0)
first = socket.socket(socket.AF_UNIX); first.connect('/tmp/full')
second = socket.socket(socket.AF_UNIX)
threading.Timer(.3, door.accept).start()
second.connect('/tmp/full'); print('taken')
third = socket.socket(socket.AF_UNIX); third.setblocking(False)
try: third.connect('/tmp/full')
except BlockingIOError: print('would wait')
signal.setitimer(signal.ITIMER_REAL, 0)
EOF`,
    'taken\nwould wait\n',
  ],
  [
    'one that nobody listens at any more',
    'python3',
    `/usr/bin/python3 - <<'EOF'
import socket
door = socket.socket(socket.AF_UNIX); door.bind('stale'); door.listen(); door.close()
try: socket.socket(socket.AF_UNIX).connect('stale')
except ConnectionRefusedError: print('refused')
EOF`,
    'refused\n',
  ],
] as const;

/** The descriptors that tell supervising threads to end: only their polls name descriptors without one beside. */
function wakersOfSupervisors(): readonly number[] {
  return readdirSync('/proc/self/fd').flatMap((poll) => {
    if (linkOf(poll) !== 'anon_inode:[eventpoll]') return [];
    const text = readFileSync(`/proc/self/fdinfo/${poll}`, 'latin1');
    const watched = [...text.matchAll(/^tfd:\s*(\d+).*data:\s*ffffffff/gm)].flatMap(([, fd]) => fd ?? []);
    return watched.filter((fd) => linkOf(fd) === 'anon_inode:[eventfd]').map(Number);
  });
}

function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    // It was that of the listing.
    return '';
  }
}

describe('behind bubblewrap', needs(sandbox('bubblewrap')), () => {
  let root: string;
  let commands: CommandRunner;

  beforeAll(() => {
    // Not below /tmp, which the commands of a session then share.
    root = realpathSync(mkdtempSync('/var/tmp/sekisho-own-sockets-'));
    commands = new CommandRunner({
      roots: [{ hostPath: root, writable: true }],
      sandbox: 'required',
      backends: ['bubblewrap'],
      readable: [dirname(dirname(process.execPath))],
      layers: `${root}-layers`,
    });
  });
  afterAll(async () => {
    await commands.close();
    for (const folder of [root, `${root}-layers`]) rmSync(folder, { recursive: true, force: true });
  });

  const run = (script: string, life?: CommandLife) =>
    commands.forSession('one', life).run(
      { kind: 'script', script: `(\nPATH=${path}:$PATH\n${script}\n)`, shell: 'sh' },
      {
        workingFolder: root,
        timeoutMs: 60_000,
        signal: new AbortController().signal,
        inSession: true,
      },
    );

  test('the thread that answers is started again when it ends', async () => {
    await run('true');
    const [end = -1] = wakersOfSupervisors();
    const connecting = run(`: > ready; /usr/bin/python3 - <<'EOF'
import os, socket, time
door = socket.socket(socket.AF_UNIX); door.bind('again.sock'); door.listen(9)
def connected():
    one = socket.socket(socket.AF_UNIX); one.connect('again.sock'); door.accept()[0].close(); one.close()
connected()
open('connected', 'w').close()
while not os.path.exists('ended'): time.sleep(.01)
for n in range(50): connected()
print('all')
EOF`);
    await expect.poll(() => existsSync(join(root, 'connected')), { timeout: 30_000 }).toBe(true);
    const threads = () => new Set(readdirSync('/proc/self/task'));
    const before = threads();
    const one = Buffer.alloc(8);
    one.writeBigUInt64LE(1n);
    writeSync(end, one);
    // The thread returns, and the next one must not.
    await expect.poll(() => [...before].some((id) => !threads().has(id)), { interval: 1 }).toBe(true);
    readSync(end, one);
    writeFileSync(join(root, 'ended'), '');
    const { stdout, stderr } = await connecting;
    expect({ stdout, stderr }).toEqual({ stdout: 'all\n', stderr: '' });
  });

  for (const [what, program, script, printed] of daily) {
    test(`${what} works`, needs(programs(program)), async () => {
      const { stdout, stderr } = await run(script);
      // Some leave a server running, which the reply names.
      const said = stderr.replace(/^\[ended with this command, .*\]\n/, '');
      expect({ stdout, stderr: said }).toEqual({ stdout: printed, stderr: '' });
    });
  }

  test(
    'one that waits until it is taken is taken, though many others come meanwhile',
    needs(programs('python3')),
    async () => {
      const fresh = new CommandRunner({
        roots: [{ hostPath: root, writable: true }],
        sandbox: 'required',
        backends: ['bubblewrap'],
      });
      const script = `
import socket, threading
full = socket.socket(socket.AF_UNIX); full.bind('/tmp/full-too'); full.listen(0)
socket.socket(socket.AF_UNIX).connect('/tmp/full-too')
def wait():
  socket.socket(socket.AF_UNIX).connect('/tmp/full-too'); print('taken', flush=True)
waiting = threading.Thread(target=wait); waiting.start()
free = socket.socket(socket.AF_UNIX); free.bind('/tmp/free'); free.listen(128)
for _ in range(100): socket.socket(socket.AF_UNIX).connect('/tmp/free')
print('a hundred', flush=True)
full.accept(); full.accept(); waiting.join()`;
      const { stdout, stderr } = await fresh
        .forSession('one')
        .run(
          { kind: 'program', program: '/usr/bin/python3', args: ['-c', script] },
          { workingFolder: root, timeoutMs: 60_000, signal: new AbortController().signal },
        );
      await fresh.close();
      expect({ stdout, stderr }).toEqual({ stdout: 'a hundred\ntaken\n', stderr: '' });
    },
  );

  test('the next command of a session reaches what one in the background listens at, on a layer too', async () => {
    writeFileSync(
      join(root, 'server.cjs'),
      `const serve = (path, next) =>
  require('net').createServer((socket) => socket.end('from ' + path.split('/').at(-1))).listen(path, next);
serve((process.env.TMPDIR ?? '/tmp') + '/background.sock', () => serve('in-root.sock', () => console.log('up')));`,
    );
    const session = commands.forSession('one');
    const background = await session.start(
      { kind: 'program', program: process.execPath, args: ['server.cjs'] },
      { workingFolder: root, inSession: true },
    );
    await expect.poll(() => background.read().text).toContain('up');
    const asked = `import os, socket
for path in (os.environ.get("TMPDIR", "/tmp") + "/background.sock", "in-root.sock"):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        print(client.recv(99).decode())`;
    for (const life of [undefined, { judge: createTestJudge() }]) {
      const { stdout } = await run(`/usr/bin/python3 -c '${asked}'`, life);
      expect(stdout).toBe('from background.sock\nfrom in-root.sock\n');
    }
    await background.kill();
  });
});
