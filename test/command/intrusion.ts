import { createSocket } from 'node:dgram';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandRunner } from '../../src/command/commands.ts';
import type { CommandsOptions } from '../../src/command/commands-options.ts';
import type { ConfiningName } from '../../src/command/sandbox/sandbox-options.ts';

/** What an intruder inside a sandbox reached: everything that did not hold, and whether the run came to its end. */
export interface Findings {
  readonly tried: number;
  readonly open: Readonly<Record<string, string>>;
}

const here = dirname(fileURLToPath(import.meta.url));
const repository = join(here, '../..');

/** Sets up canaries, lets the intruder loose inside the sandbox and looks at what it touched. */
export async function intrude(
  backend: ConfiningName,
  network?: CommandsOptions['network'],
): Promise<Findings> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-intrusion-')));
  const root = join(base, 'root');
  const outside = join(base, 'outside');
  for (const folder of [root, outside, join(root, '.git')]) mkdirSync(folder);
  chmodSync(base, 0o755);
  writeFileSync(join(root, '.git/config'), '[core]\n');
  writeFileSync(join(root, 'intruder.cjs'), readFileSync(join(here, 'intruder.cjs')));
  const secret = 'canary-7f3a';
  const canary = join(outside, 'canary');
  writeFileSync(canary, secret);
  // As a descriptor that the program before us left open.
  openSync(canary, 'r');
  const reached: string[] = [];
  const tcp = await listen({ port: 0, host: '127.0.0.1' }, () => reached.push('TCP'));
  const servers = await Promise.all([
    listen({ path: join(outside, 's') }, () => reached.push('a Unix socket outside')),
    listen({ path: join(root, 's') }, () => reached.push('a Unix socket in the root')),
    listen({ path: `\0sekisho-${process.pid}` }, () => reached.push('an abstract Unix socket')),
  ]);
  const udp = createSocket('udp4', () => reached.push('UDP'));
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
  const commands = new CommandRunner({
    roots: [{ hostPath: root, writable: true }],
    sandbox: 'required',
    backends: [backend],
    network,
    readable: [join(repository, 'node_modules')],
    serverEnvironment: { ...process.env, SECRET: secret, LD_PRELOAD: '/nowhere/evil.so' },
  });
  const looking = setInterval(() => {
    if (readFileSync(join(root, '.git/config'), 'utf8').includes('evil')) reached.push('change .git');
  }, 20);
  try {
    const [status] = await commands.status();
    if (status?.withoutNetwork) throw new Error(status.withoutNetwork.en);
    const result = await commands.forSession('intruder').run(
      {
        kind: 'program',
        program: process.execPath,
        args: [
          'intruder.cjs',
          JSON.stringify({
            koffi: createRequire(import.meta.url).resolve('koffi'),
            canary,
            secret,
            server: process.pid,
            tcp: (tcp.address() as AddressInfo).port,
            udp: udp.address().port,
            unixOutside: join(outside, 's'),
            unixInside: join(root, 's'),
            abstract: `sekisho-${process.pid}`,
          }),
        ],
      },
      { workingFolder: root, timeoutMs: 60_000, signal: new AbortController().signal },
    );
    if (result.exitCode !== 0)
      throw new Error(`the intruder ended with ${result.exitCode}: ${result.stderr}`);
    const report = JSON.parse(result.stdout) as Record<string, string>;
    const open = Object.fromEntries(Object.entries(report).filter(([, got]) => got !== 'held'));
    for (const name of reached) open[name] = 'reached';
    if (readFileSync(canary, 'utf8') !== secret) open['write a file outside'] = 'changed';
    if (readdirSync(outside).toSorted().join() !== 'canary,s') open['make a file outside'] = 'made';
    return { tried: Object.keys(report).length, open };
  } finally {
    clearInterval(looking);
    await commands.close();
    for (const server of [tcp, ...servers]) server.close();
    udp.close();
    rmSync(base, { recursive: true, force: true });
  }
}

function listen(
  where: { port: number; host: string } | { path: string },
  reached: () => void,
): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      reached();
      socket.destroy();
    });
    server.once('error', reject);
    server.listen(where, () => resolve(server));
  });
}

// As a program of its own, for another user: `node intrusion.ts BACKEND [HOST…]`.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , backend, ...entries] = process.argv;
  const network = { entries, key: 'process.network' };
  process.stdout.write(JSON.stringify(await intrude(backend as ConfiningName, network)));
}
