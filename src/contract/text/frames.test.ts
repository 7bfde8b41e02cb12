import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFrameReader, idAtEdges } from './frames.ts';

const seed = 20_261_122;

function read(chunks: readonly Buffer[], maxBytes = 1000): { frames: string[]; refused: string[] } {
  const frames: string[] = [];
  const refused: string[] = [];
  const take = createFrameReader(
    { maxBytes, maxValues: 100, maxDepth: 128 },
    {
      onFrame: (text) => frames.push(text),
      onRefused: (reason) => refused.push(reason),
    },
  );
  for (const chunk of chunks) take(chunk);
  return { frames, refused };
}

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const edges = [0, ...at.map((n) => n % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return edges.slice(1).map((end, n) => bytes.subarray(edges[n], end));
}

test('lines come out the same however the stream was cut', () => {
  const line = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 40 })
    .map((text) => text.toWellFormed().replaceAll('\n', ' '))
    .filter((text) => text.trim() !== '');
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat()), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
      expect(read(cut(bytes, cuts)).frames).toEqual(lines);
    }),
    { seed, numRuns: 50 },
  );
});

test('any bytes are lines, blank or refused, and the line after them is read', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.array(fc.nat()), (bytes, cuts) => {
      const { frames } = read(cut(Buffer.from([...bytes, 10, ...Buffer.from('{}\n')]), cuts), 100);
      expect(frames.at(-1)).toBe('{}');
    }),
    { seed },
  );
});

test('a line at the limit passes and one byte more does not, however it was cut', () => {
  fc.assert(
    fc.property(fc.integer({ min: 995, max: 1005 }), fc.array(fc.nat()), (length, cuts) => {
      const { frames, refused } = read(cut(Buffer.from(`${'x'.repeat(length)}\n`), cuts));
      expect([frames.length, refused]).toEqual(length <= 1000 ? [1, []] : [0, ['too_large']]);
    }),
    { seed },
  );
});

test('the id of a refused request is found at its edges, and never inside its content', () => {
  const content = fc.string({ unit: 'binary', maxLength: 600 });
  const id = fc.oneof(fc.integer(), fc.stringMatching(/^[\w-]{1,36}$/));
  fc.assert(
    fc.property(content, id, fc.boolean(), (text, value, first) => {
      const message = first
        ? { jsonrpc: '2.0', id: value, method: 'm', params: { text } }
        : { method: 'm', params: { text }, jsonrpc: '2.0', id: value };
      const line = JSON.stringify(message);
      expect(idAtEdges(line.slice(0, 512), line.slice(-512))).toBe(value);
      const nameless = JSON.stringify({ method: 'm', params: { text: `,"id":7}${text},"id":7}` } });
      expect(idAtEdges(nameless.slice(0, 512), nameless.slice(-512))).toBeNull();
    }),
    { seed },
  );
});

test('a long line in small chunks costs its length, not its square', () => {
  const chunk = Buffer.alloc(1024, 120);
  const chunks = [...Array.from({ length: 32 * 1024 }, () => chunk), Buffer.from('\n')];
  expect(read(chunks, 64 * 1024 * 1024).frames[0]).toHaveLength(32 * 1024 * 1024);
});

test('all bytes are told of that need not be received again: of whole lines, empty and refused ones, and of one over the limit', () => {
  let received = 0;
  const before: number[] = [];
  const take = createFrameReader(
    { maxBytes: 10, maxValues: 100, maxDepth: 128 },
    {
      onReceived: (bytes) => {
        received += bytes;
      },
      onFrame: () => before.push(received),
      onRefused: () => before.push(received),
    },
  );
  take(Buffer.from('abc\n\nde'));
  expect([received, before]).toEqual([5, [4]]);
  take(Buffer.from('f\n0123456789'));
  expect([received, before]).toEqual([9, [4, 9]]);
  take(Buffer.from('over'));
  expect(received).toBe(23);
  take(Buffer.from(' it\nx\ny'));
  expect([received, before]).toEqual([29, [4, 9, 27, 29]]);
});
