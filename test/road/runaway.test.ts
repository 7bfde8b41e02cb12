import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { day } from '../../bench/replay/day.ts';
import { projects } from '../../bench/replay/projects.ts';
import { Caps } from '../../src/call/limits/caps.ts';
import { Repeats } from '../../src/call/limits/repeats.ts';
import type { Caller } from '../../src/contract/caller.ts';
import type { Tool } from '../../src/contract/tool/tool.ts';
import { errorOf, local, openTestCheckpoint, outputOf, remote } from '../support/open-test-checkpoint.ts';
import { habitual, openWithServers } from '../upstream/world.ts';

const noPerson = { approval: { waitMs: 0 } };

test('the same call with the same result is told after ten, and asked about after fifty', async () => {
  await using world = await openTestCheckpoint({
    config: { toolsets: ['agent-cli'], ...noPerson },
    files: { 'a.txt': 'x' },
  });
  const read = () => world.call('file_read', { path: 'a.txt' });
  const told: boolean[] = [];
  for (let n = 1; n <= 50; n++) {
    const reply = await read();
    outputOf(reply);
    told.push(JSON.stringify(reply).includes('[Sekisho: this call has given the same result'));
  }
  expect(told).toEqual([...Array(9).fill(false), ...Array(41).fill(true)]);

  const asked = errorOf(await read());
  expect(asked).toMatchObject({ code: 'approval_pending', details: { rule: 'repeats' } });
  // Sending it again while the question waits asks nothing new.
  expect(errorOf(await read())).toMatchObject({ details: Object(asked.details) });
  // Anything else that it does is not asked about.
  outputOf(await world.call('shell_exec', { command: 'echo hello' }));
  outputOf(await read());
});

test('a yes lets it be repeated for as long again, and no standing approval is offered', async () => {
  await using world = await openTestCheckpoint({
    config: { toolsets: ['agent-cli'], limits: { repeats: 2 }, ...noPerson },
    files: { 'a.txt': 'x' },
  });
  const read = () => world.call('file_read', { path: 'a.txt' });
  for (let n = 0; n < 10; n++) outputOf(await read());
  const { approval_id: id } = Object(errorOf(await read()).details);
  const { approvals } = await world.checkpoint.store();
  expect((await approvals.get(id))?.grant).toBeUndefined();
  expect((await approvals.get(id))?.about?.because.en).toContain('10 times in a row');
  await approvals.decide(id, 'approved', 'me', 'once', Date.now());
  for (let n = 0; n < 10; n++) outputOf(await read());
  expect(errorOf(await read())).toMatchObject({ code: 'approval_pending' });
});

test('another result, another call or another session begins anew', async () => {
  await using world = await openTestCheckpoint({
    config: { toolsets: ['agent-cli', 'assistant'], limits: { repeats: 1 }, ...noPerson },
    files: { 'a.txt': 'x', 'b.txt': 'x' },
  });
  for (let n = 0; n < 6; n++) {
    outputOf(await world.call('file_write', { path: 'a.txt', content: `${n}`, overwrite: true }));
    outputOf(await world.call('file_read', { path: 'a.txt' }));
  }
  for (let n = 0; n < 12; n++) {
    const path = n % 2 === 0 ? 'a.txt' : 'b.txt';
    outputOf(await world.call('file_read', { path }));
  }
  for (let n = 0; n < 6; n++) {
    const arrival = { ...local, connectionId: `c${n}` };
    outputOf(await world.call('file_read', { path: 'a.txt' }, { arrival }));
  }
  // Sent together, they are no loop.
  await Promise.all(
    Array.from({ length: 60 }, async () => outputOf(await world.call('file_read', { path: 'a.txt' }))),
  );
  // A random number differs each time.
  for (let n = 0; n < 6; n++) outputOf(await world.call('shell_exec', { command: 'echo $RANDOM$RANDOM' }));
});

