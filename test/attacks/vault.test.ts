import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openWorkspace } from '../../src/files/workspace.ts';
import { openVault, vaultSettingsFrom } from '../../src/vault/open.ts';
import { type Answer, openNotes } from '../vault/open-notes.ts';

const hammer = process.env.SEKISHO_HAMMER === '1';
const writer = fileURLToPath(new URL('../vault/writer.ts', import.meta.url));

test('of 200 racing creates one wins, the others get conflict, and the note is the winner’s', async () => {
  const { root, call } = openNotes();
  const replies: Answer[] = await Promise.all(
    Array.from({ length: 200 }, (_, at) =>
      call('vault_create', { path: 'a/b/c.md', content: `writer ${at}` }),
    ),
  );
  const winners = replies.flatMap((reply, at) => (reply.error === undefined ? [at] : []));
  expect(winners).toHaveLength(1);
  expect(replies.filter((reply) => reply.error === 'conflict')).toHaveLength(199);
  expect(readFileSync(join(root, 'a/b/c.md'), 'utf8')).toBe(`writer ${winners[0]}`);
  expect(readdirSync(join(root, 'a/b'))).toEqual(['c.md']);
});

test('processes that race to create a note have one winner too', async () => {
  const { root } = openNotes();
  const racers = Array.from({ length: 4 }, () => start('create', root));
  const outcomes = await Promise.all(racers.map(outputOf));
  // Each tries the same 25 names.
  expect(outcomes.reduce((sum, out) => sum + Number(out), 0)).toBe(25);
  expect(readdirSync(root)).toHaveLength(25);
});

test('of 100 replaces at once on one note none is lost', async () => {
  const { root, call } = openNotes({ 'n.md': 'x'.repeat(100) });
  const replies = await Promise.all(
    Array.from({ length: 100 }, () => call('vault_replace', { path: 'n.md', find: 'x', replace: 'y' })),
  );
  expect(replies.filter((reply: Answer) => reply.replacements === 1)).toHaveLength(100);
  expect(readFileSync(join(root, 'n.md'), 'utf8')).toBe('y'.repeat(100));
});

test('a kill -9 in the middle of vault_replace leaves the old note or the new one, whole', async () => {
  const { root } = openNotes();
  const size = 4_000_000;
  for (let round = 0; round < (hammer ? 60 : 6); round += 1) {
    writeFileSync(join(root, 'n.md'), 'a'.repeat(size));
    const child = start('replace', root);
    await once(child.stdout, 'data');
    // The child replaces all the time; only the moment differs from round to round.
    await new Promise((resolve) => setTimeout(resolve, (round * 7) % 40));
    child.kill('SIGKILL');
    await once(child, 'exit');
    const note = readFileSync(join(root, 'n.md'), 'utf8');
    expect(note.length).toBe(size);
    expect(note === note.charAt(0).repeat(size)).toBe(true);
  }
});

test('a note that changes between two scans says so, and only then', async () => {
  const { root, call } = openNotes({ 'n.md': 'a\nb\nc\nd\n' });
  const scan = (cursor?: Answer) => call('vault_scan', { path: 'n.md', chunk_lines: 1, cursor });
  const first = await scan();
  const second = await scan(first.next_cursor);
  expect(second.changed).toBeUndefined();
  const kept = readFileSync(join(root, 'n.md'));
  appendFileSync(join(root, 'n.md'), 'e\n');
  const third = await scan(second.next_cursor);
  expect(third).toMatchObject({ text: 'c', changed: true });
  expect((await scan(third.next_cursor)).changed).toBeUndefined();
  // The same bytes in another file are a change as well: nobody can know otherwise.
  writeFileSync(join(root, 'n.md'), kept);
  expect((await scan(third.next_cursor)).changed).toBe(true);
  // A cursor past what is left is refused and names what there is.
  writeFileSync(join(root, 'n.md'), 'a\n');
  expect(await scan(third.next_cursor)).toMatchObject({ error: 'invalid_parameter', total_lines: 1 });
});

test('a large note that changes shows its new lines at once, however it changed', async () => {
  const line = `${'x'.repeat(98)}\n`;
  const { root, call } = openNotes({ 'n.md': line.repeat(20_000) });
  const file = join(root, 'n.md');
  const read = async (line: number) =>
    (await call('vault_read', { path: 'n.md', range: { start_line: line, end_line: line } })).text;
  await settled(file);
  expect(await read(20_000)).toBe('x'.repeat(98));
  appendFileSync(file, 'end\n');
  expect(await read(20_001)).toBe('end');
  // The same length, in place, with other line ends.
  writeFileSync(file, `${'\n'.repeat(99)}${line.repeat(19_999)}end\n`);
  await settled(file);
  expect(await read(100)).toBe('x'.repeat(98));
  expect(await read(20_099)).toBe('end');
  writeFileSync(file, 'short\n');
  expect(await read(1)).toBe('short');
});

