import { appendFileSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { Place, TextRange, TextSlice } from '../../src/contract/capabilities/files.ts';
import { encode } from '../../src/files/changing/writing.ts';
import { openWorkspace } from '../../src/files/workspace.ts';

const root = mkdtempSync(join(tmpdir(), 'text-'));
const { folder, close } = openWorkspace({ roots: [{ path: root, writable: true }] });
afterAll(() => {
  close();
  rmSync(root, { recursive: true });
});

let made = 0;
/** A file old enough that its times can be trusted. */
function file(content: string | Uint8Array) {
  const name = `f${made++}.txt`;
  writeFileSync(join(root, name), content);
  return folder.at(name);
}

/** What a range must return, the slow and certain way. */
function expected(whole: string, startLine: number, endLine: number, maxChars: number) {
  const lines = whole.split(/(?<=\n)/);
  const wanted = lines.slice(startLine - 1, endLine);
  let chars = 0;
  const kept: string[] = [];
  for (const line of wanted) {
    chars += [...line].length;
    if (chars > maxChars) break;
    kept.push(line);
  }
  return kept.length === 0 ? [...(wanted[0] ?? '')].slice(0, maxChars).join('') : kept.join('');
}

const line = fc.string({ unit: fc.constantFrom('a', 'あ', '𠮷', '\r', ' ', 'é'), maxLength: 12 });
const lines = fc.array(line, { minLength: 1, maxLength: 30 });
const range = fc.record({
  start: fc.integer({ min: 1, max: 30 }),
  length: fc.integer({ min: 0, max: 30 }),
  maxChars: fc.integer({ min: 1, max: 60 }),
});

describe.each([
  ['a small file', 1],
  ['a file with an index', 40_000],
])('in %s', (_, times) => {
  test.each(['utf-8', 'utf-16le', 'utf-16be', 'shift_jis', 'euc-jp'] as const)(
    'every range of %s is what splitting says',
    async (encoding) => {
      await fc.assert(
        fc.asyncProperty(lines, range, fc.nat(times - 1), async (some, { start, length, maxChars }, deep) => {
          const isLegacy = encoding === 'shift_jis' || encoding === 'euc-jp';
          const block = `${isLegacy ? 'これは日本語のテキストです。漢字もカナもあります。\n' : ''}${some.join('\n')}\n`;
          const plain = isLegacy ? block.replace(/[é𠮷]/gu, '漢') : block;
          const perBlock = plain.split('\n').length - 1;
          const repeated = Math.max(1, Math.min(times, Math.ceil((times > 1 ? 300_000 : 0) / plain.length)));
          const whole = plain.repeat(repeated);
          const startLine = Math.min(start + perBlock * (deep % repeated), perBlock * repeated);
          const place = file(await encode(whole, encoding, false));
          const slice = await place.readText({ startLine, endLine: startLine + length, maxChars });
          expect(slice.text).toBe(expected(whole, startLine, startLine + length, maxChars));
          expect(slice.encoding).toBe(encoding);
          if (startLine > 1) expect(slice.totalLines).toBe(perBlock * repeated);
        }),
        { seed: 7, numRuns: times > 1 ? 25 : 60 },
      );
    },
  );
});

test.each([300, 400_000])(
  'reading on from where a reply ended yields a file of %i lines once',
  async (count) => {
    const whole = Array.from(
      { length: count },
      (_, index) => `line ${index} ${'あ'.repeat(index % 7)}\n`,
    ).join('');
    const place = file(whole);
    const parts: string[] = [];
    let startLine: number | undefined = 1;
    while (startLine !== undefined) {
      const slice = await place.readText({ startLine, maxChars: count > 1000 ? 1_000_000 : 500 });
      parts.push(slice.text);
      startLine = slice.nextStartLine;
    }
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.join('')).toBe(whole);
  },
);

test.each([
  ['', { text: '', totalLines: 1, startLine: 1, endLine: 1, truncated: false }],
  ['a', { text: 'a', totalLines: 1, startLine: 1, endLine: 1, truncated: false }],
  ['a\n', { text: 'a\n', totalLines: 1, startLine: 1, endLine: 1, truncated: false }],
  ['a\n\n', { text: 'a\n\n', totalLines: 2, startLine: 1, endLine: 2, truncated: false }],
  [
    '\ufeffa\r\nb',
    { text: 'a\r\nb', totalLines: 2, startLine: 1, endLine: 2, truncated: false, hasBom: true },
  ],
])('%j reads as %j', async (content, slice) => {
  expect(await file(content).readText()).toEqual({
    encoding: 'utf-8',
    hasBom: false,
    stat: expect.anything(),
    ...slice,
  });
});

