import { expect, test } from 'vitest';
import { carryOut } from '../../src/ask/carry-out.ts';
import type { Reply } from '../../src/contract/call.ts';

const limited = (retryAfterMs: number): Reply => ({
  kind: 'error',
  code: 'rate_limited',
  text: 'Too many calls.',
  structured: { error: { code: 'rate_limited', details: { retry_after_ms: retryAfterMs } } },
});
const ok: Reply = { kind: 'output', content: [{ type: 'text', text: 'done' }] };

/** One call against a gateway that replies so, the last reply again and again. */
async function run(replies: readonly Reply[], signal = new AbortController().signal) {
  let calls = 0;
  const progress: string[] = [];
  const outcome = await carryOut(
    { callId: 'a', tool: 'x', words: '{}' },
    {
      gateway: {
        locale: 'en',
        call: async () => replies[Math.min(calls++, replies.length - 1)] ?? ok,
      },
      arrival: { transport: 'ask' },
      tool: 'x',
      signal,
      maxResultChars: 1000,
      headless: false,
      onProgress: (message) => progress.push(message),
    },
  );
  return { outcome, progress, calls };
}

test('a call that came too soon waits for its turn, and says so', async () => {
  expect(await run([limited(20), limited(5), ok])).toMatchObject({
    outcome: { ok: true, text: 'done' },
    progress: ['the limit of calls; going on in 1 s', 'the limit of calls; going on in 1 s'],
    calls: 3,
  });
});

test('but not for ever, and not for longer than a minute', async () => {
  expect(await run([limited(1)])).toMatchObject({ outcome: { ok: false, code: 'rate_limited' }, calls: 4 });
  expect(await run([limited(60_001)])).toMatchObject({ outcome: { code: 'rate_limited' }, calls: 1 });
});

test('cancelling ends the wait', async () => {
  const cancel = new AbortController();
  setTimeout(() => cancel.abort(), 20);
  expect(await run([limited(60_000)], cancel.signal)).toMatchObject({
    outcome: { code: 'rate_limited' },
    calls: 1,
  });
});
