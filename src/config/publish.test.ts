import { expect, test } from 'vitest';
import { ConfigError } from '../contract/error.ts';
import { publishOf } from './publish.ts';

const http = { port: 7040, console: true } as const;

test('nothing is published unless it is said, and true leaves debuggers out', () => {
  expect(publishOf(undefined, http)).toEqual([]);
  expect(publishOf(false, http)).toEqual([]);
  expect(publishOf([], { ...http, console: 'localhost' })).toEqual([]);
  const isUsual = (port: number) =>
    publishOf(true, http).some(([first, last]) => first <= port && port <= last);
  expect([1024, 3000, 5173, 8080, 8888, 32_767].filter((port) => !isUsual(port))).toEqual([]);
  expect([80, 1023, 5005, 5678, 5858, 9222, 9229, 32_768, 40_000].filter(isUsual)).toEqual([]);
  expect(publishOf([3000, '5170-5180'], http)).toEqual([
    [3000, 3000],
    [5170, 5180],
  ]);
});

test.each([[[80]], [[70_000]], [['5180-5170']], [['0-99999']], [[7040]], [['7000-8000']]])(
  '%j is refused, with its value',
  (ports) => {
    expect(() => publishOf(ports, http)).toThrow(ConfigError);
    expect(() => publishOf(ports, http)).toThrow(`got ${JSON.stringify(ports[0])}`);
  },
);

test('a console at localhost and published ports exclude each other', () => {
  expect(() => publishOf(true, { ...http, console: 'localhost' })).toThrow('a host name of its own');
  expect(publishOf([3000], { ...http, console: false })).toEqual([[3000, 3000]]);
});
