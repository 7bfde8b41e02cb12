import { Buffer } from 'node:buffer';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backend } from './child.ts';
import { defaultProcessLimits } from './prelude.ts';
import { waitForEnd } from './run-child.ts';

/**
 * Tries the walls from inside, with nothing but a shell's own words. Returns the first that gives way. Runs once,
 * before the first command.
 */
export async function findHole(backend: Backend, workingFolder: string): Promise<string | undefined> {
  const outside = makeOutside();
  const listener = await listen();
  try {
    const canary = join(outside, 'canary');
    const target = join(outside, 'written');
    writeFileSync(canary, `${secret}\n`);
    const report = await runProbe(backend, workingFolder, {
      canary,
      target,
      port: (listener.address() as AddressInfo).port,
    });
    if (existsSync(target)) return 'a file outside could be written';
    return findOpenWall(report);
  } finally {
    listener.close();
    rmSync(outside, { recursive: true, force: true });
  }
}

const secret = 'sekisho-canary';

/** A folder that no sandbox shows: in the home folder, else in the host's /tmp, which is not the sandbox's. */
function makeOutside(): string {
  try {
    return mkdtempSync(join(homedir(), '.sekisho-probe-'));
  } catch {
    return mkdtempSync(join(tmpdir(), 'sekisho-probe-'));
  }
}

function listen(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

interface Targets {
  readonly canary: string;
  readonly target: string;
  readonly port: number;
}

/** `wall=what was seen`, one a line. */
function probeScript({ canary, target, port }: Targets): string {
  return `
quiet() { "$@" 2>/dev/null; }
echo "self=$$"
words=; { read -r words <'${canary}'; } 2>/dev/null; echo "read=$words"
words=; { read -r words <'/proc/${process.pid}/environ'; } 2>/dev/null; echo "environ=$words"
if quiet kill -0 ${process.pid}; then echo signal=sent; else echo signal=refused; fi
{ echo written >'${target}'; } 2>/dev/null
{ echo written >/usr/sekisho-probe; } 2>/dev/null && echo system=written || echo system=refused
if [ -n "$BASH_VERSION" ]; then
  if (exec 5<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null; then echo network=connected; else echo network=refused; fi
else
  network=; while read -r name rest; do case $name in *:*) network="$network$name";; esac; done </proc/self/net/dev
  echo "network=$network"
fi
while read -r name value rest; do
  case $name in CapPrm:|CapEff:|CapAmb:|NoNewPrivs:|Seccomp:) echo "$name$value";; esac
done </proc/self/status
for fd in /proc/self/fd/*; do fd=\${fd##*/}; [ "$fd" -gt 2 ] && [ -e "/proc/self/fd/$fd" ] && echo "descriptor=$fd"; done
echo end=reached
`;
}

async function runProbe(
  backend: Backend,
  workingFolder: string,
  targets: Targets,
): Promise<ReadonlyMap<string, string>> {
  const child = await backend.spawn({
    command: {
      kind: 'script',
      script: probeScript(targets),
      shell: existsSync('/bin/bash') || existsSync('/usr/bin/bash') ? 'bash' : 'sh',
    },
    limits: defaultProcessLimits,
    workingFolder,
    environment: { PATH: '/usr/bin:/bin' },
    writable: [],
    stdin: 'null',
  });
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const ending = await waitForEnd(child, { timeoutMs: 20_000, signal: new AbortController().signal });
  const report = new Map<string, string>();
  for (const line of Buffer.concat(output).toString('utf8').split('\n')) {
    const at = line.search(/[=:]/);
    if (at > 0) report.set(line.slice(0, at), line.slice(at + 1));
  }
  if (report.get('end') !== 'reached') {
    throw new Error(
      `the self-test ended with ${ending.exitCode}: ${Buffer.concat(errors).toString('utf8').slice(0, 500)}`,
    );
  }
  return report;
}

function findOpenWall(report: ReadonlyMap<string, string>): string | undefined {
  if (report.get('read') !== '') return 'a file outside could be read';
  const environ = report.get('environ') ?? '';
  const own = readFileSync('/proc/self/environ', 'latin1').replaceAll('\0', '');
  if (environ !== '' && own.startsWith(environ.slice(0, 32))) return "the server's variables could be read";
  // In a process namespace of its own the small numbers are the probe's own processes.
  const isOwn = process.pid < 16 && Number(report.get('self')) < 16;
  if (report.get('signal') !== 'refused' && !isOwn) return 'the server could be signalled';
  if (report.get('system') !== 'refused') return "the system's files could be written";
  if (report.get('network') !== 'refused' && report.get('network') !== 'lo:')
    return 'the network could be reached';
  for (const name of ['CapPrm', 'CapEff', 'CapAmb']) {
    if (!/^0+$/.test(report.get(name) ?? '')) return `capabilities were kept (${name})`;
  }
  if (report.get('NoNewPrivs') !== '1') return 'set-user-id programs gain rights';
  if (report.get('Seccomp') !== '2') return 'no system call filter is loaded';
  if (report.has('descriptor')) return `descriptor ${report.get('descriptor')} of the server is open inside`;
  return undefined;
}
