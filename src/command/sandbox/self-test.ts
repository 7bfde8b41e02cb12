import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostProxy } from '../../network/proxy/open.ts';
import type { Spawner } from '../child/child.ts';
import { waitForEnd } from '../child/run-child.ts';
import { defaultProcessLimits } from '../prelude.ts';
import { shellIn } from '../shell.ts';
import { askProxy, findOpenProxy, proxyRequests } from './self-test-proxy.ts';

/**
 * Tests the sandbox from inside with shell builtins only. Returns the first failure. Runs once before the first
 * command, and with a proxy once more for commands that may use the network.
 */
export async function findHole(
  backend: Spawner,
  roots: readonly string[],
  proxy?: HostProxy,
): Promise<string | undefined> {
  const outside = makeOutside(roots);
  const listener = await listen();
  try {
    const canary = join(outside, 'canary');
    const target = join(outside, 'written');
    writeFileSync(canary, `${secret}\n`);
    const { port } = listener.server.address() as AddressInfo;
    const report = await runProbe(backend, roots[0] ?? '/', { canary, target, port, proxy });
    if (existsSync(target)) return 'a file outside could be written';
    if (listener.reached()) return 'the network could be reached';
    return findOpenWall(report) ?? (proxy && findOpenProxy(report, proxyRequests(port)));
  } finally {
    listener.server.close();
    rmSync(outside, { recursive: true, force: true });
  }
}

const secret = 'sekisho-canary';

/** Makes a folder that no sandbox shows: in the home if it is no root, otherwise in the host's temporary folders. */
function makeOutside(roots: readonly string[]): string {
  for (const parent of [homedir(), '/var/tmp', '/run', tmpdir(), '/dev/shm']) {
    try {
      const real = realpathSync(parent);
      if (roots.some((root) => `${real}/`.startsWith(root === '/' ? '/' : `${root}/`))) continue;
      sweep(real);
      return mkdtempSync(join(real, probePrefix));
    } catch {
      // The folder does not exist, or is not writable for us.
    }
  }
  throw new Error('there is no folder outside the roots to try the walls with');
}

/** Removes the folders of servers that were killed during their self-test. No test takes an hour. */
function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(probePrefix)) continue;
    const path = join(parent, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    // In a folder that everyone may write, others may have created this name.
    if (!stat?.isDirectory() || stat.uid !== process.getuid?.()) continue;
    if (Date.now() - stat.mtimeMs > 60 * 60 * 1000) rmSync(path, { recursive: true, force: true });
  }
}

const probePrefix = '.sekisho-probe-';

/** Starts a server on this machine that no command may reach. */
function listen(): Promise<{ readonly server: Server; reached(): boolean }> {
  return new Promise((resolve, reject) => {
    let reached = false;
    const server = createServer((socket) => {
      reached = true;
      socket.destroy();
    });
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve({ server, reached: () => reached }));
  });
}

interface Targets {
  readonly canary: string;
  readonly target: string;
  readonly port: number;
  readonly proxy?: HostProxy | undefined;
}

/** Prints `name=result`, one per line. */
function probeScript({ canary, target, port, proxy }: Targets): string {
  return `
quiet() { "$@" 2>/dev/null; }
echo "self=$$"
words=; { read -r words <'${canary}'; } 2>/dev/null; echo "read=$words"
words=; { read -r words <'/proc/${process.pid}/environ'; } 2>/dev/null; echo "environ=$words"
if quiet kill -0 ${process.pid}; then echo signal=sent; else echo signal=refused; fi
{ echo written >'${target}'; } 2>/dev/null
{ echo written >/usr/sekisho-probe; } 2>/dev/null && echo system=written || echo system=refused
for file in ${kernelSettings.join(' ')}; do { true >>"$file"; } 2>/dev/null && { echo "kernel=$file"; break; }; done
if [ -n "$BASH_VERSION" ]; then
  if (exec 5<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null; then echo network=connected; else echo network=refused; fi
else
  network=refused; [ -r /proc/self/net/dev ] && network=; while read -r name rest; do case $name in *:*) network="$network$name";; esac; done 2>/dev/null </proc/self/net/dev
  echo "network=$network"
fi
for fd in /proc/self/fd/*; do case \${fd##*/} in [012]) ;; *) [ -e "$fd" ] && echo "descriptor=\${fd##*/}";; esac; done
${proxy ? askProxy(proxy.listening[0].port, proxyRequests(port)) : ''}
echo end=reached
read -r answer
`;
}

