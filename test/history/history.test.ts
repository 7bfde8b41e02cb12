import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Blobs } from '../../src/history/blobs.ts';
import { prune } from '../../src/history/prune.ts';
import { errorOf, openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';

type World = Awaited<ReturnType<typeof openTestCheckpoint>>;
type Order = Parameters<Awaited<ReturnType<World['checkpoint']['rooms']['history']>>['undo']>[0];

async function entries(world: World, path?: string) {
  const { history } = await world.checkpoint.store();
  const at = path === undefined ? undefined : { root: world.root, path };
  return history.list({ at, limit: 1000 });
}

async function undo(world: World, order: Order, { force = false, sessionId = 'undo-1' } = {}) {
  const { rooms } = world.checkpoint;
  const history = await rooms.history();
  const steps = await history.undo(order, {
    folders: [(await rooms.workspace()).folder],
    who: { principal: 'person', sessionId, tool: 'undo', auditId: 'a' },
    force,
  });
  return steps.map(({ outcome }) => outcome);
}

test('an entry says who, in which call, and the call says which entries', async () => {
  await using world = await openTestCheckpoint({ files: { 'a.txt': 'old' } });
  await world.call('file_write', { path: 'a.txt', content: 'new', overwrite: true });
  const [entry] = await entries(world);
  expect(entry).toMatchObject({
    principal: 'local',
    tool: 'file_write',
    path: 'a.txt',
    before: { kind: 'file', bytes: 3 },
    after: { kind: 'file', bytes: 3 },
  });
  const { audit } = await world.checkpoint.store();
  const [record] = await audit.search({ limit: 1, newestFirst: true });
  expect(record?.id).toBe(entry?.auditId);
  expect(record?.facts).toMatchObject({ history: [entry?.id] });
});

test('a later change by a person stops undo, and with force it goes on and keeps what it replaces', async () => {
  await using world = await openTestCheckpoint({ files: { 'a.txt': 'first', 'b.txt': 'first' } });
  await world.call('file_write', { path: 'a.txt', content: 'second', overwrite: true });
  await world.call('file_write', { path: 'b.txt', content: 'second', overwrite: true });
  writeFileSync(join(world.root, 'a.txt'), 'by hand');
  const sinceMs = 0;
  expect(await undo(world, { sinceMs })).toEqual(['undone', 'conflict']);
  expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe('by hand');
  expect(await undo(world, { sinceMs }, { force: true, sessionId: 'undo-2' })).toEqual(['undone']);
  expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe('first');
  // Nothing is lost by force either.
  expect(await undo(world, { sessionId: 'undo-2' })).toEqual(['undone']);
  expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe('by hand');
});

test('a folder that a person put something in stays, the rest is taken back, and it goes once that has gone', async () => {
  await using world = await openTestCheckpoint({ files: { 'a.txt': 'first' } });
  await world.call('file_write', { path: 'a.txt', content: 'second', overwrite: true });
  await world.call('file_write', { path: 'made/a.txt', content: 'x' });
  writeFileSync(join(world.root, 'made/mine.txt'), 'mine');
  expect(await undo(world, { sinceMs: 0 })).toEqual(['undone', 'stays', 'undone']);
  expect(readFileSync(join(world.root, 'made/mine.txt'), 'utf8')).toBe('mine');
  expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe('first');
  expect(await undo(world, { sinceMs: 0 })).toEqual(['stays']);
  rmSync(join(world.root, 'made/mine.txt'));
  expect(await undo(world, { sinceMs: 0 })).toEqual(['undone']);
  expect(existsSync(join(world.root, 'made'))).toBe(false);
});

test('the same order twice takes nothing back twice', async () => {
  await using world = await openTestCheckpoint({ files: { 'a.txt': '1' } });
  for (const content of ['2', '3'])
    await world.call('file_write', { path: 'a.txt', content, overwrite: true });
  expect(await undo(world, { sinceMs: 0 })).toEqual(['undone', 'undone']);
  expect(await undo(world, { sinceMs: 0 })).toEqual([]);
  expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe('1');
});

test('what is as it was already counts as taken back', async () => {
  await using world = await openTestCheckpoint({ files: { 'a.txt': '1' } });
  await world.call('file_write', { path: 'a.txt', content: '2', overwrite: true });
  writeFileSync(join(world.root, 'a.txt'), '1');
  expect(await undo(world, { sinceMs: 0 })).toEqual(['already']);
});

test('an addition to a large file is taken back by its length, without a copy', async () => {
  const large = 'a line of a log\n'.repeat(200_000);
  await using world = await openTestCheckpoint({
    files: { 'large.log': large },
    config: { toolsets: ['pipeline'] },
  });
  for (const content of ['one\n', 'two\n']) {
    outputOf(await world.call('shelpa_write', { path: 'large.log', content, mode: 'append' }));
  }
  expect(await undo(world, { sinceMs: 0 })).toEqual(['undone', 'undone']);
  expect(readFileSync(join(world.root, 'large.log'), 'utf8')).toBe(large);
  const kept = readFileSync(join(world.root, 'large.log')).length;
  expect(kept).toBe(large.length);
  expect(await undo(world, { sessionId: 'undo-1' })).toEqual(['undone', 'undone']);
  expect(readFileSync(join(world.root, 'large.log'), 'utf8')).toBe(`${large}one\ntwo\n`);
});

test('what a person changed between commands is theirs', async () => {
  await using world = await openTestCheckpoint({
    files: { 'a.txt': 'a', 'b.txt': 'b' },
    config: { mode: 'full-access' },
  });
  outputOf(await world.call('shell_exec', { command: 'echo 1 > made.txt' }));
  writeFileSync(join(world.root, 'mine.txt'), 'mine');
  writeFileSync(join(world.root, 'a.txt'), 'mine');
  // The command takes away what the person has only just written.
  outputOf(await world.call('shell_exec', { command: 'rm mine.txt b.txt' }));
  expect((await entries(world)).map(({ path }) => path).sort()).toEqual(['b.txt', 'made.txt', 'mine.txt']);
  expect(await undo(world, { sinceMs: 0 })).toEqual(['undone', 'undone', 'undone']);
  expect(readFileSync(join(world.root, 'mine.txt'), 'utf8')).toBe('mine');
  expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe('mine');
  expect(existsSync(join(world.root, 'made.txt'))).toBe(false);
});

test('a change of the same length in the same moment is found', async () => {
  await using world = await openTestCheckpoint({ config: { mode: 'full-access' } });
  outputOf(await world.call('shell_exec', { command: 'true' }));
  for (let round = 0; round < 20; round++) {
    writeFileSync(join(world.root, 'a.txt'), `${round}`.padStart(4));
    outputOf(await world.call('shell_exec', { command: `printf 'x%03d' ${round} > a.txt` }));
  }
  const found = await entries(world, 'a.txt');
  expect(found).toHaveLength(20);
});

test('a command in the background is written down when it ends', async () => {
  await using world = await openTestCheckpoint({
    config: { toolsets: ['assistant'], assistant: { layout: 'workspace' }, mode: 'full-access' },
    files: { 'a.txt': 'a', go: '' },
  });
  outputOf(
    await world.call('bash', {
      command: 'while test -e go; do sleep 0.05; done; echo late > a.txt',
      background: true,
    }),
  );
  rmSync(join(world.root, 'go'));
  await expect.poll(() => entries(world, 'a.txt')).toMatchObject([{ tool: 'bash', action: 'command' }]);
});

test('folders that are left out are not looked at', async () => {
  await using world = await openTestCheckpoint({ config: { mode: 'full-access' } });
  mkdirSync(join(world.root, 'node_modules'));
  outputOf(await world.call('shell_exec', { command: 'true' }));
  outputOf(
    await world.call('shell_exec', {
      command: 'mkdir dist; echo 1 > dist/a; echo 1 > node_modules/a; echo 1 > seen',
    }),
  );
  expect((await entries(world)).map(({ path }) => path)).toEqual(['seen']);
});

test('modes are kept, also of what is hard to read', async () => {
  await using world = await openTestCheckpoint({ files: { 'a.txt': 'a' }, config: { mode: 'full-access' } });
  chmodSync(join(world.root, 'a.txt'), 0o4751);
  outputOf(await world.call('shell_exec', { command: 'chmod 000 a.txt' }));
  await undo(world, { sinceMs: 0 });
  expect(statSync(join(world.root, 'a.txt')).mode & 0o7777).toBe(0o4751);
});

test('a content that cannot be kept stops the change', async () => {
  await using world = await openTestCheckpoint({ files: { 'a.txt': 'a' } });
  const folder = join(world.settings.stateFolder, 'history');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'contents'), 'in the way');
  const reply = await world.call('file_write', { path: 'a.txt', content: 'b', overwrite: true });
  expect(errorOf(reply)).toMatchObject({ code: 'unavailable' });
  expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe('a');
});

