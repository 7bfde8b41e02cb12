import { expect, test } from 'vitest';
import { text, verbatim } from '../contract/text/text.ts';
import { readText, writeText } from './text-column.ts';

test('words are kept in both languages', () => {
  const words = text('May it?', 'よろしいですか。');
  expect(readText(writeText(words))).toEqual(words);
});

test.each(['git push: it is live.\nada wants to call bash.', '{"en":', '{"en": 1}', '{"en":"a"}\nmore', ''])(
  'what an older version wrote, %j, is shown as it is',
  (stored) => expect(readText(stored)).toEqual(verbatim(stored)),
);
