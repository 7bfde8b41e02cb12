import { expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { isTooIntricate } from './intricate.ts';

const { messageDepth: depth, messageValues: values, messageNames: most } = limits;
const named = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [at, 0])));
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

test.each([
  ['as deep as may be', nested(depth), false],
  ['a level deeper', nested(depth + 1), true],
  ['deep without an end', '['.repeat(6_000_000), true],
  ['objects in objects', '{"a":'.repeat(1_000_000), true],
  ['as many names as may be', `[${named(most)},${named(most)}]`, false],
  ['a name more', `[${named(2)},${named(most + 1)},1]`, true],
  ['many values', `[${'1,'.repeat(values - 2)}1]`, false],
  ['one value more', `[${'1,'.repeat(values)}1]`, true],
  ['many empty lists', `[${'[],'.repeat(values)}1]`, true],
  ['brackets in a string', JSON.stringify({ text: '[{,'.repeat(values) }), false],
  ['a string with quotes and backslashes', JSON.stringify(['\\"[,'.repeat(values), '\\', '[[[']), false],
  ['a string that does not end', `["${'['.repeat(values)}`, false],
  ['nothing', '', false],
])('%s', (_, json, expected) => {
  expect(isTooIntricate(Buffer.from(json), { maxValues: values, maxDepth: limits.messageDepth })).toBe(
    expected,
  );
});
