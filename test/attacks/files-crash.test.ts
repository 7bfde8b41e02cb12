import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openWorkspace } from '../../src/files/workspace.ts';
import { needs, superuser } from '../support/needs.ts';

/* Row: a write is cut short by a kill, a full disk or the caller. */

const fixtures = join(import.meta.dirname, '../files/fixtures');
const kills = process.env.SEKISHO_HAMMER === '1' ? 100 : 6;
const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0).reverse()) cleanUp();
});

function temporary(name: string): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), name)));
  cleanUps.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('a process killed while it writes leaves the old content or the new, and nothing beside it', async () => {
  const root = temporary('kill-');
  const scratchFolder = temporary('kill-state-');
  let writes = 0;
  let leftovers = 0;
  for (let kill = 0; kill < kills; kill++) {
    const child = spawn(
      process.execPath,
      [join(fixtures, 'write-on.ts'), root, scratchFolder, 'sub/target.txt'],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const exit = once(child, 'exit');
    child.stdout.on('data', (dots: Buffer) => {
      writes += dots.length;
    });
    await once(child.stdout, 'data');
    // Somewhere inside the next writes.
    await new Promise((resolve) => setTimeout(resolve, (kill * 13) % 50));
    child.kill('SIGKILL');
    await exit;

    const content = readFileSync(join(root, 'sub/target.txt'), 'utf8');
    expect(content).toBe((content[0] ?? '').repeat(200_000));
    leftovers += readdirSync(join(root, 'sub')).length - 1;
    openWorkspace({ roots: [{ path: root, writable: true }], scratchFolder }).close();
    expect(readdirSync(join(root, 'sub'))).toEqual(['target.txt']);
  }
  expect(readdirSync(scratchFolder)).toEqual([]);
  if (kills > 10)
    console.log(`${kills} kills in ${writes} writes; ${leftovers} temporary files found and removed`);
});

test('the next start touches neither the writes of a living process nor a file that is not a leftover', async () => {
  const root = temporary('alive-');
  const scratchFolder = temporary('alive-state-');
  writeFileSync(join(root, '.sekisho-0123456789abcdef.tmp'), 'somebody put it here');
  const first = openWorkspace({ roots: [{ path: root, writable: true }], scratchFolder });
  const writing = first.folder.at('big.bin').create(new Uint8Array(8_000_000));
  const second = openWorkspace({ roots: [{ path: root, writable: true }], scratchFolder });
  await writing;
  second.close();
  first.close();
  expect(readdirSync(root).sort()).toEqual(['.sekisho-0123456789abcdef.tmp', 'big.bin']);
});

test('a full disk keeps the old file and says so', needs(superuser()), async () => {
  const root = temporary('full-');
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', root]);
  cleanUps.push(() => execFileSync('umount', [root]));
  const workspace = openWorkspace({ roots: [{ path: root, writable: true }] });
  cleanUps.push(() => workspace.close());
  const place = workspace.folder.at('a.txt');
  await place.create('old');

  await expect(place.replace('x'.repeat(1_000_000))).rejects.toMatchObject({ code: 'storage_full' });
  await expect(place.append('x'.repeat(1_000_000))).rejects.toMatchObject({ code: 'storage_full' });
  await expect(workspace.folder.at('b.txt').create('x'.repeat(1_000_000))).rejects.toMatchObject({
    code: 'storage_full',
  });

  expect(readdirSync(root)).toEqual(['a.txt']);
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('old');
  await place.replace('new');
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('new');
});

test('a write withdrawn half-way changes nothing', async () => {
  const root = temporary('cancel-');
  const workspace = openWorkspace({ roots: [{ path: root, writable: true }] });
  cleanUps.push(() => workspace.close());
  const place = workspace.folder.at('a.bin');
  await place.create('old');
  for (let delay = 0; delay < 12; delay++) {
    const stop = new AbortController();
    const writing = place.replace(new Uint8Array(12_000_000), { signal: stop.signal });
    for (let turn = 0; turn < delay; turn++) await new Promise(setImmediate);
    stop.abort();
    await expect(writing).rejects.toMatchObject({ code: 'cancelled' });
    expect(readdirSync(root)).toEqual(['a.bin']);
    expect(readFileSync(join(root, 'a.bin'), 'utf8')).toBe('old');
  }
});

test('a thousand writers of one file at once each write it whole', async () => {
  const root = temporary('crowd-');
  const workspace = openWorkspace({ roots: [{ path: root, writable: true }] });
  cleanUps.push(() => workspace.close());
  const results = await Promise.allSettled(
    Array.from({ length: 200 }, (_, index) => workspace.folder.at('one.txt').create(`${index}`.repeat(1000))),
  );
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      workspace.folder.at('one.txt').append(`${index % 10}`.repeat(10)),
    ),
  );
  expect(readFileSync(join(root, 'one.txt'), 'utf8')).toMatch(/^0{1000}((\d)\2{9}){200}$/);
});

test('a file is created in a folder of thousands without listing it', () => {
  const root = temporary('unlisted-');
  mkdirSync(join(root, 'full'));
  for (let index = 0; index < 2000; index++) writeFileSync(join(root, 'full', `${index}`), '');
  chmodSync(root, 0o755);
  chmodSync(join(root, 'full'), 0o333);
  const output = execFileSync(process.execPath, [join(fixtures, 'create-unlisted.ts'), root], {
    encoding: 'utf8',
  });
  expect(output).toBe('4');
  chmodSync(join(root, 'full'), 0o755);
  expect(readFileSync(join(root, 'full/new.txt'), 'utf8')).toBe('new\n');
});
