import { expect, test } from 'vitest';
import { createBreaker } from './meaning.ts';

function openBreaker() {
  let nowMs = 1_000_000;
  const breaker = createBreaker(() => nowMs);
  return { breaker, wait: (ms: number) => (nowMs += ms) };
}

test('one failure is forgiven, two are not, and then a single question tries', () => {
  const { breaker, wait } = openBreaker();
  breaker.failed();
  expect(breaker.mayAsk()).toBe(true);
  breaker.failed();
  expect(breaker.mayAsk()).toBe(false);
  wait(14_999);
  expect(breaker.mayAsk()).toBe(false);
  wait(1);
  expect(breaker.mayAsk()).toBe(true);
  expect(breaker.mayAsk()).toBe(false);

  breaker.succeeded();
  expect(breaker.mayAsk()).toBe(true);
  breaker.failed();
  expect(breaker.mayAsk()).toBe(true);
});

test('each further failure makes it wait longer, up to five minutes', () => {
  const { breaker, wait } = openBreaker();
  breaker.failed();
  for (const pauseMs of [15_000, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000]) {
    breaker.failed();
    wait(pauseMs - 1);
    expect(breaker.mayAsk()).toBe(false);
    wait(1);
    expect(breaker.mayAsk()).toBe(true);
  }
});

test('a server that says when to come again is believed at once', () => {
  const { breaker, wait } = openBreaker();
  breaker.failed(60_000);
  expect(breaker.mayAsk()).toBe(false);
  wait(59_999);
  expect(breaker.mayAsk()).toBe(false);
  wait(1);
  expect(breaker.mayAsk()).toBe(true);
});
