import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/index.ts';
import { loadSettings } from '../../src/config/load.ts';
import type { Reply } from '../../src/contract/call.ts';
import { createPerform } from '../../src/operator/perform.ts';
import { needs, superuser } from '../support/needs.ts';
import { local } from '../support/open-test-checkpoint.ts';
import { onSmallDisk, type SmallDisk } from './small-disk.ts';

/** What is done and said, tool by tool, when the disk of the records is full; the files lie on another disk. */

let base = '';
let root = '';
let state = '';

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'sekisho-full-'));
  [root, state] = [join(base, 'root'), join(base, 'state')];
  for (const folder of [root, state, join(root, 'vault')]) mkdirSync(folder);
  writeFileSync(join(root, 'old.txt'), 'old\n');
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

function open() {
  const toolsets = ['agent-cli', 'assistant', 'vault', 'pipeline'];
  const flags = { root, state, toolsets, sandbox: 'off' } as const;
  return openCheckpoint(loadSettings(flags, { HOME: base, PATH: process.env.PATH }, root));
}

type World = Awaited<ReturnType<typeof open>>;

const send = (world: World, tool: string, input: unknown): Promise<Reply> =>
  world.gateway.call({ tool, input, arrival: local, signal: new AbortController().signal });

async function work(use: (world: World, disk: SmallDisk) => Promise<void>): Promise<void> {
  await onSmallDisk(state, async (disk) => {
    const world = await open();
    try {
      // The folder of the day, and files that the tools know, are there already.
      await send(world, 'write_file', { path: 'old.txt', content: 'old\n' });
      await send(world, 'read_file', { path: 'old.txt' });
      await send(world, 'vault_create', { path: 'old.md', content: 'Old\n' });
      await use(world, disk);
    } finally {
      await world.close();
    }
  });
}

/** Every file with its content. The mirror is a record of its own. */
function files(): Readonly<Record<string, string>> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  return Object.fromEntries(
    paths
      .filter((path) => !path.includes('.shelpa'))
      .map((path) => [path.replace(/^.*\//, ''), readFileSync(path, 'utf8')]),
  );
}

async function records(world: World, tool: string) {
  const { audit, history } = await world.store();
  const [entry] = await audit.search({ tool, limit: 1, newestFirst: true });
  const changed = (await history.list({ limit: 100 })).map(({ path }) => path.replace(/^.*\//, ''));
  return { entry, changed };
}

/** The file that each changes, and whether the history needs room first, for what the file held before. */
const changes: readonly (readonly [tool: string, input: object, changed: string, needsRoom: boolean])[] = [
  ['file_write', { path: 'new.txt', content: 'x' }, 'new.txt', false],
  ['file_write', { path: 'old.txt', content: 'x', overwrite: true }, 'old.txt', true],
  ['shell_exec', { command: 'echo x > new.txt' }, 'new.txt', false],
  ['write_file', { path: 'new.txt', content: 'x' }, 'new.txt', false],
  ['edit_file', { path: 'old.txt', old_string: 'old', new_string: 'new' }, 'old.txt', true],
  ['bash', { command: 'echo x > new.txt' }, 'new.txt', false],
  ['vault_create', { path: 'new.md', content: '# New\n' }, 'new.md', false],
  ['vault_append', { path: 'old.md', content: 'more\n' }, 'old.md', true],
  ['vault_replace', { path: 'old.md', find: 'Old', replace: 'New' }, 'old.md', true],
  ['shelpa_write', { path: 'new.txt', content: 'x' }, 'new.txt', false],
  ['shelpa_pipe', { command: 'tail -n 1 old.txt | tee new.txt' }, 'new.txt', false],
];

test.each(changes)(
  `%s %j with a full disk: not run, and said so`,
  needs(superuser()),
  async (tool, input) => {
    await work(async (world, disk) => {
      const before = files();
      disk.fill();

      expect(await send(world, tool, input)).toMatchObject({
        kind: 'error',
        code: 'storage_full',
        text: expect.stringContaining('no call is answered without its record. Nothing was changed.'),
      });
      expect(files()).toEqual(before);

      disk.free();
      expect((await records(world, tool)).entry).toMatchObject({ outcome: 'error', code: 'storage_full' });
      expect(await send(world, tool, input)).toMatchObject({ kind: 'output' });
    });
  },
);

test.each(changes)(
  `%s %j when the disk fills as it begins: what it did stands, is said and is recorded later`,
  needs(superuser()),
  async (tool, input, changed, needsRoom) => {
    await work(async (world, disk) => {
      const before = files();
      const { audit } = await world.store();
      const begin = audit.begin.bind(audit);
      audit.begin = async (...given) => {
        const note = await begin(...given);
        disk.fill();
        return note;
      };

      expect(await send(world, tool, input)).toMatchObject({
        kind: 'error',
        code: 'storage_full',
        // One that could not keep what was there says so in its own words.
        text: expect.stringMatching(
          /^This was run, but its record could not be written\. .* Do not repeat it: |so nothing was changed\. Its record could not be written, either\.$/,
        ),
      });
      const after = files();
      const names = Object.keys(after).filter((name) => after[name] !== before[name]);
      // The kernel takes no write of a command whose former contents cannot be kept.
      const isWatched = tool === 'shell_exec' || tool === 'bash';
      expect(names).toEqual(needsRoom || isWatched ? [] : [changed]);

      audit.begin = begin;
      disk.free();
      expect((await records(world, tool)).entry).toMatchObject({
        outcome: needsRoom || isWatched ? 'error' : 'ok',
      });
      expect(await send(world, 'vault_create', { path: 'after.md', content: 'x' })).toMatchObject({
        kind: 'output',
      });
      if (names.length > 0) expect((await records(world, tool)).changed).toContain(changed);
    });
  },
);

test('what is read while the disk is full is in the log, or is not read', needs(superuser()), async () => {
  await work(async (world, disk) => {
    disk.fill();
    const replies = [];
    for (let n = 0; n < 20; n++) {
      replies.push((await send(world, 'file_read', { path: 'old.txt' })).kind);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(replies).toContain('error');

    disk.free();
    const { audit } = await world.store();
    const entries = await audit.search({ tool: 'file_read', limit: 100 });
    expect(entries.filter(({ outcome }) => outcome === 'ok')).toHaveLength(
      replies.filter((kind) => kind === 'output').length,
    );
    expect(entries).toHaveLength(20);
  });
});

test(
  'a person is told that what they did stands, where its record found no room',
  needs(superuser()),
  async () => {
    await work(async (world, disk) => {
      const { audit } = await world.store();
      const person = { name: 'cli:ada', principal: 'local', isOperator: true, face: 'cli' } as const;
      const perform = createPerform(person, async () => audit, Date.now);
      const act = { tool: 'sekisho approve', arguments: { id: 'q1' } };
      const done = perform(act, async () => {
        disk.fill();
        return { result: 'done' };
      });
      await expect(done).rejects.toMatchObject({
        code: 'storage_full',
        message: 'This was run, but its record could not be written. Changes that it made remain.',
      });
      disk.free();
      expect((await records(world, act.tool)).entry).toMatchObject({ outcome: 'ok', principal: 'cli:ada' });
    });
  },
);