test.each([50, 300_000])('the last lines of a file of %i lines are read from its end', async (count) => {
  const text = Array.from({ length: count }, (_, index) => `${index}\n`).join('');
  expect((await file(text).readText({ startLine: -2 })).text).toBe(`${count - 2}\n${count - 1}\n`);
  expect((await file(text.trimEnd()).readText({ startLine: -2 })).text).toBe(`${count - 2}\n${count - 1}`);
  const long = await file(text).readText({ startLine: -40, maxChars: 100 });
  const rest = await file(text).readText({ startLine: long.nextStartLine ?? 1 });
  expect(long.text + rest.text).toBe(text.slice(-(long.text + rest.text).length));
  expect((long.text + rest.text).split('\n')).toHaveLength(41);
});

test('one line longer than the limit is cut inside a line, never inside a character', async () => {
  const slice = await file('𠮷'.repeat(200_000)).readText({ maxChars: 1001 });
  expect(slice).toMatchObject({ text: '𠮷'.repeat(1001), truncated: true, cutInLine: true });
});

describe('reading on, also within lines, yields every character once', () => {
  async function readOn(place: Place, maxChars: number, from: TextRange = {}): Promise<string> {
    let text = '';
    let next: TextRange | undefined = from;
    while (next) {
      const slice: TextSlice = await place.readText({ ...next, maxChars });
      expect([...slice.text].length).toBeLessThanOrEqual(maxChars);
      text += slice.text;
      next =
        slice.nextStartLine === undefined
          ? undefined
          : { startLine: slice.nextStartLine, charOffset: slice.nextCharOffset };
    }
    return text;
  }

  test('in a small file, whatever its lines and the limit', async () => {
    const words = fc.array(fc.constantFrom('a', 'あ', '𠮷', '\r', '\n', '\r\n', 'long'.repeat(9)), {
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(words, fc.integer({ min: 1, max: 50 }), async (some, maxChars) => {
        const text = some.join('');
        expect(await readOn(file(text), maxChars)).toBe(text);
      }),
      { seed: 11, numRuns: 150 },
    );
  });

  test.each(['utf-8', 'utf-16le', 'utf-16be', 'shift_jis', 'euc-jp'] as const)(
    'in lines of megabytes in %s',
    async (encoding) => {
      const isLegacy = encoding === 'shift_jis' || encoding === 'euc-jp';
      const long = `これは長い行です${isLegacy ? '' : '𠮷'}a`.repeat(150_000);
      const text = `先頭の行\n${long}\r\n次の行\n${long}`;
      const place = file(await encode(text, encoding, false));
      expect(await readOn(place, 399_989)).toBe(text);
      const second = await place.readText({ startLine: 2, charOffset: 1_000_003, maxChars: 10 });
      expect(second.text).toBe([...long].slice(1_000_003, 1_000_013).join(''));
      // Counted from the end, a line has no number, and goes on all the same.
      expect(await readOn(place, 399_989, { startLine: -1 })).toBe(long);
    },
    30_000,
  );

  test.each([10, 400_000])(
    'a character past the end of a line of %i is refused, naming its length',
    async (length) => {
      const place = file(`${'x'.repeat(length)}\nb\n`);
      expect(await place.readText({ charOffset: length })).toMatchObject({ text: '\nb\n' });
      await expect(place.readText({ charOffset: length + 2 })).rejects.toMatchObject({
        code: 'invalid_parameter',
        details: { field: 'char_offset', line_chars: length + 1 },
      });
    },
  );
});

test('an index follows a file that grows, and forgets one that changes', async () => {
  const path = join(root, 'log');
  const old = new Date(Date.now() - 60_000);
  const text = Array.from({ length: 100_000 }, (_, index) => `entry ${index}\n`).join('');
  writeFileSync(path, text);
  utimesSync(path, old, old);
  const place = folder.at('log');
  const last = async () => {
    const { totalLines } = await place.readText({ startLine: 2, endLine: 2 });
    return (await place.readText({ startLine: totalLines ?? 0 })).text;
  };
  expect(await last()).toBe('entry 99999\n');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await last()).toBe('entry 99999\n');

  appendFileSync(path, 'grown 1\ngrown 2');
  expect(await last()).toBe('grown 2');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await last()).toBe('grown 2');
  appendFileSync(path, ' more\nand more\n');
  expect(await last()).toBe('and more\n');

  writeFileSync(path, `first\n${text}last\n`);
  expect(await last()).toBe('last\n');
  expect((await place.readText({ startLine: 50_002, endLine: 50_002 })).text).toBe('entry 50000\n');
});

