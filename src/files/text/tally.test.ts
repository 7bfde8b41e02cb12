import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assemble } from '../../../scripts/wat.ts';
import { chunkBytes, createTallier, type Tally, tallyProgram } from './tally.ts';

test('the program that is carried is its text form, byte for byte', () => {
  const source = readFileSync(join(import.meta.dirname, 'tally.wat'), 'utf8');
  expect(assemble(source).toString('base64')).toBe(tallyProgram);
});

test('the WebAssembly counts what plain loops count, at any length and on both sides', () => {
  const tallier = createTallier();
  const byte = fc.oneof(
    fc.constantFrom(0x0a, 0x0d, 0x20, 0x7f, 0x80, 0xbf, 0xc0, 0xff),
    fc.integer({ min: 1, max: 255 }),
  );
  fc.assert(
    fc.property(
      fc.array(byte, { minLength: 1, maxLength: 300 }),
      fc.integer({ min: 0, max: 70_000 }),
      fc.constantFrom<0 | 1>(0, 1),
      fc.boolean(),
      (piece, length, slot, withNul) => {
        const bytes = Uint8Array.from({ length }, (_, at) => piece[at % piece.length] ?? 1);
        if (withNul && length > 0) bytes[length >> 1] = 0;
        // Bytes of an earlier, longer chunk must not count.
        tallier.chunk(slot).fill(0);
        tallier.chunk(slot).set(bytes);
        const found: Tally = { newlines: 0, chars: 0, hasNul: false, isAscii: true };
        tallier.tally(slot, 0, length, found);
        expect(found).toEqual({
          newlines: bytes.filter((each) => each === 0x0a).length,
          chars: bytes.filter((each) => (each & 0xc0) !== 0x80).length,
          hasNul: withNul && length > 0,
          isAscii: bytes.every((each) => each < 0x80),
        });
      },
    ),
    { seed: 1, numRuns: 150 },
  );
});

test('a whole chunk of newlines overflows no lane', () => {
  const tallier = createTallier();
  tallier.chunk(1).fill(0x0a);
  const found: Tally = { newlines: 0, chars: 0, hasNul: false, isAscii: true };
  tallier.tally(1, 0, chunkBytes, found);
  expect(found.newlines).toBe(chunkBytes);
});
