import { fork } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openWorld, type World } from './world.ts';

let world: World;
afterEach(() => world.close());

const isHammer = process.env.SEKISHO_HAMMER === '1';
const mib = 1024 * 1024;

test('tee writes the file and the same bytes to the mirror, with a separator before an overwrite', async () => {
  world = await openWorld({ files: { 'a.txt': 'x\ny\n' } });

  const first = await world.pipe('sort -r a.txt | tee out/b.txt');
  await world.pipe('head -1 a.txt | tee -a out/b.txt');
  const third = await world.pipe('tail -n 1 a.txt | tee out/b.txt');

  expect(first.stdout).toBe('y\nx\n');
  expect(first.meta.tee).toEqual({
    path: 'out/b.txt',
    bytes: 4,
    append: false,
    record_id: expect.stringMatching(/^\d{19}$/),
    mirror: '.shelpa/out/b.txt',
  });
  expect(world.read('out/b.txt')).toBe('y\n');
  const mark = (id: string) =>
    new RegExp(`--- shelpa:overwrite ts=\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ record_id=${id} ---\n`);
  const [head = '', rest = ''] = world.read('.shelpa/out/b.txt').split(mark(third.meta.tee.record_id));
  expect(head.replace(mark(first.meta.tee.record_id), '')).toBe('y\nx\nx\n');
  expect(rest).toBe('y\n');
  expect(await world.verify()).toEqual({ ok: true, records: 3 });
});

test('tee in the middle passes its input on', async () => {
  world = await openWorld({ files: { 'a.txt': 'b\na\n' } });

  const reply = await world.pipe('sort a.txt | tee s.txt | wc -l');

  expect(reply.stdout).toBe('2\n');
  expect(world.read('s.txt')).toBe('a\nb\n');
  expect(reply.meta.steps.map((step: { output_size: number }) => step.output_size)).toEqual([4, 4, 2]);
});

test('a pipeline may write the file that it reads', async () => {
  world = await openWorld({ files: { 'a.txt': 'b\na\n' } });

  await world.pipe('sort a.txt | tee a.txt');

  expect(world.read('a.txt')).toBe('a\nb\n');
});

test('nothing is written where a stage before tee failed', async () => {
  world = await openWorld({ files: { 'a.txt': 'not json', 'out.txt': 'old' } });

  const { error } = await world.pipe('jq . a.txt | tee out.txt');

  expect(error).toMatchObject({ code: 'STAGE_FAILED', stage: 1 });
  expect(world.read('out.txt')).toBe('old');
  expect(existsSync(join(world.root, '.shelpa'))).toBe(false);
});

test('2 MB need a confirmation that says the size, and 17 MB are refused with it too', async () => {
  world = await openWorld({
    files: {
      'two.txt': `${'x'.repeat(99)}\n`.repeat(20_000),
      'much.txt': `${'x'.repeat(99)}\n`.repeat(178_300),
    },
  });
  const before = world.hash();

  const asked = await world.pipe('tail -n +1 two.txt | tee out.txt');
  const much = await world.pipe('tail -n +1 much.txt | tee out.txt', { confirm_oversize: true });
  const written = await world.call('shelpa_write', { path: 'w.txt', content: 'x'.repeat(2 * mib) });

  expect(asked.error).toMatchObject({
    code: 'GUARD_VIOLATION',
    reason: 'OVERSIZE_WRITE',
    detail: '2000000 bytes are more than 1 MiB. Nothing was written.',
  });
  expect(much.error).toMatchObject({
    reason: 'OVERSIZE_WRITE',
    detail: expect.stringMatching(
      /^17830000 bytes are more than the limit of \d+ for one write\. Nothing was written\.$/,
    ),
  });
  expect(written.error).toMatchObject({ reason: 'OVERSIZE_WRITE' });
  expect(world.hash()).toBe(before);

  const confirmed = await world.pipe('tail -n +1 two.txt | tee out.txt', { confirm_oversize: true });
  expect(confirmed.meta.tee.bytes).toBe(2_000_000);
  expect(world.read('out.txt').length).toBe(2_000_000);
});

test('shelpa_write creates, appends and overwrites, and create keeps what is there', async () => {
  world = await openWorld();

  await world.call('shelpa_write', { path: 'n.md', content: 'a', mode: 'create' });
  const again = await world.call('shelpa_write', { path: 'n.md', content: 'b', mode: 'create' });
  await world.call('shelpa_write', { path: 'n.md', content: 'c', mode: 'append' });

  expect(again.error.code).toBe('conflict');
  expect(world.read('n.md')).toBe('ac');
  expect(await world.verify()).toEqual({ ok: true, records: 2 });
});

