import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Call } from '../contract/call.ts';
import { keepAlive } from './handle.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watched() {
  const told: [number, string | undefined][] = [];
  const call = {
    tool: 'bash',
    progress: (done: number, _: unknown, words?: string) => told.push([done, words]),
  };
  return { told, alive: keepAlive(call as unknown as Call) };
}

test('a silent call is told of at least every ten seconds, with what is waited for, and growing', () => {
  const { told, alive } = watched();
  alive.call.progress?.(0, undefined, 'waiting for a person');
  vi.advanceTimersByTime(25_000);
  alive.call.progress?.(0);
  vi.advanceTimersByTime(10_000);
  alive.call.progress?.(512);
  vi.advanceTimersByTime(9000);
  expect(told.map(([, words]) => words)).toEqual([
    'waiting for a person',
    'waiting for a person',
    'waiting for a person',
    'waiting for a person',
    undefined,
    expect.stringMatching(/^bash: \d+ s$/),
    undefined,
    expect.stringMatching(/^bash: \d+ s$/),
  ]);
  const beats = told.map(([done]) => done).filter((done) => done > 0);
  expect(beats).toEqual(beats.toSorted((a, b) => a - b));
  alive.end();
  vi.advanceTimersByTime(60_000);
  expect(told).toHaveLength(8);
});

test('where nobody listens nothing ticks', () => {
  const call = { tool: 'bash' } as unknown as Call;
  expect(keepAlive(call).call).toBe(call);
  expect(vi.getTimerCount()).toBe(0);
});