test('who withdraws while lines are counted does not stop the count for another', async () => {
  const place = file('line\n'.repeat(4_000_000));
  const stop = new AbortController();
  const leaving = place.readText({ startLine: 2, signal: stop.signal });
  const staying = place.readText({ startLine: 4_000_000 });
  await new Promise(setImmediate);
  stop.abort();
  await expect(leaving).rejects.toMatchObject({ code: 'cancelled' });
  expect(await staying).toMatchObject({ text: 'line\n', totalLines: 4_000_000 });
  const alone = new AbortController();
  const counting = file('line\n'.repeat(1_000_000)).readText({ startLine: 2, signal: alone.signal });
  alone.abort();
  await expect(counting).rejects.toMatchObject({ code: 'cancelled' });
});

test.each([
  ['a NUL', Buffer.from('ab\0cd'), 'application/octet-stream'],
  ['invalid bytes', Buffer.from([0x61, 0xff, 0xfe, 0x62, 0x80]), 'application/octet-stream'],
  [
    'Latin-1',
    Buffer.from('caf\xe9 cr\xe8me, na\xefve, d\xe9j\xe0 vu, Z\xfcrich', 'latin1'),
    'application/octet-stream',
  ],
  ['a PNG', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'image/png'],
  ['a PDF', Buffer.from('%PDF-1.7\n1 0 obj\n'), 'application/pdf'],
])('%s is not text', async (_, bytes, mime) => {
  await expect(file(bytes).readText()).rejects.toMatchObject({
    code: 'unsupported_encoding',
    details: { mime_type: mime },
  });
});

test('a text whose last character is cut is said to be no UTF-8, not to be no text', async () => {
  const cut = Buffer.concat([Buffer.from('漢字 '.repeat(20)), Buffer.from([0xe6])]);
  await expect(file(cut).readText()).rejects.toMatchObject({
    code: 'unsupported_encoding',
    message: expect.stringMatching(/ is not valid UTF-8\.$/),
  });
});

test('a name that a listing shows with a replacement character is not UTF-8, which is said', async () => {
  await expect(folder.at('bad\ufffd.txt').readText()).rejects.toMatchObject({
    code: 'not_found',
    suggestion: { en: expect.stringContaining('its name is not UTF-8') },
  });
});

test.each([
  [
    'Korean',
    'euc-kr',
    'bec8b3e7c7cfbcbcbfe420bcbcb0e82e20c0ccb0cdc0ba20c7d1b1b9beeeb7ce20c0dbbcbab5c820b9aebcadc0d4b4cfb4d92e',
  ],
  [
    'Chinese',
    'gb2312',
    'd5e2cac7d2bbb8f6d3c3d6d0cec4d0b4b5c4cec4bcfea1a3c7ebd4c4b6c1d5e2b8f6cec4bcfeb5c4c4dac8dda3acd0bbd0bba1a3',
  ],
  ['Hebrew', 'iso-8859-8', 'f9ece5ed20f2e5eced20e6e420eef1eeea'],
  ['Russian', 'windows-1251', 'cff0e8e2e5f22c20ece8f02e20ddf2ee20e4eeeaf3ece5edf2'],
])('%s in %s is not taken for Japanese', async (_, __, bytes) => {
  await expect(file(Buffer.from(bytes, 'hex')).readText()).rejects.toMatchObject({
    code: 'unsupported_encoding',
  });
});

test.each(['shift_jis', 'euc-jp'] as const)('short Japanese in %s is recognised', async (encoding) => {
  for (const words of [
    '東京都千代田区',
    'こんにちは',
    'ファイル名,金額\n請求書,1000\n',
    'aaa 設定\nbbb=1\n',
  ]) {
    const slice = await file(await encode(words, encoding, false)).readText();
    expect(slice).toMatchObject({ text: words, encoding });
  }
});

test('a range that lies past the end says how many lines there are', async () => {
  await expect(file('a\nb\n').readText({ startLine: 9 })).rejects.toMatchObject({
    code: 'invalid_parameter',
    details: { total_lines: 2 },
  });
});
