import { expect, test } from 'vitest';
import { createOutputKeeper } from './output.ts';

const text = 'é日本😀'.repeat(40);

test.each([1, 2, 3, 5, 7, 1000])(
  'characters that chunks of %i bytes cut come out whole, asked once or twice',
  (size) => {
    const bytes = Buffer.from(text);
    const keeper = createOutputKeeper(bytes.length);
    for (let at = 0; at < bytes.length; at += size) {
      if (at > bytes.length / 2) keeper.finish();
      keeper.add(bytes.subarray(at, at + size));
    }
    expect(keeper.finish()).toMatchObject({ text, truncated: false });
    expect(keeper.finish()).toMatchObject({ text, truncated: false });
  },
);

test('half a character at the end is shown as one that cannot be read', () => {
  const keeper = createOutputKeeper(100);
  keeper.add(Buffer.from('é日').subarray(0, 3));
  expect(keeper.finish().text).toBe('é\ufffd');
});

test('where the middle is cut, no character is cut in two', () => {
  const keeper = createOutputKeeper(101);
  keeper.add(Buffer.from(text));
  const { text: kept, truncated } = keeper.finish();
  expect([truncated, kept.includes('\ufffd')]).toEqual([true, false]);
  expect(kept).toMatch(/^é日本😀.*\n\[… \d+ bytes cut …\]\n.*日本😀$/su);
});
