import { expect, test } from 'vitest';
import { createFlood } from './flood.ts';

test.each([
  ['elicitation/create', 20],
  ['notifications/message', 500],
])('of a thousand messages %s in a second, %i pass', (method, admitted) => {
  const flood = createFlood(() => {}, 60_000);
  const passed = Array.from({ length: 1000 }, () => flood.admits(method)).filter(Boolean);
  flood.close();
  expect(passed.length).toBe(admitted);
});

test('too many questions leave other messages their places', () => {
  const flood = createFlood(() => {}, 60_000);
  for (let n = 0; n < 100; n++) flood.admits('elicitation/create');
  expect(flood.admits('notifications/message')).toBe(true);
  flood.close();
});
