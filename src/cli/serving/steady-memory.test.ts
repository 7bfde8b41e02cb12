import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** In a separate process, since the setting applies to the whole process. */
const churn = `
  import { keepMemorySteady, youngBytes } from ${JSON.stringify(join(import.meta.dirname, 'steady-memory.ts'))};
  if (process.argv[1] === 'steady') keepMemorySteady(4 * 1024 * 1024);
  // What is alive at each collection makes V8 want more room for young objects.
  let alive = [];
  for (let round = 0; round < 600; round++) {
    alive.push(Array.from({ length: 20_000 }, (_, index) => ({ round, index })));
    if (alive.length > 20) alive = [];
    await new Promise(setImmediate);
  }
  process.stdout.write(String(youngBytes()));
`;

function youngBytesAfter(mode: 'steady' | 'as-it-comes'): number {
  const args = ['--no-warnings', '--input-type=module', '--eval', churn, mode];
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

test('room for young objects grows no further than was asked for', () => {
  const free = youngBytesAfter('as-it-comes');
  const steady = youngBytesAfter('steady');
  expect(steady).toBeGreaterThan(0);
  expect(steady).toBeLessThanOrEqual(free / 2);
});

test('a collection gives back the memory that the allocator keeps', () => {
  const freed = `
    import { collectEverything } from ${JSON.stringify(join(import.meta.dirname, 'steady-memory.ts'))};
    await import(${JSON.stringify(join(import.meta.dirname, '../../checkpoint/index.ts'))});
    // Below the size of a mapping of its own; the last one keeps the end of the heap in use.
    let blocks = Array.from({ length: 1000 }, () => Buffer.alloc(100_000, 1));
    const last = Buffer.alloc(100_000, 1);
    const fullBytes = process.memoryUsage.rss();
    blocks = [];
    await collectEverything();
    process.stdout.write(String(fullBytes - process.memoryUsage.rss() + 0 * last.length));
  `;
  const args = ['--no-warnings', '--input-type=module', '--eval', freed];
  expect(Number(execFileSync(process.execPath, args, { encoding: 'utf8' }))).toBeGreaterThan(80_000_000);
});
