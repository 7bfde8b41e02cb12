import { expect, test } from 'vitest';
import { errorOf, local, openTestCheckpoint, outputOf, remote } from '../support/open-test-checkpoint.ts';

test('ten calls a minute of the assistant toolset for a remote user; refused ones do not count', async () => {
  let nowMs = 1_800_000_000_000;
  await using world = await openTestCheckpoint({
    config: { toolsets: ['assistant', 'agent-cli'] },
    files: { 'a.txt': 'x' },
    options: { now: () => nowMs },
  });
  const { tokens } = await world.checkpoint.store();
  const alice = remote((await tokens.create({ user: 'alice' })).token);
  const bob = remote((await tokens.create({ user: 'bob' })).token);
  const list = (arrival: typeof alice) => world.call('list_files', {}, { arrival });

  for (let call = 1; call <= 10; call++) {
    outputOf(await list(alice));
    nowMs += 1000;
  }
  for (let refused = 0; refused < 5; refused++) {
    const error = errorOf(await list(alice));
    expect(error).toMatchObject({ code: 'rate_limited', details: { retry_after_ms: 50_000 } });
    expect(error.suggestion).toBe('Try again in 50 s.');
  }
  outputOf(await list(bob));
  outputOf(await world.call('file_read', { path: 'a.txt' }, { arrival: alice }));
  outputOf(await world.call('help', {}, { arrival: alice }));
  outputOf(await list(local));

  nowMs += 50_001;
  outputOf(await list(alice));
  expect(errorOf(await list(alice))).toMatchObject({ details: { retry_after_ms: 999 } });
});

test('a call that one rule refuses is not counted by another', async () => {
  await using world = await openTestCheckpoint({
    config: {
      toolsets: ['assistant', 'agent-cli'],
      rateLimits: [{ perMinute: 3 }, { toolsets: ['assistant'], perMinute: 1 }],
    },
    files: { 'a.txt': 'x' },
    options: { now: () => 1_800_000_000_000 },
  });
  const { tokens } = await world.checkpoint.store();
  const arrival = remote((await tokens.create({ user: 'alice' })).token);
  outputOf(await world.call('list_files', {}, { arrival }));
  for (let refused = 0; refused < 5; refused++) {
    expect(errorOf(await world.call('list_files', {}, { arrival })).code).toBe('rate_limited');
  }
  outputOf(await world.call('file_read', { path: 'a.txt' }, { arrival }));
  outputOf(await world.call('file_read', { path: 'a.txt' }, { arrival }));
  expect(errorOf(await world.call('file_read', { path: 'a.txt' }, { arrival })).code).toBe('rate_limited');
});

test.each(['coding', 'team'])('in %s a user over the network has 300 calls a minute', async (profile) => {
  await using world = await openTestCheckpoint({
    flags: { profile },
    config: { limits: { repeats: 0 } },
    files: { 'a.txt': 'x' },
    options: { now: () => 1_800_000_000_000 },
  });
  const { tokens } = await world.checkpoint.store();
  const arrival = remote((await tokens.create({ user: 'alice' })).token);
  const tool = profile === 'coding' ? 'read_file' : 'file_read';
  for (let calls = 1; calls <= 300; calls++) outputOf(await world.call(tool, { path: 'a.txt' }, { arrival }));
  expect(errorOf(await world.call(tool, { path: 'a.txt' }, { arrival })).code).toBe('rate_limited');
});
