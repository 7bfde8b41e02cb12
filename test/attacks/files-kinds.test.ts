import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openWorkspace } from '../../src/files/workspace.ts';

/* Row: something that is no file, or a name that is no name, is given where a file is expected. */

const root = realpathSync(mkdtempSync(join(tmpdir(), 'kinds-')));
const { folder, close } = openWorkspace({ roots: [{ path: root, writable: true }] });
const whole = openWorkspace({ roots: [{ path: '/', writable: false }] });
afterAll(() => {
  close();
  whole.close();
  rmSync(root, { recursive: true });
});

test('a FIFO is refused without being opened, by reading and by writing', async () => {
  execFileSync('mkfifo', [join(root, 'pipe')]);
  const place = folder.at('pipe');
  const code = { code: 'unsupported_type' };
  await expect(place.readBytes()).rejects.toMatchObject(code);
  await expect(place.readText()).rejects.toMatchObject(code);
  await expect(place.mimeType()).rejects.toMatchObject(code);
  await expect(place.replace('x')).rejects.toMatchObject(code);
  await expect(place.append('x')).rejects.toMatchObject(code);
  expect(() => place.openRead()).toThrow(expect.objectContaining(code));
  expect(place.stat().kind).toBe('other');
});

test('a socket and a folder are refused where a file is expected', async () => {
  const server = createServer().listen(join(root, 'socket'));
  await once(server, 'listening');
  mkdirSync(join(root, 'folder'));
  for (const name of ['socket', 'folder']) {
    await expect(folder.at(name).readText()).rejects.toMatchObject({ code: 'unsupported_type' });
    await expect(folder.at(name).replace('x')).rejects.toMatchObject({ code: 'unsupported_type' });
    await expect(folder.at(name).create('x')).rejects.toMatchObject({ code: 'conflict' });
  }
  server.close();
  await expect(folder.at('.').readText()).rejects.toMatchObject({ code: 'unsupported_type' });
  await expect(folder.at('.').replace('x')).rejects.toMatchObject({ code: 'unsupported_type' });
  await expect(folder.at('.').remove()).rejects.toMatchObject({ code: 'unsupported_type' });
});

test.each([
  '/dev/zero',
  '/dev/null',
  '/dev/stdin',
  '/proc/self/environ',
  `/proc/${process.pid}/environ`,
  `/proc/${process.pid}/root/etc/passwd`,
  `/proc/${process.pid}/cwd/package.json`,
  `/proc/${process.pid}/fd/0`,
  `/proc/${process.pid}/exe`,
  '/proc/kcore',
  '/proc/kmsg',
])('with the whole machine as root, %s is still no file', async (path) => {
  await expect(whole.folder.at(path).readBytes()).rejects.toMatchObject({
    code: expect.stringMatching(/^(unsupported_type|forbidden|not_found)$/),
  });
});

test.each([
  'a\0.txt',
  '\0',
  'n'.repeat(300),
  'あ'.repeat(86),
  `${'d/'.repeat(2048)}x`,
  '\ud800',
  'x\udfff/y',
])('no file is made under the name %j', (name) => {
  const before = readdirSync(root);
  expect(() => folder.at(name)).toThrow(expect.objectContaining({ code: 'invalid_path' }));
  expect(readdirSync(root)).toEqual(before);
});

test('a name of 255 bytes, one with control characters and a tree of 1,500 folders are served', async () => {
  for (const name of [
    'n'.repeat(255),
    'あ'.repeat(85),
    'a\nb\x1b[31m',
    ' ',
    '...',
    '-rf',
    'a\\b',
    'con',
    `${'d/'.repeat(1500)}x`,
  ]) {
    const place = folder.at(name);
    await place.create(name);
    expect((await place.readWhole()).text).toBe(name);
  }
  expect(folder.at('a\nb\x1b[31m').shown).not.toMatch(/[\n\x1b]/);
  execFileSync('rm', ['-r', join(root, 'd')]);
});

test('a failed call leaves no descriptor open', async () => {
  execFileSync('mkfifo', [join(root, 'pipe2')]);
  writeFileSync(join(root, 'binary'), Buffer.from([0, 1, 2]));
  const attempts = ['none/x', 'pipe2', 'binary', 'binary/x'].map((name) => folder.at(name));
  const open = () => readdirSync('/proc/self/fd').length;
  const round = async () => {
    for (const place of attempts) {
      await place.readText().catch(() => undefined);
      await place.replace('x', { signal: AbortSignal.abort() }).catch(() => undefined);
      await place.create('x', { signal: AbortSignal.abort() }).catch(() => undefined);
      await place.move(folder.at('binary')).catch(() => undefined);
      try {
        place.entries();
      } catch {
        // Refused, as it should be.
      }
    }
  };
  await round();
  const before = open();
  for (let times = 0; times < 50; times++) await round();
  // The runner's own come and go by two or three; one a round would be fifty.
  expect(open() - before).toBeLessThan(25);
  expect(existsSync(join(root, 'none'))).toBe(false);
});