test('switched off, nothing is kept', async () => {
  await using world = await openTestCheckpoint({
    files: { 'a.txt': 'a' },
    config: { history: { enabled: false } },
  });
  await world.call('file_write', { path: 'a.txt', content: 'b', overwrite: true });
  expect(await entries(world)).toEqual([]);
  expect(existsSync(join(world.settings.stateFolder, 'history'))).toBe(false);
});

test('pruning forgets the oldest entries and keeps every one that is left undoable', async () => {
  await using world = await openTestCheckpoint({ config: { history: { maxBytes: 1024 * 1024 } } });
  const block = (at: number) => `${at} `.repeat(100_000).slice(0, 200_000);
  for (let at = 0; at < 12; at++) {
    outputOf(await world.call('file_write', { path: 'a.txt', content: block(at), overwrite: true }));
  }
  const history = await world.checkpoint.rooms.history();
  const { entries: forgotten } = await history.prune();
  expect(forgotten).toBeGreaterThan(0);
  const left = await entries(world);
  expect(left.length).toBe(12 - forgotten);
  // Two hours later, what nothing needs goes, and the rest is compressed.
  const blobs = new Blobs(join(world.settings.stateFolder, 'history/contents'));
  const { history: store } = await world.checkpoint.store();
  const share = async () => {};
  const later = { share, maxBytes: 1024 ** 2, maxAgeMs: 1e12, nowMs: Date.now() + 7_200_000 };
  expect(await prune({ store, blobs, ...later })).toMatchObject({ entries: 0, contents: forgotten - 1 });
  expect(blobs.all()).toHaveLength(left.length);
  expect(blobs.all().every(({ isCompressed, bytes }) => isCompressed && bytes < 10_000)).toBe(true);
  expect(await undo(world, { sinceMs: 0 })).toEqual(left.map(() => 'undone'));
  expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe(block(forgotten - 1));
});
