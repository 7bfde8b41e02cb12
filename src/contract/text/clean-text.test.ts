import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanChunk, cleanLine, cleanText } from './clean-text.ts';

test.each([
  ['\x1b[31mred\x1b[0m', 'red', 'CSI'],
  ['\x1b]0;title\x07x', 'x', 'OSC ended by BEL'],
  ['\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\', 'link', 'OSC ended by ST'],
  ['\x1bPq#0\x07~\x1b\\y', 'y', 'DCS with a BEL in it'],
  ['\x1b_apc\x1b\\z', 'z', 'APC'],
  ['\x9b31mred\x9d0;t\x9c!', 'red!', 'C1 forms'],
  ['\x1b(B\x1b7\x1bc-', '-', 'short sequences'],
  ['a\x85b', 'ab', 'another C1'],
])('removes the escape sequence in %j', (dirty, expected) => {
  expect(cleanText(dirty)).toBe(expected);
});

test.each([
  ['safe\x1b]hidden', 'safe\\x1b]hidden'],
  ['safe\x1b]hid\x18den', 'safe\\x1b]hid\\x18den'],
  ['\x1b[31', '\\x1b[31'],
  ['\x1b', '\\x1b'],
  [`\x1b]${'a'.repeat(20_000)}\x07`, `\\x1b]${'a'.repeat(20_000)}\\x07`],
])('shows what a sequence without an end would have swallowed: %j', (dirty, expected) => {
  expect(cleanText(dirty)).toBe(expected);
});

test.each([
  ['rm -rf x\rls      ', 'rm -rf x\\rls      '],
  ['abc\b\b\bxyz\0', 'abc\\x08\\x08\\x08xyz\\x00'],
  ['user\u202etxt.exe', 'user\\u202etxt.exe'],
  ['a\u2066b\u2069\u200e', 'a\\u2066b\\u2069\\u200e'],
  ['pass\u200bword\ufeff\u00ad', 'pass\\u200bword\\ufeff\\xad'],
  ['hi\u{e0068}\u{e0069}', 'hi\\u{e0068}\\u{e0069}'],
  ['🏴\u{e0068}\u{e0069}\u{e007f}', '🏴\\u{e0068}\\u{e0069}\\u{e007f}'],
  ['a\u200db', 'a\\u200db'],
  ['☀\ufe0f\ufe01\ufe02', '☀\ufe0f\\ufe01\\ufe02'],
  ['a\u{e0110}', 'a\\u{e0110}'],
  ['\u3164\u115f\u2028', '\\u3164\\u115f\\u2028'],
  ['\ud800x', '\\ud800x'],
])('shows the character that hides or reorders text in %j', (dirty, expected) => {
  expect(cleanText(dirty)).toBe(expected);
});

test.each([
  '日本語 と English\n\tタブ',
  '👨‍👩‍👧‍👦 👩🏽‍💻 ☀️ 1️⃣ 🇯🇵 ❤️‍🔥',
  '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
  'می‌خواهم',
  'क्‍ष',
  'ශ්‍රී',
  '葛\u{e0100}飾区',
  'naïve — “quoted” €',
])('keeps %j as it is', (text) => {
  expect(cleanText(text)).toBe(text);
});

test('line ends become newlines, and cleanLine leaves none', () => {
  expect(cleanText('a\r\nb')).toBe('a\nb');
  expect(cleanLine('a\r\nb\tc')).toBe('a\\nb\\tc');
});

const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\x1b',
        '[',
        ']',
        '\x07',
        '\\',
        '\x9c',
        '\x9b',
        '31m',
        '\r',
        '\n',
        'P',
        '_',
        '\x18',
        ' ',
        'a',
      ),
      fc.constantFrom(
        '👩',
        '\u200d',
        '💻',
        '\ufe0f',
        '☀',
        '葛',
        '\u{e0100}',
        'ی',
        '\u200c',
        '🏴',
        '\u{e0067}',
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

test('no control, bidirectional or unseen character is left, and cleaning again changes nothing', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const cleaned = cleanText(text);
      expect(cleaned).not.toMatch(
        /[\0-\x08\x0b-\x1f\x7f-\x9f\p{Bidi_Control}\u200b\u2028\u2060\ufeff\p{Cs}]/u,
      );
      expect(cleanText(cleaned)).toBe(cleaned);
    }),
    { seed: 20260221, numRuns: 3000 },
  );
});

test('text that arrives in pieces loses every sequence that is split between them', () => {
  fc.assert(
    fc.property(hostile, fc.integer({ min: 1, max: 5 }), (text, size) => {
      let shown = '';
      let rest = '';
      for (let at = 0; at < text.length; at += size) {
        const step = cleanChunk(rest + text.slice(at, at + size));
        shown += step.text;
        rest = step.rest;
      }
      shown += cleanText(rest);
      // A joiner right at a border may be shown escaped; nothing else may differ.
      const bare = (words: string) =>
        words.replace(/\\u\{[0-9a-f]+\}|\\u[0-9a-f]{4}|\ufe0f|\u200c|\u200d|\u{e0067}|\u{e0100}/gu, '');
      expect(bare(shown)).toBe(bare(cleanText(text)));
    }),
    { seed: 20260221, numRuns: 3000 },
  );
});

test.each(['\x1b]', '\x1b[1', '\x9d', '\x1bP\x07', '\0', '\u200d', '👩\u200d', '\r'])(
  'the cost of a million characters of %j stays in proportion to their number',
  (unit) => {
    cleanText(unit.repeat(10_000));
    const time = (chars: number) => {
      const started = process.cpuUsage();
      cleanText(unit.repeat(chars / unit.length));
      const { user } = process.cpuUsage(started);
      return user;
    };
    // Quadratic work would be 100 times as much.
    expect(time(1_000_000)).toBeLessThan(40 * Math.max(time(100_000), 10_000));
  },
);