test('calls that wait or look at a state are not counted', async () => {
  await using world = await openTestCheckpoint({
    config: { toolsets: ['assistant'], limits: { repeats: 1 }, ...noPerson },
    files: {},
  });
  const begun = outputOf(await world.call('bash', { command: 'sleep 60', run_in_background: true }));
  const id = String(begun.process_id ?? begun.id);
  for (let n = 0; n < 8; n++) {
    outputOf(await world.call('bash_output', { process_id: id }));
    outputOf(await world.call('bash_list', {}).catch(() => ({ kind: 'output', content: [] }) as never));
  }
  for (let n = 0; n < 8; n++) outputOf(await world.call('bash', { command: 'sleep 0.01; echo still' }));
  for (let n = 0; n < 8; n++) outputOf(await world.call('bash', { command: 'git status --short || true' }));
  outputOf(await world.call('bash_kill', { process_id: id }));
});

test('0 turns it off, and a mode that asks about nothing only tells', async () => {
  for (const [config, says] of [
    [{ limits: { repeats: 0 } }, false],
    [{ limits: { repeats: 1 }, mode: 'full-access' as const }, true],
  ] as const) {
    await using world = await openTestCheckpoint({
      config: { toolsets: ['agent-cli'], ...config, ...noPerson },
      files: { 'a.txt': 'x' },
    });
    let last = '';
    for (let n = 0; n < 60; n++) {
      const reply = await world.call('file_read', { path: 'a.txt' });
      outputOf(reply);
      last = JSON.stringify(reply);
    }
    expect(last.includes('[Sekisho: this call')).toBe(says);
    expect(last).not.toContain('a person is asked first');
  }
});

test('a refused call that is sent again and again is told as well', async () => {
  await using world = await openTestCheckpoint({
    config: { toolsets: ['agent-cli'], limits: { repeats: 3 }, ...noPerson },
  });
  const replies = [];
  for (let n = 0; n < 3; n++) replies.push(await world.call('file_read', { path: 'missing.txt' }));
  expect(JSON.stringify(replies[1])).not.toContain('[Sekisho:');
  expect(JSON.stringify(replies[2])).toContain('[Sekisho: this call has given the same result 3 times');
});

/** Each line of a corpus as a call of one session that prints the same as every other. */
test('no recorded session is told about or stopped', () => {
  const repeats = new Repeats(10, true);
  const tool = { name: 'bash', toolset: 'assistant', uses: ['commands'] } as unknown as Tool;
  const caller = { principal: 'local', sessionId: 's' } as Caller;
  const reply = { kind: 'output', content: [{ type: 'text', text: 'done' }] } as const;
  const corpora = [
    'everyday',
    'everyday-agents',
    'everyday-sessions',
    'everyday-unseen',
    'everyday-work',
  ].map((name) => readFileSync(join(import.meta.dirname, `../judgement/${name}.txt`), 'utf8').split('\n'));
  const lines = [...corpora, ...[...projects, ...day].map(({ steps }) => steps)].flat();
  for (const step of lines) {
    const input = typeof step === 'string' ? { command: step } : step.input;
    const made = { caller, tool, input };
    const sent = { atMs: performance.now(), bytes: JSON.stringify(input).length };
    expect(repeats.verdict(made)).toBeUndefined();
    expect(repeats.count(made, sent, reply, 'en')).toBe(reply);
  }
  expect(lines.length).toBeGreaterThan(1000);
});

test.each(['session', 'agent', 'day'] as const)('limits.%s.calls is a cap', async (scope) => {
  await using world = await openTestCheckpoint({
    config: { toolsets: ['agent-cli'], limits: { [scope]: { calls: 3 } } },
    files: { 'a.txt': 'x' },
    options: { now: () => new Date(2026, 5, 1, 12).getTime() },
  });
  const { tokens } = await world.checkpoint.store();
  const other = remote((await tokens.create({ user: 'hana', role: 'operator' })).token);
  const read = (arrival = local) => world.call('file_read', { path: 'a.txt' }, { arrival });
  const anotherSession = { ...local, connectionId: 'another' };
  outputOf(await read());
  outputOf(await read());
  outputOf(await read(scope === 'session' ? local : anotherSession));
  for (let refused = 0; refused < 3; refused++) {
    const error = errorOf(await read());
    expect(error).toMatchObject({ details: { limit: `limits.${scope}.calls` } });
    expect(error.message).toContain(`limits.${scope}.calls is reached: 3 calls`);
    expect(error.suggestion).toContain(`raise limits.${scope}.calls in the configuration`);
    if (scope === 'session') expect(error.code).toBe('denied');
    else expect(error).toMatchObject({ code: 'rate_limited', details: { retry_after_ms: 12 * 3_600_000 } });
  }
  outputOf(await world.call('help', {}));
  if (scope === 'session') outputOf(await read(anotherSession));
  const theirs = await read(other);
  if (scope === 'day') errorOf(theirs);
  else outputOf(theirs);
});

