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

test.each([
  ['abc\rde\nx\n', 'de\nx\n', 1],
  ['one\r\ntwo\r\n', 'one\ntwo\n', 0],
  ['1%\r2%\r', '2%', 1],
  ['1%\r2%\r\nend', '2%\nend', 1],
  ['a\r\r\rb\n', 'b\n', 1],
  ['no end', 'no end', 0],
  ['\r\n\r\n', '\n\n', 0],
])('of %j the last frame of each line is kept, however it comes', (sent, kept, left) => {
  for (const size of [1, 2, 3, 100]) {
    const keeper = createOutputKeeper(1000);
    for (let at = 0; at < sent.length; at += size) keeper.add(Buffer.from(sent.slice(at, at + size)));
    expect([keeper.finish().text, keeper.overwritten, keeper.bytes]).toEqual([kept, left, sent.length]);
  }
});

test('frames take no room from what is kept', () => {
  const keeper = createOutputKeeper(100);
  keeper.add(Buffer.from('first\n'));
  for (let frame = 0; frame < 5000; frame++) keeper.add(Buffer.from(`Receiving objects: ${frame}/5000\r`));
  keeper.add(Buffer.from('done\n'));
  expect(keeper.finish()).toMatchObject({ text: 'first\ndone\n', truncated: false });
  expect(keeper.overwritten).toBe(5000);
});