test('a call that is cancelled while a large note is counted ends, and the next one is served', async () => {
  const { call } = openNotes({ 'n.md': 'line\n'.repeat(4_000_000) });
  const read = { path: 'n.md', range: { start_line: 3_999_999 } };
  expect((await call('vault_read', read, AbortSignal.abort())).error).toBe('cancelled');
  // Alone, and given up at once: the count ends with it.
  const alone = new AbortController();
  const given = call('vault_read', read, alone.signal);
  alone.abort();
  expect((await given).error).toBe('cancelled');
  // One of two who wait for the same count: the other still gets its answer.
  const stop = new AbortController();
  const cancelled = call('vault_read', read, stop.signal);
  const waiting = call('vault_read', read);
  stop.abort();
  expect((await cancelled).error).toBe('cancelled');
  expect((await waiting).text).toBe('line\nline');
});

test('a link put in the place of the vault’s folder is not followed', async () => {
  const outside = openNotes({ 'secret.md': 'secret' });
  const { root } = openNotes();
  const workspace = openWorkspace({ roots: [{ path: root, writable: true }] });
  const settings = vaultSettingsFrom({});
  const { call } = openNotes({}, { root: join(root, 'vault'), workspace: workspace.folder, settings });
  expect(await call('vault_list', {})).toEqual({ entries: [] });
  symlinkSync(outside.root, join(root, 'vault'));
  for (const [name, input] of [
    ['vault_create', { path: 'a.md', content: 'x' }],
    ['vault_read', { path: 'secret.md', full: true }],
    ['vault_scan', { path: 'secret.md' }],
    ['vault_replace', { path: 'secret.md', find: 's', replace: 'x' }],
    ['vault_append', { path: 'secret.md', content: 'x' }],
    ['vault_links', { path: 'secret.md' }],
    ['vault_list', {}],
    ['vault_search', { query: 'secret' }],
  ] as const) {
    expect([name, (await call(name, input)).error]).toEqual([name, 'forbidden']);
  }
  expect(readdirSync(outside.root)).toEqual(['secret.md']);
  expect(readFileSync(join(outside.root, 'secret.md'), 'utf8')).toBe('secret');
  workspace.close();
});

test('the vault’s folder is made by its first note, and a root that is no folder stops start-up', async () => {
  const { root } = openNotes({ 'file.md': 'x' });
  const workspace = openWorkspace({ roots: [{ path: root, writable: true }] });
  const { call } = openNotes({}, { root: join(root, 'new/vault'), workspace: workspace.folder });
  expect((await call('vault_read', { path: 'a.md', full: true })).error).toBe('not_found');
  expect(existsSync(join(root, 'new'))).toBe(false);
  expect((await call('vault_create', { path: 'a.md', content: 'x' })).error).toBeUndefined();
  expect(readFileSync(join(root, 'new/vault/a.md'), 'utf8')).toBe('x');
  const settings = vaultSettingsFrom({});
  for (const path of ['file.md', 'none']) {
    expect(() => openVault({ root: join(root, path), settings })).toThrow('vault.root must be a folder');
  }
  workspace.close();
});

test('a pipe in the vault is no note, and nobody waits for it', async () => {
  const { root, call } = openNotes({ 'a.md': 'words' });
  expect(spawnSync('mkfifo', [join(root, 'pipe.md')]).status).toBe(0);
  expect((await call('vault_read', { path: 'pipe.md', full: true })).error).toBe('not_found');
  expect((await call('vault_append', { path: 'pipe.md', content: 'x' })).error).toBe('not_found');
  expect((await call('vault_search', { query: 'words' })).matches).toHaveLength(1);
  expect((await call('vault_list', {})).entries).toHaveLength(1);
});

/** Waits until a later change cannot show the same time. */
async function settled(path: string): Promise<void> {
  while (Date.now() - statSync(path).ctimeMs < 80) await new Promise((resolve) => setTimeout(resolve, 20));
}

function start(work: 'create' | 'replace', root: string) {
  return spawn(process.execPath, [writer, work, root], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function outputOf(child: ReturnType<typeof start>): Promise<string> {
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  return output;
}