/** Opens them for appending without writing. By name too, for a sandbox that shows the files and not their folders. */
const kernelSettings = [
  ...['/proc/sys/kernel/core_pattern', '/proc/sysrq-trigger', '/proc/mtrr', '/sys/kernel/uevent_helper'],
  ...['/proc/sys/*/*', '/proc/sys/*/*/*', '/proc/irq/*', '/proc/irq/*/*', '/proc/bus/*/*', '/proc/bus/*/*/*'],
  ...['/proc/[a-z]*', '/proc/fs/*/*', '/proc/acpi/*', '/proc/scsi/*', '/sys/fs/cgroup/*', '/sys/power/*'],
];

/** Runs the probe, and inspects it from outside while it waits at its end. */
async function runProbe(
  backend: Spawner,
  workingFolder: string,
  targets: Targets,
): Promise<ReadonlyMap<string, string>> {
  const child = await backend.spawn({
    command: { kind: 'script', script: probeScript(targets), shell: shellIn(['/usr/bin', '/bin']) },
    limits: defaultProcessLimits,
    workingFolder,
    environment: { PATH: '/usr/bin:/bin' },
    writable: [],
    stdin: 'pipe',
    outlet: targets.proxy?.openOutlet(),
  });
  const report = new Map<string, string>();
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
    if (!output.endsWith('end=reached\n')) return;
    for (const line of output.split('\n')) note(report, line, '=');
    for (const pid of child.members()) {
      for (const line of readFileSync(`/proc/${pid}/status`, 'utf8').split('\n')) note(report, line, ':');
    }
    child.stdin?.end('\n');
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8');
  });
  const ending = await waitForEnd(child, {
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    most: { ...defaultProcessLimits, processes: 64 },
  });
  if (!report.has('end'))
    throw new Error(`the self-test ended with ${ending.exitCode}: ${errors.slice(0, 500)}`);
  return report;
}

function note(report: Map<string, string>, line: string, separator: string): void {
  const at = line.indexOf(separator);
  if (at > 0) report.set(line.slice(0, at), line.slice(at + 1).trim());
}

function findOpenWall(report: ReadonlyMap<string, string>): string | undefined {
  if (report.get('read') !== '') return 'a file outside could be read';
  const environ = report.get('environ') ?? '';
  const own = readFileSync('/proc/self/environ', 'latin1').replaceAll('\0', '');
  if (environ !== '' && own.startsWith(environ.slice(0, 32))) return "the server's variables could be read";
  // In its own process namespace the small numbers are the probe's own processes.
  const isOwn = process.pid < 16 && Number(report.get('self')) < 16;
  if (report.get('signal') !== 'refused' && !isOwn) return 'the server could be signalled';
  if (report.get('system') !== 'refused') return "the system's files could be written";
  if (report.get('network') !== 'refused' && report.get('network') !== 'lo:')
    return 'the network could be reached';
  for (const name of ['CapPrm', 'CapEff', 'CapAmb']) {
    if (!/^0+$/.test(report.get(name) ?? '')) return `capabilities were kept (${name})`;
  }
  if (report.has('kernel')) return `a setting of the kernel could be written (${report.get('kernel')})`;
  if (report.get('NoNewPrivs') !== '1') return 'set-user-id programs gain rights';
  if (report.get('Seccomp') !== '2') return 'no system call filter is loaded';
  if (report.has('descriptor')) return `descriptor ${report.get('descriptor')} of the server is open inside`;
  return undefined;
}
