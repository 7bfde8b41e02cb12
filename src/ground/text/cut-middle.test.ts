import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutMiddle, firstBytes } from './cut-middle.ts';

const words = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '行', '😀', ' '), maxLength: 400 });

test('what fits is not cut; what does not keeps its beginning and its end, whole characters all', () => {
  fc.assert(
    fc.property(words, fc.integer({ min: 12, max: 200 }), (text, maxBytes) => {
      const cut = cutMiddle(text, maxBytes);
      const bytes = Buffer.from(text);
      if (!cut) {
        expect(bytes.length).toBeLessThanOrEqual(maxBytes);
        return;
      }
      const { head, tail, fromByte, leftOutBytes } = cut;
      expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBeLessThanOrEqual(maxBytes);
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
      expect(fromByte).toBe(Buffer.byteLength(head));
      expect(fromByte + leftOutBytes + Buffer.byteLength(tail)).toBe(bytes.length);
    }),
  );
});

test('read on from page to page, every byte comes once', () => {
  fc.assert(
    fc.property(words, fc.integer({ min: 1, max: 60 }), (text, maxBytes) => {
      let rest = Buffer.from(text);
      let read = '';
      while (rest.length > 0) {
        const page = firstBytes(rest, maxBytes);
        expect(page.length).toBeGreaterThan(0);
        read += page.toString('utf8');
        rest = rest.subarray(page.length);
      }
      expect(read).toBe(text);
    }),
  );
});
