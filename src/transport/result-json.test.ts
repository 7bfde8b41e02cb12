import { expect, test } from 'vitest';
import { jsonBlock } from '../contract/text/json-block.ts';
import { createResultJson, stringJson } from './result-json.ts';

const long = `"quoted" \\ $& $1 \u0001 \u2028 日本 ${'line\n'.repeat(400)}`;

test.each([
  [
    'the same long text twice',
    { content: [{ type: 'text', text: long }], structuredContent: { path: 'a', content: long } },
  ],
  [
    'three times',
    { content: [{ type: 'text', text: long }], structuredContent: { a: long, b: long, n: [long] } },
  ],
  [
    'half a character',
    { content: [{ type: 'text', text: `${long}\ud800` }], structuredContent: { a: `${long}\ud800` } },
  ],
  ['another text', { content: [{ type: 'text', text: long }], structuredContent: { a: `${long}.` } }],
  [
    'megabytes beside a shorter text',
    {
      content: [{ type: 'text', text: `${long}…` }],
      structuredContent: { a: long.repeat(50), b: 1, c: `${long.repeat(50)}.`, d: '$1' },
    },
  ],
  ['megabytes beside a picture', { content: [{ type: 'image' }], structuredContent: { a: long.repeat(50) } }],
  ['a short text', { content: [{ type: 'text', text: 'a' }], structuredContent: { a: 'a' } }],
  [
    'two blocks',
    {
      content: [
        { type: 'text', text: long },
        { type: 'text', text: long },
      ],
      structuredContent: { a: long },
    },
  ],
  ['no data', { content: [{ type: 'text', text: long }] }],
  [
    'an annotated block',
    {
      content: [{ type: 'text', text: long, annotations: { priority: 1 } }],
      structuredContent: { a: long },
      _meta: { b: 1 },
    },
  ],
  [
    'keys of numbers and of the prototype',
    {
      content: [{ type: 'text', text: long }],
      structuredContent: JSON.parse(`{"b":1,"2":2,"__proto__":3,"c":${JSON.stringify(long)}}`),
    },
  ],
])('a result with %s is the JSON that it always was', (_what, result) => {
  expect(createResultJson()(result)).toBe(JSON.stringify(result));
});

test('beside a long text of narrow letters wide ones are escaped, and mean the same', () => {
  const output = `café "\\" ${'line\n'.repeat(20_000)}`;
  const result = {
    content: [{ type: 'text', text: `${output.slice(0, 5000)}\n[… 日本 😀 \ud83d left out …]` }],
    structuredContent: { stdout: output, note: '注' },
  };

  const json = createResultJson()(result);

  expect(JSON.parse(json)).toEqual(result);
  expect(/[^\0-\xff]/.test(json)).toBe(false);
});

test.each([-2, -1, 0, 1, 2])(
  'a text of megabytes is the JSON that it always was, with a piece that ends %i off',
  (off) => {
    const start = 'x'.repeat(65_536 + off);
    for (const text of [
      `${start}😀`,
      `${start}\ud83d`,
      `${start}\ude00`,
      `${start}${'"\n日本😀\ud83d'.repeat(50_000)}`,
    ]) {
      expect(stringJson(text) === JSON.stringify(text)).toBe(true);
    }
  },
);

const output = { stdout: long, exitCode: 0, missing: undefined, deep: { list: [long, null] } };

test.each([
  ['is that of the data', { content: [jsonBlock(output)], structuredContent: output, _meta: { a: 1 } }],
  ['stands behind the data', { structuredContent: output, isError: true, content: [jsonBlock(output)] }],
  ['is of other data', { content: [jsonBlock({ ...output, exitCode: 1 })], structuredContent: output }],
  ['has a note', { content: [{ ...jsonBlock(output), annotations: {} }], structuredContent: output }],
  ['is short', { content: [jsonBlock({ a: 1 })], structuredContent: { a: 1 } }],
])('a result whose JSON text %s is the JSON that it always was', (_what, result) => {
  expect(createResultJson()(result)).toBe(JSON.stringify(result));
});

test('a block of JSON shows nothing but its text', () => {
  const block = jsonBlock(output);
  expect(Object.getOwnPropertyNames(block)).toEqual(['type', 'text']);
  expect({ ...block }).toStrictEqual({ type: 'text', text: JSON.stringify(output) });
  expect(Object.getOwnPropertySymbols({ ...block })).toEqual([]);
});
