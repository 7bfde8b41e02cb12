import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quietLeftMs } from '../../src/notify/quiet.ts';

const night = { fromMinute: 22 * 60, toMinute: 7 * 60, timeZone: 'Asia/Tokyo' };

test.each([
  ['2026-03-01T12:59:59Z', 0],
  ['2026-03-01T13:00:00Z', 9 * 3_600_000],
  ['2026-03-01T21:59:30Z', 30_000],
  ['2026-03-01T22:00:00Z', 0],
])('a night in Tokyo at %s has %i ms left', (at, leftMs) => {
  expect(quietLeftMs(night, Date.parse(at))).toBe(leftMs);
});

test('whatever the hours, they are over when they say they are, and not a minute before', () => {
  const minute = fc.integer({ min: 0, max: 1439 });
  fc.assert(
    fc.property(minute, minute, fc.integer({ min: 0, max: 4_000_000_000_000 }), (from, to, nowMs) => {
      fc.pre(from !== to);
      const hours = { fromMinute: from, toMinute: to, timeZone: 'UTC' };
      const leftMs = quietLeftMs(hours, nowMs);
      expect(leftMs).toBeLessThanOrEqual(24 * 3_600_000);
      if (leftMs === 0) return;
      expect(quietLeftMs(hours, nowMs + leftMs)).toBe(0);
      expect(quietLeftMs(hours, nowMs + leftMs - 1)).toBeGreaterThan(0);
    }),
    { numRuns: 2000 },
  );
});
