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

test.each([
  ['registry.npmjs.org', '/left-pad', 'read'],
  ['registry.npmjs.org', '/@types%2fnode', 'read'],
  ['registry.npmjs.org', '/left-pad/-/left-pad-1.3.0.tgz', 'read'],
  [
    'files.pythonhosted.org',
    '/packages/0a/1b/60d2f5b1c6b0c1d3c1a9d0c64c8f06c0e9e0ab6f61c1f2d6a3ac01e84a2c/six-1.17.0.whl',
    'read',
  ],
  ['registry.npmjs.org', `/${'a-long-name-of-nothing-'.repeat(8)}`, 'send'],
  ['registry.npmjs.org', '/c2stbGl2ZS1hYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5eg', 'send'],
  ['pypi.org', '/simple/4a6f686e20446f65203132332d34352d36373839202020204a6f686e/', 'send'],
  ['index.crates.io', '/my/pa/mypassword-correcthorsebatterystaple-0xDEADBEEF-q8Zt7Lw2', 'send'],
] as const)('at %s the name of a package is one: %s is a %s', (host, target, kind) => {
  expect(judgeRequest(requestOf(`GET ${target}`, host)).kind).toBe(kind);
});