test('a record can be listed and got back, and that is recorded', async () => {
  world = await openWorld();
  const first = await world.call('shelpa_write', { path: 'n.md', content: 'one\n' });
  const second = await world.call('shelpa_write', { path: 'n.md', content: 'two\n', mode: 'append' });
  await world.call('shelpa_write', { path: 'n.md', content: 'three\n' });
  await world.call('shelpa_write', { path: 'other.md', content: 'x' });

  await world.call('shelpa_restore', { record_id: second.meta.tee.record_id });
  expect(world.read('n.md')).toBe('one\ntwo\n');
  await world.call('shelpa_restore', { record_id: first.meta.tee.record_id });
  expect(world.read('n.md')).toBe('one\n');

  const page = await world.call('shelpa_history', { path: 'n.md', limit: 2 });
  expect(page.records).toMatchObject([
    { command: `shelpa_restore ${first.meta.tee.record_id}`, path: 'n.md' },
    { mode: 'overwrite', bytes: 8 },
  ]);
  const rest = await world.call('shelpa_history', { path: 'n.md', limit: 10, cursor: page.next_cursor });
  expect(rest.records).toHaveLength(3);
  expect((await world.call('shelpa_restore', { record_id: '1' })).error.code).toBe('not_found');
});

test('an append to a file that was not written here cannot be got back, and says so', async () => {
  world = await openWorld({ files: { 'log.txt': 'before\n' } });
  const added = await world.call('shelpa_write', { path: 'log.txt', content: 'more\n', mode: 'append' });

  const { error } = await world.call('shelpa_restore', { record_id: added.meta.tee.record_id });

  expect(error.code).toBe('conflict');
  expect(world.read('log.txt')).toBe('before\nmore\n');
});

test('record ids rise and never repeat, with a clock that stands still and 60 writes at once', async () => {
  world = await openWorld({ pipelines: { clock: () => 1_772_025_450_395.572 } });

  const replies = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      world.call(
        'shelpa_write',
        { path: `f${index % 7}.txt`, content: `${index}\n`, mode: 'append' },
        { session: `s${index}` },
      ),
    ),
  );

  const ids = replies.map((reply) => reply.meta.tee.record_id);
  expect(new Set(ids).size).toBe(60);
  expect(ids.toSorted()[0]).toBe('1772025450395572000');
  expect(ids.toSorted().at(-1)).toBe('1772025450395572059');
  expect(await world.verify()).toEqual({ ok: true, records: 60 });
});

test('a file of the name of the index has a mirror of its own', async () => {
  world = await openWorld();

  await world.call('shelpa_write', { path: 'index.jsonl', content: 'mine\n' });
  const reply = await world.call('shelpa_write', { path: 'index.jsonl~', content: 'too\n' });

  expect(reply.meta.tee.mirror).toBe('.shelpa/index.jsonl~~');
  expect(await world.verify()).toEqual({ ok: true, records: 2 });
});

test.each([
  [
    'a byte of the mirror',
    (root: string) =>
      writeFileSync(
        join(root, '.shelpa/n.md'),
        readFileSync(join(root, '.shelpa/n.md'), 'utf8').replace('one', 'two'),
      ),
  ],
  ['bytes after the last record', (root: string) => appendFileSync(join(root, '.shelpa/n.md'), 'more')],
  [
    'a line of the index',
    (root: string) =>
      writeFileSync(
        join(root, '.shelpa/index.jsonl'),
        readFileSync(join(root, '.shelpa/index.jsonl'), 'utf8').replace('"bytes":4', '"bytes":3'),
      ),
  ],
  ['the mirror removed', (root: string) => rmSync(join(root, '.shelpa/n.md'))],
])('verify finds %s', async (_what, spoil) => {
  world = await openWorld();
  await world.call('shelpa_write', { path: 'n.md', content: 'one\n' });
  await world.call('shelpa_write', { path: 'n.md', content: 'two\n', mode: 'append' });
  expect((await world.verify()).ok).toBe(true);

  spoil(world.root);

  expect(await world.verify()).toMatchObject({ ok: false, problem: { en: expect.any(String) } });
});

test('a crash in the middle leaves both files or neither, whenever it comes', async () => {
  world = await openWorld();
  const rounds = isHammer ? 1000 : 12;
  for (let round = 0; round < rounds; round++) {
    const child = fork(
      join(import.meta.dirname, 'fixture-writer.ts'),
      [world.root, join(world.top, 'state'), String(round)],
      { stdio: 'ignore' },
    );
    await once(child, 'message');
    // The first message says that it writes; after that any moment is as good as another.
    await new Promise((resolve) => setTimeout(resolve, (round * 7) % 40));
    child.kill('SIGKILL');
    await once(child, 'exit');
    await world.reopen();
    const verdict = await world.verify();
    expect(verdict).toMatchObject({ ok: true });
    for (const name of ['over.txt', 'log.txt']) assertAgrees(world, name);
  }
  expect((await world.call('shelpa_history', { limit: 1 })).records).toHaveLength(1);
});

/** The real file is what its records say. */
function assertAgrees({ root }: World, name: string): void {
  mkdirSync(join(root, '.shelpa'), { recursive: true });
  const mirror = existsSync(join(root, '.shelpa', name))
    ? readFileSync(join(root, '.shelpa', name), 'utf8')
    : '';
  const real = existsSync(join(root, name)) ? readFileSync(join(root, name), 'utf8') : '';
  const last = mirror.split(/^--- shelpa:overwrite .* ---\n/m).at(-1);
  expect(real).toBe(last);
}
