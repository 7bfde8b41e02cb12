import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { pageOf } from '../../bench/flow/page.ts';
import { sessionOf, toolNamed } from './world.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

test('10,000 results of 4 KiB cost 2 MiB, and the first is not forgotten', () => {
  // Code that the first results compile stays, however many sessions there are.
  const other = sessionOf('Sum it up.');
  for (let number = 0; number < 3000; number++) other.reads(pageOf(number));
  gc();
  const before = process.memoryUsage();
  const { reads, asked } = sessionOf('Sum it up.');
  for (let number = 0; number < 10_000; number++)
    reads(pageOf(number), { url: `https://far${number}.example/` });
  gc();
  const after = process.memoryUsage();
  const bytes = after.arrayBuffers - before.arrayBuffers + after.heapUsed - before.heapUsed;
  expect(bytes).toBeLessThan(2 * 1024 * 1024);
  const remove = toolNamed('mail__delete', false);
  for (const number of [0, 1, 5000, 9999]) {
    const to = `someone${number}@far${number}.example`;
    expect(asked({ to })).toEqual([to]);
    expect(asked({ to }, remove)).toEqual([to]);
  }
  // What is folded errs towards a question: here after 600,000 different ids.
  const strangers = Array.from({ length: 1000 }, (_, number) => `other${number}@place${number}.example`);
  const wrong = strangers.filter((to) => asked({ id: to.replace('@', '-') }).length > 0);
  expect(wrong.length).toBeLessThan(100);
});

test('a result of 4 KiB takes little time', () => {
  const { reads } = sessionOf('Sum it up.');
  const pages = Array.from({ length: 2000 }, (_, number) => pageOf(number));
  for (const page of pages.slice(0, 500)) reads(page);
  const before = process.cpuUsage();
  for (const page of pages) reads(page);
  const { user } = process.cpuUsage(before);
  // 100 µs on a quiet machine: the row is in the measurements; here is room for a busy one.
  expect(user / pages.length).toBeLessThan(400);
});

const long = 1 << 18;

test.each([
  ['of one letter', 'x'.repeat(long)],
  ['that ends in a sign', `x=${'x'.repeat(long)}@`],
  ['of signs', 'a@'.repeat(long / 2)],
  ['of digits that ends in none of their kind', `:${'1'.repeat(long)}_`],
  ['of digits and letters', `${'a1'.repeat(long / 2)}_@`],
  ['of dots', `@${'a.'.repeat(long / 2)}`],
  ['of beginnings of a link', `${'a.'.repeat(long / 2)}://`],
  ['of beginnings of a site', 'www.a-'.repeat(long / 6)],
])('a word of 256 KiB %s is read, and said, in a time that grows with its length', (_what, word) => {
  const { reads } = sessionOf('Sum it up.');
  const before = process.cpuUsage();
  reads(word, { text: word });
  const { user } = process.cpuUsage(before);
  // The square of the length would take minutes.
  expect(user).toBeLessThan(5_000_000);
});
