import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitTo, type Message, recentTurns } from './transcript.ts';

const words = fc.string({ maxLength: 120 });

/** A question, some rounds of calls with their results, and often an answer. */
const turn = fc
  .tuple(words, fc.array(fc.array(words, { minLength: 1, maxLength: 3 }), { maxLength: 4 }), fc.option(words))
  .map(([question, rounds, answer]): Message[] => [
    { role: 'user', text: question },
    ...rounds.flatMap((results, round): Message[] => [
      {
        role: 'assistant',
        text: '',
        calls: results.map((_, index) => ({ callId: `${round}-${index}`, tool: 't', words: '{}' })),
      },
      ...results.map(
        (text, index): Message => ({ role: 'tool', callId: `${round}-${index}`, tool: 't', text }),
      ),
    ]),
    ...(answer === null ? [] : [{ role: 'assistant' as const, text: answer, calls: [] }]),
  ]);

test('what is sent begins with a question, keeps every call with its result, and ends as the conversation does', () => {
  fc.assert(
    fc.property(
      fc.array(turn, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 1500 }),
      (turns, max) => {
        const messages = turns.flat();
        const sent = recentTurns(messages, max);
        expect(sent[0]?.role).toBe('user');
        const shape = (all: readonly Message[]) => all.map(({ text: _, ...rest }) => rest);
        expect(shape(sent)).toEqual(shape(messages.slice(-sent.length)));
        // What is short enough to say what it was is never touched.
        const last = messages.findLastIndex((message) => message.role === 'assistant');
        expect(sent.slice(last - messages.length)).toEqual(messages.slice(last));
      },
    ),
    { seed: 7, numRuns: 300 },
  );
});

test('older results of a turn that is too long are left out, oldest first, the newest never', () => {
  const result = (callId: string): Message => ({ role: 'tool', callId, tool: 't', text: callId.repeat(500) });
  const called = (callId: string): Message => ({
    role: 'assistant',
    text: '',
    calls: [{ callId, tool: 't', words: '{}' }],
  });
  const messages: Message[] = [
    { role: 'user', text: 'q' },
    ...['a', 'b', 'c'].flatMap((id) => [called(id), result(id)]),
  ];

  const texts = (max: number) =>
    recentTurns(messages, max).flatMap((message) =>
      message.role === 'tool' ? [message.text.slice(0, 5)] : [],
    );

  expect(texts(2000)).toEqual(['aaaaa', 'bbbbb', 'ccccc']);
  expect(texts(1200)).toEqual(['[left', 'bbbbb', 'ccccc']);
  expect(texts(10)).toEqual(['[left', '[left', 'ccccc']);
});

test('new results that are too much together are cut, the longest to the same length, and say so', () => {
  const lengths = [100, 5000, 90_000, 400];
  const messages: Message[] = [
    { role: 'user', text: 'q' },
    {
      role: 'assistant',
      text: '',
      calls: lengths.map((_, index) => ({ callId: `${index}`, tool: 't', words: '{}' })),
    },
    ...lengths.map(
      (length, index): Message => ({
        role: 'tool',
        callId: `${index}`,
        tool: 't',
        text: '青'.repeat(length),
      }),
    ),
  ];

  const { messages: sent, leftOut, shortened } = fitTo(messages, 4500);

  const texts = sent.flatMap((message) => (message.role === 'tool' ? [message.text] : []));
  const kept = texts.map((text) => text.replace(/\n\[cut.*$/, '').length);
  expect(kept[0]).toBe(100);
  expect(kept[3]).toBe(400);
  expect(kept[1]).toBe(kept[2]);
  expect(kept.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(4500);
  expect(kept[2]).toBeGreaterThan(1900);
  expect(texts[2]).toMatch(/青\n\[cut to make room; 90000 characters in all\. Ask for a smaller part\.\]$/);
  expect([leftOut, shortened]).toEqual([0, 2]);
  expect(fitTo(messages, 200_000)).toEqual({ messages, leftOut: 0, shortened: 0 });
});
