import { spawn } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { openLocks } from '../../src/files/changing/lock.ts';
import { openWorkspace } from '../../src/files/workspace.ts';
import { openStore } from '../../src/store/open-store.ts';
import { type PostgresServer, startPostgres } from '../store/postgres-server.ts';

const servers = ['p0', 'p1', 'p2', 'p3'];
const isFull = process.env.SEKISHO_HAMMER !== undefined;
/** Of each of three tools, in each server. */
const each = isFull ? 834 : 25;

interface Told {
  readonly said: Readonly<Record<string, number>>;
  readonly slowestMs: number;
}

const postgres = await startPostgres();
const missing = 'missing' in postgres ? postgres.missing : undefined;
afterAll(() => (postgres as Partial<PostgresServer>).stop?.());

const stories = [
  ['state folders of their own', undefined],
  ['one PostgreSQL', () => (postgres as PostgresServer).createDatabase()],
] as const;

test.for(stories)(
  'servers with %s lose no change of a file, and refuse none',
  {
    timeout: isFull ? 900_000 : 120_000,
  },
  async ([, createDatabase], { skip }) => {
    skip(createDatabase !== undefined && missing !== undefined, missing);
    const url = await createDatabase?.();
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-contention-')));
    const root = join(folder, 'root');
    mkdirSync(join(root, 'vault'), { recursive: true });
    const lines = servers.map((server) => `${server} 0\n`).join('');
    writeFileSync(join(root, 'edited.txt'), lines);
    writeFileSync(join(root, 'vault/replaced.md'), lines);
    writeFileSync(join(root, 'vault/appended.md'), '');
    try {
      if (url !== undefined)
        await shareKey(
          url,
          servers.map((server) => join(folder, server)),
        );
      const running = servers.map((server) => start(root, join(folder, server), server, url));
      for (const { ready } of running) await ready;
      for (const { go } of running) go();
      const told = await Promise.all(running.map(({ result }) => result));
      if (isFull) console.log(JSON.stringify({ on: url ? 'PostgreSQL' : 'SQLite', told }));

      const all = { 'edit_file done': each, 'vault_replace done': each, 'vault_append done': each };
      expect(told.map(({ said }) => said)).toEqual(servers.map(() => all));
      const counted = servers.map((server) => `${server} ${each}\n`).join('');
      expect(readFileSync(join(root, 'edited.txt'), 'utf8')).toBe(counted);
      expect(readFileSync(join(root, 'vault/replaced.md'), 'utf8')).toBe(counted);
      const appended = readFileSync(join(root, 'vault/appended.md'), 'utf8').split('\n').slice(0, -1);
      for (const server of servers) {
        expect(appended.filter((line) => line.startsWith(`${server} `))).toEqual(
          Array.from({ length: each }, (_, at) => `${server} ${at + 1}`),
        );
      }
      if (url !== undefined)
        expect(await recordsAt(url, join(folder, 'p0'))).toEqual({ ok: true, entries: 12 * each });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

test('a file that another program keeps locked is waited for, though not by a call that is over', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-locked-')));
  writeFileSync(join(root, 'a.txt'), 'old');
  const workspace = openWorkspace({ roots: [{ path: root, writable: true }] });
  const locks = openLocks();
  const other = workspace.folder.at('a.txt').openRead();
  try {
    await locks.take(other);
    const gone = new AbortController();
    const first = workspace.folder.at('a.txt').replace('first', { signal: gone.signal });
    const second = workspace.folder.at('a.txt').replace('second');
    gone.abort();

    await expect(first).rejects.toMatchObject({ code: 'cancelled' });
    // Nobody waits for a lock on another file, and what takes no lock would be done by then.
    for (let other = 0; other < 10; other++) await workspace.folder.at(`${other}.txt`).replace('x');
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('old');
    locks.release(other);
    await second;
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('second');
  } finally {
    workspace.close();
    rmSync(root, { recursive: true, force: true });
  }
});

test('two that make the same file at once both write, one after the other', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-made-')));
  const workspaces = [0, 1, 2, 3].map(() => openWorkspace({ roots: [{ path: root, writable: true }] }));
  try {
    for (let round = 0; round < 20; round++) {
      const path = `${round}.txt`;
      await Promise.all(workspaces.map(({ folder }, at) => folder.at(path).append(`${at}\n`)));
      expect(readFileSync(join(root, path), 'utf8').split('\n').sort()).toEqual(['', '0', '1', '2', '3']);
    }
  } finally {
    for (const workspace of workspaces) workspace.close();
    rmSync(root, { recursive: true, force: true });
  }
});

/** Servers of one log have one key. */
async function shareKey(url: string, folders: readonly string[]): Promise<void> {
  const [first = '', ...others] = folders;
  const store = await openStore({ url, stateFolder: first });
  await store.audit.verify();
  await store.close();
  for (const other of others) {
    mkdirSync(other, { mode: 0o700 });
    copyFileSync(join(first, 'audit.key'), join(other, 'audit.key'));
  }
}

async function recordsAt(url: string, stateFolder: string) {
  const store = await openStore({ url, stateFolder });
  const { ok, entries } = await store.audit.verify();
  await store.close();
  return { ok, entries };
}

function start(root: string, state: string, name: string, url = '') {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'fixtures/contend.ts'), root, state, name, String(each), url],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const lines = createInterface({ input: child.stdout });
  const ready = new Promise<void>((resolve) => lines.once('line', () => resolve()));
  const result = new Promise<Told>((resolve, reject) => {
    lines.on('line', (line) => {
      if (line !== 'ready') resolve(JSON.parse(line) as Told);
    });
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)));
  });
  result.catch(() => {});
  return { ready, go: () => child.stdin.write('go\n'), result };
}
