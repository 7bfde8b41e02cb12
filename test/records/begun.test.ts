import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/index.ts';
import { loadSettings } from '../../src/config/load.ts';
import { runCommand } from '../support/run-command.ts';
import { logOf, startServer } from './server.ts';

/** A call that a server was killed in is in the log all the same. */
const kills = process.env.SEKISHO_HAMMER ? 300 : 8;
const bases: string[] = [];

afterEach(() => {
  for (const base of bases.splice(0)) rmSync(base, { recursive: true, force: true });
});

function places(): { readonly base: string; readonly root: string; readonly state: string } {
  const base = mkdtempSync(join(tmpdir(), 'sekisho-begun-'));
  bases.push(base);
  const [root, state] = [join(base, 'root'), join(base, 'state')];
  for (const folder of [root, state]) mkdirSync(folder);
  return { base, root, state };
}

/** Runs as it is, so that it needs no sandbox: a server without walls, and a command that says that it has begun. */
async function serverInCommand() {
  const { root, state } = places();
  const server = startServer(root, state, ['--sandbox', 'off']);
  await server.connect();
  void server.call('shell_exec', { command: 'touch begun; sleep 60' });
  await vi.waitFor(() => expect(existsSync(join(root, 'begun'))).toBe(true), { timeout: 30_000 });
  return { ...server, root, state };
}

const command = { tool: 'shell_exec', stop: 'run', arguments: { command: 'touch begun; sleep 60' } };

test('killed in the middle of a command, it is closed as interrupted by the next start', async () => {
  const { child, exit, root, state } = await serverInCommand();
  child.kill('SIGKILL');
  await exit;

  expect(await logOf(root, state)).toMatchObject([{ ...command, outcome: 'interrupted' }]);
  // Once: what is closed is forgotten.
  expect(await logOf(root, state)).toHaveLength(1);
  expect(readdirSync(join(state, 'calls'))).toEqual([]);
});

test.each([
  [
    'two SIGINTs 30 ms apart, as Ctrl-C in a client sends them',
    async ({ child }: Awaited<ReturnType<typeof serverInCommand>>) => {
      child.kill('SIGINT');
      await sleep(30);
      child.kill('SIGINT');
    },
  ],
  ['a SIGTERM', async ({ child }: Awaited<ReturnType<typeof serverInCommand>>) => void child.kill('SIGTERM')],
  [
    'a client that goes away',
    async ({ child }: Awaited<ReturnType<typeof serverInCommand>>) => {
      child.stdin.end();
      child.stdout.destroy();
    },
  ],
])('%s in the middle of a command leaves its record', async (_title, leave) => {
  const server = await serverInCommand();
  await leave(server);
  await server.exit;

  const entries = await logOf(server.root, server.state);
  expect(entries).toMatchObject([command]);
  expect(['error', 'interrupted']).toContain(entries[0]?.outcome);
});

test(`killed at ${kills} instants, the log has every call that changed a file`, async () => {
  const { root, state } = places();
  for (let kill = 0; kill < kills; kill++) {
    const server = startServer(root, state);
    await server.connect();
    for (let n = 0; n < 40; n++) {
      void server.call('file_write', { path: `${kill}-${n}.txt`, content: `${n}` });
    }
    await vi.waitFor(() => expect(readdirSync(root).some((name) => name.startsWith(`${kill}-`))).toBe(true), {
      timeout: 30_000,
      interval: 2,
    });
    await sleep((kill * 7) % 40);
    server.child.kill('SIGKILL');
    await server.exit;
  }

  const entries = await logOf(root, state);
  const written = new Set(entries.map(({ arguments: input }) => (input as { path: string }).path));
  const files = readdirSync(root).filter((name) => !name.startsWith('.'));
  expect(files.length).toBeGreaterThan(kills);
  expect(files.filter((name) => !written.has(name))).toEqual([]);
  // Each once, under an id of its own.
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);

  const checkpoint = await openCheckpoint(loadSettings({ root, state }, { HOME: state }, root));
  try {
    await checkpoint.history();
    const { history, audit } = await checkpoint.store();
    const changed = new Set((await history.list({ limit: 100_000 })).map(({ path }) => path));
    expect(files.filter((name) => !changed.has(name))).toEqual([]);
    expect(await audit.verify()).toMatchObject({ ok: true });
  } finally {
    await checkpoint.close();
  }
}, 900_000);

test('what a living server has begun is left to it', async () => {
  const { child, exit, root, state } = await serverInCommand();
  expect(await logOf(root, state)).toEqual([]);
  child.kill('SIGKILL');
  await exit;
});

const isRoot = process.getuid?.() === 0;
const lack = isRoot ? '' : ' (skipped: needs root to mount)';

