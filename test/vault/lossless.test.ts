import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Answer, openNotes } from './open-notes.ts';

const ending = fc.constantFrom('\n', '\n', '\r\n', '\r\n', '\r\r\n', '\n\n', '\r\n\r\n');
const words = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom('a', 'é', '漢', '😀', 'e\u0301', '\u200d', '\r', '\f', '\x85', '\u2028'),
    maxLength: 30,
  }),
);
const clean = (text: string) => text.replaceAll('\0', '').replaceAll('\ufeff', '');

const smallNote = fc
  .tuple(fc.boolean(), fc.array(fc.tuple(words, ending), { maxLength: 12 }), fc.oneof(fc.constant(''), words))
  .map(([mark, lines, rest]) => (mark ? '\ufeff' : '') + clean(lines.flat().join('') + rest));

// Lines of up to a million characters, and blocks of 64 KiB whose edges fall inside characters and CRLF.
const largeNote = fc
  .array(
    fc.tuple(
      fc.constantFrom('x', 'é', '漢字', '😀', '漢', 'ab\r', 'l\n', '行\r\n', '😀 line\r\n'),
      fc.integer({ min: 1, max: 260_000 }),
      ending,
    ),
    { minLength: 1, maxLength: 4 },
  )
  .chain((runs) =>
    fc.integer({ min: 0, max: 8 }).map((shift) => {
      const text = runs
        .map(([piece, bytes, end]) => piece.repeat(Math.ceil(bytes / piece.length)) + end)
        .join('');
      return 'y'.repeat(shift) + text;
    }),
  );

const limit = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 10, max: 200 }));

test('reading on from next_offset or next_cursor delivers every character of any note once', async () => {
  const { root, call } = openNotes();
  await fc.assert(
    fc.asyncProperty(smallNote, limit, fc.integer({ min: 1, max: 7 }), async (note, maxChars, chunk) => {
      writeFileSync(join(root, 'n.md'), note);
      const { lines, text } = asRead(note);
      expect(await readAll(call, { max_chars: maxChars }, lines.length)).toBe(text);
      expect(await scanAll(call, chunk, { max_chars: maxChars }, lines.length)).toBe(text);
      expect(await scanAll(call, chunk, null, lines.length)).toBe(text);
    }),
    { seed: 3, numRuns: 150 },
  );
});

test('so it is for notes of many blocks and lines of a million characters', async () => {
  const { root, call } = openNotes({}, { config: { hardMaxChars: 60_000, maxChunkLines: 20_000 } });
  await fc.assert(
    fc.asyncProperty(
      largeNote,
      fc.integer({ min: 20_000, max: 70_000 }),
      fc.integer({ min: 5_000, max: 20_000 }),
      async (note, maxChars, chunk) => {
        writeFileSync(join(root, 'n.md'), note);
        await settled(join(root, 'n.md'));
        const { lines, text } = asRead(note);
        expect((await readAll(call, { max_chars: maxChars }, lines.length)) === text).toBe(true);
        expect((await scanAll(call, chunk, { max_chars: maxChars }, lines.length)) === text).toBe(true);
      },
    ),
    { seed: 5, numRuns: 12 },
  );
  const million = '漢'.repeat(1_000_000);
  writeFileSync(join(root, 'n.md'), `${million}\r\nend`);
  expect((await readAll(call, null, 2)) === `${million}\nend`).toBe(true);
});

test('any range and any start inside a large note is the one that counting lines would find', async () => {
  const { root, call } = openNotes({}, { config: { hardMaxChars: 2_000 } });
  await fc.assert(
    fc.asyncProperty(largeNote, fc.array(fc.nat(), { minLength: 40, maxLength: 40 }), async (note, picks) => {
      writeFileSync(join(root, 'n.md'), note);
      await settled(join(root, 'n.md'));
      const { lines } = asRead(note);
      for (const pick of picks) {
        const line = (pick % lines.length) + 1;
        const chars = [...(lines[line - 1] ?? '')];
        const offset = pick % (chars.length + 1);
        const range = { start_line: line, end_line: line, char_offset: offset };
        const reply = await call('vault_read', { path: 'n.md', range });
        expect(reply.text).toBe(chars.slice(offset, offset + 2_000).join(''));
      }
    }),
    { seed: 7, numRuns: 12 },
  );
});

test.each([
  ['', ['']],
  ['\n', ['']],
  ['a\n', ['a']],
  ['a\n\n', ['a', '']],
  ['\r\n', ['']],
  ['a\r', ['a\r']],
  ['\ufeff', ['']],
  ['\ufeffa\r\nb', ['a', 'b']],
  ['a\fb\x85c\u2028d', ['a\fb\x85c\u2028d']],
])('%j has the lines %j', async (note, lines) => {
  const { call } = openNotes({ 'n.md': note });
  expect(await call('vault_read', { path: 'n.md', full: true })).toEqual({
    text: lines.join('\n'),
    truncated: false,
    returned_chars: lines.join('\n').length,
    applied_range: { start_line: 1, end_line: lines.length },
    next_offset: { start_line: null },
    truncated_reason: 'none',
  });
});

/** Waits until the index of a large note is kept between calls: a later change cannot show the same time. */
async function settled(path: string): Promise<void> {
  while (Date.now() - statSync(path).ctimeMs < 80) await new Promise((resolve) => setTimeout(resolve, 20));
}

type Call = ReturnType<typeof openNotes>['call'];

async function readAll(call: Call, limits: Answer, lineCount: number): Promise<string> {
  let all = '';
  for (let range: Answer = {}, first = true; ; first = false) {
    const reply = await call('vault_read', { path: 'n.md', range, limits });
    all += (first || range.char_offset ? '' : '\n') + reply.text;
    expect(reply.returned_chars).toBe([...reply.text].length);
    expect(reply.truncated).toBe(reply.next_offset.start_line !== null);
    if (reply.next_offset.start_line === null) {
      expect(reply.applied_range.end_line).toBe(lineCount);
      return all;
    }
    expect(reply.truncated_reason).toMatch(/max_chars|hard_limit/);
    range = reply.next_offset;
  }
}

async function scanAll(call: Call, chunk: number, limits: Answer, lineCount: number): Promise<string> {
  let all = '';
  for (let cursor: Answer = null; ; ) {
    const reply = await call('vault_scan', { path: 'n.md', cursor, chunk_lines: chunk, limits });
    all += (cursor === null || cursor.char_offset ? '' : '\n') + reply.text;
    expect(reply.changed).toBeUndefined();
    expect(reply.eof).toBe(reply.next_cursor.start_line === null);
    expect(reply.applied_range.end_line - reply.applied_range.start_line).toBeLessThan(chunk);
    if (reply.eof) {
      expect(reply.applied_range.end_line).toBe(lineCount);
      expect(reply.truncated_reason).toBe('none');
      return all;
    }
    cursor = reply.next_cursor;
  }
}

/** The note by the simplest means: the mark dropped, split at LF and CRLF, no line after a final newline. */
function asRead(note: string): { readonly lines: readonly string[]; readonly text: string } {
  const lines = note.replace(/^\ufeff/, '').split(/\r?\n/);
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  return { lines, text: lines.join('\n') };
}
