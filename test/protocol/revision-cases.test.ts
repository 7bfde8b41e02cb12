import { expect, test } from 'vitest';
import { readRevisionCases, runRevision } from '../../bench/score/revision.ts';
import { serveHttp } from '../../src/checkpoint/serving.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';

test('each case of our corpus for revision 2026-07-28 comes out as it says, against a real server', async () => {
  await using world = await openTestCheckpoint({
    config: {
      toolsets: ['assistant'],
      rateLimits: [{ perMinute: 1000 }],
      approval: { waitMs: 1 },
      rules: [{ tool: 'grep', decision: 'ask', because: 'the case wants a question' }],
    },
  });
  const { tokens } = await world.checkpoint.store();
  const { token } = await tokens.create({ user: 'anna' });
  const service = await serveHttp(world.checkpoint, { port: 0, stopGraceMs: 50 });
  try {
    const url = `http://127.0.0.1:${service.address.port}/mcp`;
    const asking = { tool: 'grep', input: { pattern: 'x' } };
    const outcomes = await runRevision({ url, tool: 'list_files', input: {}, token, asking });
    const wrong = outcomes.filter(({ isBad, verdict }) => verdict !== (isBad ? 'stopped' : 'passed'));
    expect(wrong.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([]);
    expect(outcomes.length).toBeGreaterThanOrEqual(60);
  } finally {
    await service.close();
  }
});

test('the cases have names of their own and say what they are about', () => {
  const cases = readRevisionCases();
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  expect(cases.filter(({ about }) => about.length < 10)).toEqual([]);
});