/** A state folder on a disk of 3 MB, which `fill` takes whole. */
async function onSmallDisk(
  use: (place: ReturnType<typeof places> & { fill(): void; free(): void }) => Promise<void>,
): Promise<void> {
  const place = places();
  const filler = join(place.state, 'filler');
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', place.state]);
  const fill = () => expect(() => writeFileSync(filler, Buffer.alloc(4_000_000))).toThrow('ENOSPC');
  try {
    await use({ ...place, fill, free: () => rmSync(filler) });
  } finally {
    execFileSync('umount', ['-l', place.state]);
  }
}

const everyToolset = ['--toolsets', 'agent-cli,assistant,vault,pipeline', '--sandbox', 'off'];
const changes: readonly (readonly [tool: string, input: object])[] = [
  ['file_write', { path: 'new.txt', content: 'x' }],
  ['shell_exec', { command: 'touch new.txt' }],
  ['write_file', { path: 'new.txt', content: 'x' }],
  ['bash', { command: 'touch new.txt' }],
  ['vault_create', { path: 'new.md', content: '# New\n' }],
  ['shelpa_write', { path: 'new.txt', content: 'x' }],
];

interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
}

test.skipIf(!isRoot)(
  `a disk without room for its record lets no call run${lack}`,
  () =>
    onSmallDisk(async ({ root, state, fill, free }) => {
      const server = startServer(root, state, everyToolset);
      await server.connect();
      for (const [tool, input] of changes) {
        const reply = (await server.call(tool, {
          ...input,
          ...('path' in input && { path: `a-${input.path}` }),
        })) as Answer;
        expect([tool, reply.isError, reply.content[0]?.text]).toEqual([tool, undefined, expect.any(String)]);
      }
      rmSync(join(root, 'new.txt'), { force: true });
      const before = filesBelow(root);
      fill();

      for (const [tool, input] of changes) {
        const reply = (await server.call(tool, input)) as Answer;
        expect([tool, reply.isError]).toEqual([tool, true]);
        expect(reply.content[0]?.text).toContain('Nothing was changed.');
        expect(filesBelow(root)).toEqual(before);
      }
      // Nor is anything read that could not be written down.
      expect(await server.call('file_read', { path: 'a-new.txt' })).toMatchObject({ isError: true });

      free();
      expect(await server.call('file_write', { path: 'after.txt', content: 'x' })).not.toHaveProperty(
        'isError',
      );
      server.child.stdin.end();
      await server.exit;
      const entries = await logOf(root, state);
      expect(entries.filter(({ code }) => code === 'storage_full').map(({ tool }) => tool)).toEqual([
        ...changes.map(([tool]) => tool),
        'file_read',
      ]);
      expect(entries.at(-1)).toMatchObject({ tool: 'file_write', outcome: 'ok' });
    }),
  60_000,
);

test.skipIf(!isRoot)(
  `a call that fills the disk itself is told what it did${lack}`,
  () =>
    onSmallDisk(async ({ root, state }) => {
      const server = startServer(root, state, everyToolset);
      await server.connect();
      const command = `touch done; head -c 4000000 /dev/zero > ${join(state, 'filler')}`;
      const reply = (await server.call('shell_exec', { command })) as Answer;
      expect(reply.isError).toBe(true);
      expect(reply.content[0]?.text).toContain('The call was run, but its record could not be written.');
      expect(existsSync(join(root, 'done'))).toBe(true);
      server.child.kill('SIGKILL');
      await server.exit;

      rmSync(join(state, 'filler'));
      expect(await logOf(root, state)).toMatchObject([{ tool: 'shell_exec', outcome: 'interrupted' }]);
    }),
  60_000,
);

test('a log that cannot be written lets nothing run', async () => {
  const { root, state } = places();
  writeFileSync(join(state, 'sekisho.db'), 'not a database, but long enough to be looked at'.repeat(50));
  const server = startServer(root, state);
  await server.connect();
  const reply = (await server.call('file_write', { path: 'a.txt', content: 'a' })) as { isError?: boolean };
  expect(reply.isError).toBe(true);
  expect(readdirSync(root)).toEqual([]);
  server.child.kill('SIGKILL');
  await server.exit;
});

function filesBelow(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted();
}

test('history names what was interrupted, and does not say that nothing was changed', async () => {
  const { child, exit, root, state } = await serverInCommand();
  child.kill('SIGKILL');
  await exit;

  const { code, stdout, stderr } = await runCommand(['history', '--state', state], root, { HOME: state });
  expect(code).toBe(1);
  expect(stdout).not.toContain('Nothing was changed');
  expect(stderr).toMatch(/shell_exec at \S+ was interrupted with its server; .*`sekisho audit search \S+`/);
});
