import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeEvent } from './events.ts';

test('a line holds nothing that a terminal obeys or hides, and gives back every character', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({
      unit: fc.constantFrom('\x1b', '\x9b', '\u202e', '\u2028', '\u{e0041}', '\u200b', '"', '\\', '😀'),
      maxLength: 20,
    }),
  );
  fc.assert(
    fc.property(hostile, (text) => {
      const line = encodeEvent({ type: 'text', text });
      expect(line).not.toMatch(
        /[\0-\x1f\x7f-\x9f\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u,
      );
      expect(JSON.parse(line)).toEqual({ type: 'text', text });
    }),
    { seed: 7, numRuns: 200 },
  );
});
