import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/index.ts';
import { loadSettings } from '../../src/config/load.ts';
import { needs, superuser } from '../support/needs.ts';
import { local } from '../support/open-test-checkpoint.ts';
import { runCommand } from '../support/run-command.ts';
import { logOf, startServer } from './server.ts';
import { onSmallDisk } from './small-disk.ts';

/** A call that a server was killed in is in the log all the same. */
const kills = process.env.SEKISHO_HAMMER ? 300 : 9;
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
  await vi.waitFor(() => expect(existsSync(join(root, 'begun'))).toBe(true), { timeout: 60_000 });
  return { ...server, root, state };
}

type Server = Awaited<ReturnType<typeof serverInCommand>>;
type Ending = (server: Pick<Server, 'child'>) => void | Promise<void>;

/** As Ctrl-C in a client sends them. */
const interruptTwice: Ending = async ({ child }) => {
  child.kill('SIGINT');
  await sleep(30);
  child.kill('SIGINT');
};
const closePipe: Ending = ({ child }) => {
  child.stdin.end();
  child.stdout.destroy();
};
const ways: readonly Ending[] = [({ child }) => void child.kill('SIGKILL'), interruptTwice, closePipe];

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

test.each<[string, Ending]>([
  ['two SIGINTs 30 ms apart', interruptTwice],
  ['a SIGTERM', ({ child }) => void child.kill('SIGTERM')],
  ['a client that goes away', closePipe],
])('%s in the middle of a command leaves its record', async (_title, leave) => {
  const server = await serverInCommand();
  await leave(server);
  await server.exit;

  const entries = await logOf(server.root, server.state);
  expect(entries).toMatchObject([command]);
  expect(['error', 'interrupted']).toContain(entries[0]?.outcome);
});

test('a client that ends its server, and kills it two seconds later, finds what the command changed', async () => {
  const { child, exit, root, state } = await serverInCommand();
  child.kill('SIGTERM');
  const killing = setTimeout(() => child.kill('SIGKILL'), 2000);
  await exit;
  clearTimeout(killing);

  expect(await logOf(root, state)).toMatchObject([command]);
  const { stdout } = await runCommand(['history', '--json', '--state', state], root, { HOME: state });
  expect(stdout).toContain('begun');
});

test(`ended at ${kills} instants, by all ways in turn, the log has every call that changed a file`, async () => {
  const { root, state } = places();
  for (let kill = 0; kill < kills; kill++) {
    const server = startServer(root, state);
    await server.connect();
    for (let n = 0; n < 40; n++) {
      void server.call('file_write', { path: `${kill}-${n}.txt`, content: `${n}` });
    }
    await vi.waitFor(() => expect(readdirSync(root).some((name) => name.startsWith(`${kill}-`))).toBe(true), {
      timeout: 60_000,
      interval: 2,
    });
    await sleep((kill * 7) % 40);
    await ways[kill % ways.length]?.(server);
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

test('a note that was left twice, by a server that died while it wrote its notes anew, is one call', async () => {
  const { child, exit, root, state } = await serverInCommand();
  child.kill('SIGKILL');
  await exit;
  const calls = join(state, 'calls');
  for (const name of readdirSync(calls)) copyFileSync(join(calls, name), join(calls, 'calls-00ff.log'));

  expect(await logOf(root, state)).toMatchObject([{ ...command, outcome: 'interrupted' }]);
});

test('what a living server has begun is left to it', async () => {
  const { child, exit, root, state } = await serverInCommand();
  expect(await logOf(root, state)).toEqual([]);
  child.kill('SIGKILL');
  await exit;
});

interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
}

test('a call that fills the disk itself is told what it did', needs(superuser()), () => {
  const { root, state } = places();
  return onSmallDisk(state, async () => {
    const server = startServer(root, state, ['--sandbox', 'off']);
    await server.connect();
    const command = `touch done; head -c 4000000 /dev/zero > ${join(state, 'filler')}`;
    const reply = (await server.call('shell_exec', { command })) as Answer;
    expect(reply.isError).toBe(true);
    expect(reply.content[0]?.text).toContain('This was run, but its record could not be written.');
    expect(existsSync(join(root, 'done'))).toBe(true);
    server.child.kill('SIGKILL');
    await server.exit;

    rmSync(join(state, 'filler'));
    expect(await logOf(root, state)).toMatchObject([{ tool: 'shell_exec', outcome: 'interrupted' }]);
  });
});

test('a log that cannot be read lets nothing run', async () => {
  const { root, state } = places();
  writeFileSync(join(state, 'sekisho.db'), 'not a database, but long enough to be looked at'.repeat(50));
  // As a server meets it whose database is damaged after its start: one that is damaged before does not start.
  const checkpoint = await openCheckpoint(loadSettings({ root, state }, { HOME: state }, root));
  try {
    const reply = await checkpoint.gateway.call({
      tool: 'file_write',
      input: { path: 'a.txt', content: 'a' },
      arrival: local,
      signal: new AbortController().signal,
    });
    expect(reply).toMatchObject({ kind: 'error', code: 'unavailable' });
    expect(reply).toMatchObject({ text: expect.stringContaining('Nothing was changed.') });
    expect(readdirSync(root)).toEqual([]);
  } finally {
    await checkpoint.close().catch((error) => expect(error).toMatchObject({ code: 'unavailable' }));
  }
});

test('history names what was interrupted, and lists what it had changed', async () => {
  const { child, exit, root, state } = await serverInCommand();
  child.kill('SIGKILL');
  await exit;

  const { code, stdout, stderr } = await runCommand(['history', '--state', state], root, { HOME: state });
  expect(code).toBe(0);
  expect(stdout).toContain('created begun');
  expect(stderr).toMatch(
    /shell_exec at \S+ was interrupted with its server; its changes are in place and listed: `sekisho audit search \S+`/,
  );
  // It is news once, and is told again where its time is asked for.
  const again = async (...more: string[]) =>
    (await runCommand(['history', '--state', state, ...more], root, { HOME: state })).stderr;
  expect(await again()).not.toContain('interrupted');
  expect(await again('--since', '1h')).toContain('interrupted');
});
