import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { checklist, triedByCalls } from '../../scripts/documents/pages.ts';

test('the page counts what the script finds on the built server', () => {
  const { status, stdout } = spawnSync(process.execPath, ['scripts/documents/tried.ts'], {
    encoding: 'utf8',
  });
  const points = checklist.flatMap((document) => document.points);
  const differing = points.filter(({ differs }) => differs !== undefined).length;
  const rest = points.length - differing - triedByCalls;
  expect(stdout.trim().split('\n').at(-1)).toBe(
    `works: ${triedByCalls}, differs: ${differing}, FAILS: 0, by its test: ${rest}`,
  );
  expect(status).toBe(0);
}, 600_000);
