import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import type { EdgeRequest } from '../request.ts';
import { rest } from './dialects/rest.ts';
import { dialects, everywhere } from './dialects.ts';
import { judgeRequest } from './judge.ts';

/** `METHOD /target body`, or with a header on each line: `METHOD /target\nname: value\n\nbody`. */
function requestOf(example: string, host: string): EdgeRequest {
  const [, method = '', target = '', rest = ''] = /^(\S+) (\S+)([\s\S]*)$/.exec(example) ?? [];
  const [head = '', ...more] = rest.startsWith('\n') ? rest.slice(1).split('\n\n') : ['', rest.slice(1)];
  const body = Buffer.from(more.join('\n\n'));
  return {
    method,
    scheme: 'https',
    host,
    port: 443,
    target,
    headers: head === '' ? [] : head.split('\n').map((line) => line.split(': ') as [string, string]),
    bodyStart: body,
    bodyIsWhole: true,
    bodyBytes: body.length,
  };
}

const rows = [...everywhere, ...dialects, rest].flatMap((dialect) =>
  dialect.rows.flatMap((row) =>
    row.examples.map((example) => ({
      dialect,
      row,
      example,
      host: dialect.hosts[0]?.replace('*', 'a') ?? 'api.example.com',
    })),
  ),
);

test.each(rows)('$dialect.name: $row.kind for $example', ({ dialect, row, example, host }) => {
  const verdict = judgeRequest(requestOf(example, host));
  expect(verdict).toMatchObject({ dialect: dialect.name, kind: row.kind });
});

test('every row has an example', () => {
  expect(
    [...everywhere, ...dialects, rest].flatMap(({ rows }) =>
      rows.filter(({ examples }) => examples.length === 0),
    ),
  ).toEqual([]);
});