test('a day ends at midnight, and a new server counts on', async () => {
  let nowMs = new Date(2026, 5, 1, 23, 59).getTime();
  const config = { toolsets: ['agent-cli' as const], limits: { day: { calls: 1 } } };
  await using world = await openTestCheckpoint({
    config,
    files: { 'a.txt': 'x' },
    options: { now: () => nowMs },
  });
  outputOf(await world.call('file_read', { path: 'a.txt' }));
  const { openCheckpoint } = await import('../../src/checkpoint/open-checkpoint.ts');
  await using second = await openCheckpoint(world.settings, { now: () => nowMs });
  const call = {
    tool: 'file_read',
    input: { path: 'a.txt' },
    arrival: local,
    signal: new AbortController().signal,
  };
  expect(errorOf(await second.gateway.call(call))).toMatchObject({ details: { retry_after_ms: 60_000 } });
  nowMs += 60_001;
  outputOf(await second.gateway.call(call));
});

test('changed bytes are counted, whether a tool or a command changes them', async () => {
  for (const write of [
    { tool: 'file_write', input: { path: 'b.txt', content: 'y'.repeat(2000) } },
    { tool: 'shell_exec', input: { command: 'head -c 2000 /dev/zero > b.txt' } },
  ]) {
    await using world = await openTestCheckpoint({
      config: { toolsets: ['agent-cli'], limits: { session: { changedBytes: 1500 } } },
      files: { 'a.txt': 'x' },
    });
    outputOf(await world.call('file_write', { path: 'c.txt', content: 'z' }));
    outputOf(await world.call('file_read', { path: 'a.txt' }));
    outputOf(await world.call(write.tool, write.input));
    expect(errorOf(await world.call('file_read', { path: 'a.txt' }))).toMatchObject({
      code: 'denied',
      details: { limit: 'limits.session.changedBytes' },
    });
  }
});

test('minutes count the time that calls run', async () => {
  await using world = await openTestCheckpoint({
    config: { toolsets: ['agent-cli'], limits: { agent: { minutes: 1 } } },
    files: { 'a.txt': 'x' },
  });
  const { rates } = await world.checkpoint.store();
  outputOf(await world.call('shell_exec', { command: 'sleep 0.3' }));
  outputOf(await world.call('file_read', { path: 'a.txt' }));
  const { db } = await (await world.checkpoint.store()).engine();
  const rows = await db.selectFrom('rates').selectAll().where('key', 'like', 'cap agent minutes%').execute();
  expect(rows[0]?.hits).toBeGreaterThan(250);
  await rates.count([{ key: String(rows[0]?.key), amount: 60_000 }], [], Date.now());
  expect(errorOf(await world.call('file_read', { path: 'a.txt' })).message).toContain('limits.agent.minutes');
});

test('sent bytes count the arguments of calls to proxied servers', async () => {
  await using world = await openWithServers(
    { fix: habitual() },
    { config: { limits: { day: { sentBytes: 1000 } } } },
  );
  outputOf(await world.call('fix__echo', { text: 'short' }));
  await world.call('fix__echo', { text: 'x'.repeat(1000) });
  expect(errorOf(await world.call('fix__echo', { text: 'short' }))).toMatchObject({
    code: 'rate_limited',
    details: { limit: 'limits.day.sentBytes' },
  });
});

test('a use that the store could not count fails the next call, and no later one', async () => {
  let failures = 1;
  const rates = {
    count: async () => {
      if (failures-- > 0) throw new Error('database is locked');
      return undefined;
    },
  };
  const caps = new Caps(
    { session: { sentBytes: 10 }, agent: {}, day: {} },
    async () => rates as never,
    Date.now,
  );
  const caller = { principal: 'local', sessionId: 's1' };
  caps.use(caller, { sentBytes: 5 });
  await new Promise((resolve) => setImmediate(resolve));
  await expect(caps.assertWithin(caller)).rejects.toThrow('locked');
  caps.use(caller, { sentBytes: 5 });
  await caps.assertWithin(caller);
});
