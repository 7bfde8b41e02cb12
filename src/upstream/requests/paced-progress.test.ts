import { expect, test } from 'vitest';
import { pacedProgress } from '../server.ts';

test('a hundred messages of progress come through, and then ten a second', () => {
  let nowMs = 0;
  const told: number[] = [];
  const progress = pacedProgress(
    (done) => told.push(done),
    () => nowMs,
  );
  for (let done = 0; done < 12_000; done++) progress(done);
  expect(told).toHaveLength(100);
  for (let done = 0; done < 12_000; done++) {
    nowMs += 1000 / 12_000;
    progress(done);
  }
  expect(told.length).toBeGreaterThanOrEqual(109);
  expect(told.length).toBeLessThanOrEqual(111);
});
