import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSemaphore } from './semaphore.ts';

test('as many work as there are places, in the order in which they came', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ turns: fc.nat(3), leaves: fc.boolean() }), { maxLength: 30 }),
      async (places, comers) => {
        const semaphore = createSemaphore(places);
        const order: number[] = [];
        let inside = 0;
        await Promise.all(
          comers.map(async ({ turns, leaves }, index) => {
            const controller = new AbortController();
            const waiting = semaphore.acquire(controller.signal);
            if (leaves) queueMicrotask(() => controller.abort());
            const release = await waiting.catch(() => undefined);
            if (!release) return;
            order.push(index);
            inside += 1;
            expect(inside).toBeLessThanOrEqual(places);
            for (let turn = 0; turn < turns; turn++) await Promise.resolve();
            inside -= 1;
            release();
            release();
          }),
        );
        expect(inside).toBe(0);
        expect(order).toEqual(order.toSorted((one, other) => one - other));
        // Every place came back, whoever gave up: as many as there are may enter at once.
        await Promise.all(Array.from({ length: places }, () => semaphore.acquire()));
      },
    ),
  );
});

test('the line has an end, and who gives up leaves it', async () => {
  const semaphore = createSemaphore(1, {
    maxWaiting: 1,
    full: (holding, waiting) => new Error(`${holding} and ${waiting}`),
    aborted: () => new Error('gave up'),
  });
  const release = await semaphore.acquire();
  const controller = new AbortController();
  const second = semaphore.acquire(controller.signal);
  await expect(semaphore.acquire()).rejects.toThrow('1 and 1');
  controller.abort();
  await expect(second).rejects.toThrow('gave up');
  await expect(semaphore.acquire(controller.signal)).rejects.toThrow('gave up');
  const third = semaphore.acquire();
  release();
  await third;
});
