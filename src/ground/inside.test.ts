import { expect, test } from 'vitest';
import { isBelow, isInside } from './inside.ts';

test.each([
  ['/a/b', '/a', true, true],
  ['/a', '/a', true, false],
  ['/ab', '/a', false, false],
  ['/a/b', '/a/b/c', false, false],
  ['/a', '/', true, true],
  ['/', '/', true, false],
  ['/a/.b', '/a', true, true],
  ['/', '/a', false, false],
])('%s and the folder %s', (path, folder, inside, below) => {
  expect([isInside(path, folder), isBelow(path, folder)]).toEqual([inside, below]);
});
