import { expect, test } from 'vitest';
import { createElapsed, createSteadyClock } from './steady-clock.ts';

test('a clock that is set forward by a year and back again moves nothing; a correction is followed', () => {
  let wall = 1_000_000;
  let elapsed = 0;
  const now = createSteadyClock(
    () => wall,
    () => elapsed,
  );
  const pass = (ms: number, setBy = 0) => {
    elapsed += ms;
    wall += ms + setBy;
    return now() - 1_000_000;
  };
  const year = 365 * 24 * 60 * 60 * 1000;

  expect(pass(1000)).toBe(1000);
  expect(pass(1000, year)).toBe(2000);
  expect(pass(1000)).toBe(3000);
  expect(pass(1000, 500)).toBe(4500);
  expect(pass(1000, -year)).toBe(5500);
  expect(pass(1000)).toBe(6500);
});

test('a machine that slept has aged by it, and one whose clock was set has not', () => {
  let wall = 1_000_000;
  let awake = 0;
  let boot = 50_000;
  const elapsed = createElapsed(
    () => wall,
    () => awake,
    () => boot,
  );
  const pass = (ms: number, { slept = 0, setBy = 0 }) => {
    awake += ms;
    boot += ms + slept;
    wall += ms + slept + setBy;
    return elapsed();
  };

  expect(pass(1000, {})).toBe(1000);
  expect(pass(1000, { slept: 3_600_000 })).toBe(3_602_000);
  expect(pass(1000, { setBy: 86_400_000 })).toBe(3_603_000);
  expect(pass(1000, { slept: 5000 })).toBe(3_609_000);
});
