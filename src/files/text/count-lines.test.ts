import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { type CountedLines, countLines, isGrownFrom } from './count-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'count-'));
afterAll(() => rmSync(folder, { recursive: true }));
const utf8 = { encoding: 'utf-8', bomBytes: 0 } as const;

async function count(content: Buffer, known?: CountedLines): Promise<CountedLines> {
  return withFile(content, (fd) => countLines(fd, content.length, utf8, new AbortController().signal, known));
}

async function withFile<T>(content: Buffer, work: (fd: number) => Promise<T>): Promise<T> {
  const path = join(folder, 'file');
  writeFileSync(path, content);
  const fd = openSync(path, 'r');
  try {
    return await work(fd);
  } finally {
    closeSync(fd);
  }
}

const content = fc
  .tuple(
    fc.array(fc.constantFrom('a', '\n', 'line\n', '\n\n\n', 'x'.repeat(3000)), { maxLength: 20 }),
    fc.nat(400_000),
  )
  .map(([parts, bytes]) => Buffer.alloc(bytes, parts.join('') || '.'));

test('counting what was appended comes to the same as counting all', async () => {
  await fc.assert(
    fc.asyncProperty(content, content, async (before, more) => {
      const known = await count(before);
      const all = Buffer.concat([before, more]);
      expect(await withFile(all, (fd) => isGrownFrom(known, fd))).toBe(true);
      const grown = await count(all, known);
      const fresh = await count(all);
      expect(grown.before).toEqual(fresh.before);
      expect(grown.index.lineCount).toBe(fresh.index.lineCount);
      expect(fresh.index.newlines).toBe(all.reduce((sum, byte) => sum + (byte === 0x0a ? 1 : 0), 0));
    }),
    { seed: 5, numRuns: 60 },
  );
});

test('a file that was written anew, or put together differently, did not grow', async () => {
  const text = Array.from({ length: 60_000 }, (_, index) => `line ${index}\n`).join('');
  const known = await count(Buffer.from(text));
  for (const other of [
    `first\n${text}`,
    text.replace('line 30000\n', 'line 30000 '),
    text.slice(0, -1),
    '',
  ]) {
    expect(await withFile(Buffer.from(`${other}and more\n`), (fd) => isGrownFrom(known, fd))).toBe(false);
  }
});
