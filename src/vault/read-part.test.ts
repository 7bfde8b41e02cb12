import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openWorkspace } from '../files/workspace.ts';
import { readPart } from './read-part.ts';

const root = mkdtempSync(join(tmpdir(), 'vault-'));
const { folder, close } = openWorkspace({ roots: [{ path: root, writable: true }] });
afterAll(() => {
  close();
  rmSync(root, { recursive: true });
});

// 12 MB: over the size from which an index is extended. 3 bytes a character, so that edges of blocks cut some.
const line = (number: number) => `${number} ${'漢'.repeat(39)}\n`;
const first = Array.from({ length: 100_000 }, (_, at) => line(at + 1)).join('');

async function settled(path: string): Promise<void> {
  while (Date.now() - statSync(path).ctimeMs < 80) await new Promise((resolve) => setTimeout(resolve, 20));
}

function lineReader(name: string) {
  return async (number: number) => {
    const part = { startLine: number, charOffset: 0, endLine: number, maxChars: 100 };
    const reading = await readPart(folder.at(name), { ...part, signal: new AbortController().signal });
    return reading.kind === 'part' ? `${reading.text}\n` : reading.kind;
  };
}

test('a large file that is written on is right at every step, at its old end as at its new', async () => {
  const file = join(root, 'log.md');
  writeFileSync(file, first.slice(0, -1));
  await settled(file);
  const read = lineReader('log.md');
  expect(await read(100_000)).toBe(line(100_000));
  for (const [more, number] of [
    ['\n', 100_000],
    [line(100_001), 100_001],
    [Array.from({ length: 9_000 }, (_, at) => line(100_002 + at)).join(''), 109_001],
    ['no newline', 109_001],
  ] as const) {
    appendFileSync(file, more);
    // Read while it is fresh, and again when its index may be kept.
    expect(await read(number)).toBe(line(number));
    await settled(file);
    expect(await read(number)).toBe(line(number));
    expect(await read(55_555)).toBe(line(55_555));
  }
  expect(await read(109_002)).toBe('no newline\n');
  appendFileSync(file, Buffer.from([0x0a, 0xe6]));
  await expect(read(109_003)).rejects.toMatchObject({ code: 'unsupported_encoding' });
  appendFileSync(file, Buffer.from([0xbc, 0xa2]));
  expect(await read(109_003)).toBe('漢\n');
});

test('a large file whose beginning changed and that grew is counted anew', async () => {
  const file = join(root, 'changed.md');
  writeFileSync(file, first);
  await settled(file);
  const read = lineReader('changed.md');
  expect(await read(1)).toBe(line(1));
  // Rewritten longer; then changed in place all over, written on, and the old end still there.
  writeFileSync(file, `${'\n'.repeat(5)}${first}`);
  await settled(file);
  expect(await read(100_005)).toBe(line(100_000));
  const plain = `${'x'.repeat(99)}\n`.repeat(120_000);
  writeFileSync(file, plain);
  await settled(file);
  expect(await read(120_000)).toBe(`${'x'.repeat(99)}\n`);
  const fd = openSync(file, 'r+');
  for (let at = 0; at < 11_000_000; at += 1_000) writeSync(fd, '\n\n\n', at);
  closeSync(fd);
  appendFileSync(file, 'end\n');
  await settled(file);
  expect(await read(120_000 + 3 * 11_000 + 1)).toBe('end\n');
});
