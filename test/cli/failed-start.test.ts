import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { auditRecord } from '../store/records.ts';
import { needs } from '../support/needs.ts';
import { runCommand, startFile } from '../support/run-command.ts';

const canMount = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
const lack = canMount ? undefined : 'no mount namespaces of its own';

test.each(['http', 'stdio'] as const)(
  'over %s, a database that is none ends the start, naming file, cause and remedy',
  async (transport) => {
    const { folder, state } = makePlace();
    writeFileSync(join(state, 'sekisho.db'), 'not a database, but long enough to be one'.repeat(50));

    const { code, stderr, healthy } = await startIn(folder, transport);

    expect(stderr).toBe(
      `sekisho: The records cannot be opened: ${state}/sekisho.db: file is not a database. Restore the file from a backup. To start over, move it away together with the audit.key of its state folder.\n`,
    );
    expect(code).toBe(3);
    expect(healthy).toBe(0);
    expect(readdirSync(state)).toEqual(['sekisho.db']);
  },
);

test.each([
  ['http', 'full', 'size=64k', 'its disk is full. Free space there'],
  ['stdio', 'full', 'size=64k', 'its disk is full. Free space there'],
  ['http', 'read-only', 'ro', 'its file system is read-only. Mount it writable'],
  ['stdio', 'read-only', 'ro', 'its file system is read-only. Mount it writable'],
] as const)(
  'over %s, a state folder that is %s ends the start at once (needs to mount)',
  needs(lack),
  async (transport, _what, options, words) => {
    const { folder, state } = makePlace();
    const mounted = `mount -t tmpfs -o mode=700,${options} tmpfs "$0" && { head -c 65536 /dev/zero > "$0/x" 2>/dev/null; exec "$@"; }`;

    const { code, stderr, healthy } = await startIn(folder, transport, [
      ...['unshare', '-m', 'sh', '-c', mounted, state],
    ]);

    expect(stderr.split('\n').at(-2)).toBe(
      `sekisho: Nothing can be written to the state folder ${state}: ${words}, or name another with --state.`,
    );
    expect(code).toBe(3);
    expect(healthy).toBe(0);
  },
);

test('a database that does not answer ends the start over HTTP, and its password is not told', async () => {
  const { folder } = makePlace();
  const url = `postgres://me:secret@127.0.0.1:${await freePort()}/records`;
  writeFileSync(join(folder, 'config.jsonc'), JSON.stringify({ store: { url } }));

  const { code, stderr, healthy } = await startIn(folder, 'http', [], ['--config', 'config.jsonc']);

  expect(stderr).toMatch(
    /^sekisho: The records cannot be opened: PostgreSQL at 127\.0\.0\.1:\d+\/records: .*ECONNREFUSED.*Is the database there/,
  );
  expect(stderr).not.toContain('secret');
  expect([code, healthy]).toEqual([3, 0]);
});

test('doctor sees damaged pages, where the log itself still holds', async () => {
  const { folder, state } = makePlace();
  const path = join(state, 'sekisho.db');
  const store = await openStore({ url: `sqlite:${path}`, stateFolder: state });
  for (let n = 0; n < 50; n += 1) await store.audit.note(auditRecord({ id: `call_${n}` }));
  const memories = store.memoriesFor('local');
  for (let n = 0; n < 40; n += 1) {
    await memories.remember({ content: `word${n} `.repeat(500), category: 'x', tags: [] });
  }
  await store.close();
  const doctor = () => runCommand(['doctor', '--root', 'root', '--state', 'state'], folder, { HOME: folder });
  expect((await doctor()).stdout).toMatch(/ok {7}store +50 audit entries, unbroken/);
  // A page of the memories, which the log has nothing in.
  const ofMemories = Math.floor(readFileSync(path).indexOf('word39 word39') / 4096);
  expect(ofMemories).toBeGreaterThan(0);
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(4096, 0xff), 0, 4096, ofMemories * 4096);
  closeSync(file);
  const log = await openStore({ url: `sqlite:${path}`, stateFolder: state });
  expect(await log.audit.verify()).toMatchObject({ ok: true, entries: 50 });
  await log.close();

  const { code, stdout } = await doctor();

  expect(stdout).toMatch(
    /missing {2}store +.*(damaged|malformed).*\n +try: restore the database from a backup/,
  );
  expect(code).toBe(2);
});

function makePlace(): { readonly folder: string; readonly state: string } {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-failed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'root'));
  mkdirSync(join(folder, 'state'));
  return { folder, state: join(folder, 'state') };
}

/** Starts a server whose input stays open, and asks all the while whether it says that it is well. */
async function startIn(
  folder: string,
  transport: 'http' | 'stdio',
  before: readonly string[] = [],
  more: readonly string[] = [],
): Promise<{ readonly code: number | null; readonly stderr: string; readonly healthy: number }> {
  const port = await freePort();
  const where = ['--root', 'root', '--state', 'state', ...more];
  const http = transport === 'http' ? ['--http', `127.0.0.1:${port}`] : [];
  const [program = '', ...args] = [...before, process.execPath, startFile, 'serve', ...where, ...http];
  const child = spawn(program, args, {
    cwd: folder,
    env: { HOME: folder, PATH: process.env.PATH, LANG: 'C.UTF-8' },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let healthy = 0;
  const asking = setInterval(() => {
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ status }) => {
        if (status === 200) healthy += 1;
      },
      () => {},
    );
  }, 20);
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  clearInterval(asking);
  // As root, each start warns of that.
  return { code, stderr: stderr.replace(/^Warning: Sekisho runs as root.*\n+/m, ''), healthy };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
