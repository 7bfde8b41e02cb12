import { once } from 'node:events';
import { expect, test } from 'vitest';
import { remote } from '../support/open-test-checkpoint.ts';
import { habitual, namesIn, openWithServers, wordsOf } from './world.ts';

test('a tool of a server is listed under its name and answers with a mark on what it says', async () => {
  await using world = await openWithServers({ fix: habitual() });

  expect(await namesIn(world)).toEqual(['fix__echo']);
  const reply = await world.call('fix__echo', { text: 'hello' });

  expect(reply).toMatchObject({
    kind: 'output',
    content: [{ type: 'text' }, { type: 'text', text: 'hello' }],
    meta: { 'sekisho/untrusted': 'fix' },
  });
  expect(reply.kind === 'output' && reply.content[0]).toMatchObject({
    text: expect.stringContaining('server "fix"'),
  });
});

test('a call that names a tool before any list was asked for reaches it', async () => {
  await using world = await openWithServers({ fix: habitual() });
  expect(wordsOf(await world.call('fix__echo', { text: 'first' }))).toBe('first');
});

test('nothing is started before it is needed', async () => {
  await using world = await openWithServers({ fix: habitual() }, { files: { 'a.txt': 'x' } });
  expect(wordsOf(await world.call('file_read', { path: 'a.txt' }))).not.toContain('error');
  expect((await world.checkpoint.rooms.upstreams()).status()[0]?.state).toBe('idle');
});

test("a call asks a person first, and only reading by the operator's word does not", async () => {
  await using world = await openWithServers(
    {
      asks: habitual('none', undefined, { ask: 'changes' }),
      reads: habitual('none', undefined, { tools: { echo: { readOnly: true } } }),
    },
    { config: { mode: 'workspace-write', approval: { waitMs: 1 } } },
  );
  await namesIn(world);

  expect(await world.call('asks__echo', { text: 'x' })).toMatchObject({ code: 'approval_pending' });
  expect(wordsOf(await world.call('reads__echo', { text: 'x' }))).toBe('x');
});

test('what a server says of its own tools counts only where the operator believes it', async () => {
  const file = (await import('./world.ts')).temporaryFile('tools.json');
  const { writeFileSync } = await import('node:fs');
  const annotations = { readOnlyHint: true };
  writeFileSync(file, JSON.stringify([{ name: 'look', inputSchema: { type: 'object' }, annotations }]));
  await using world = await openWithServers(
    {
      a: habitual('none', file, { ask: 'changes' }),
      b: habitual('none', file, { ask: 'changes', trustAnnotations: true }),
    },
    { config: { mode: 'workspace-write', approval: { waitMs: 1 } } },
  );
  await namesIn(world);

  expect(await world.call('a__look', {})).toMatchObject({ code: 'approval_pending' });
  expect(await world.call('b__look', {})).toMatchObject({ kind: 'output' });
});

test('others than the local operator neither see nor call a server that they were not given', async () => {
  await using world = await openWithServers({
    mine: habitual(),
    theirs: habitual('none', undefined, { roles: ['user:anna'] }),
  });
  await namesIn(world);
  const { tokens } = await world.checkpoint.store();
  const anna = remote((await tokens.create({ user: 'anna' })).token);
  const bert = remote((await tokens.create({ user: 'bert', role: 'admin' })).token);
  const names = async (arrival: typeof anna) =>
    (await world.checkpoint.gateway.list(arrival)).tools.flatMap((tool) => (tool.server ? [tool.name] : []));

  expect(await names(anna)).toEqual(['theirs__echo']);
  expect(await names(bert)).toEqual([]);
  expect(await world.call('mine__echo', { text: 'x' }, { arrival: bert })).toMatchObject({
    code: 'not_found',
  });
  expect(await world.call('theirs__echo', { text: 'x' }, { arrival: bert })).toMatchObject({
    code: 'not_found',
  });
  expect(wordsOf(await world.call('theirs__echo', { text: 'x' }, { arrival: anna }))).toBe('x');
  expect(JSON.stringify(await world.call('help', {}, { arrival: bert }))).not.toContain('__echo');
});

test('progress passes through, and a missing argument is named before the server is asked', async () => {
  await using world = await openWithServers({ fix: habitual() });
  const seen: number[] = [];
  await world.call('fix__echo', { text: 'progress' }, { progress: (done) => void seen.push(done) });
  expect(seen).toEqual([1, 2, 3]);
  expect(await world.call('fix__echo', {})).toMatchObject({ code: 'invalid_parameter' });
});

test("a tool's own failure is shown as one, and a refusal with the server's words, marked as its", async () => {
  await using world = await openWithServers({ fix: habitual() });
  expect(await world.call('fix__echo', { text: 'failed' })).toMatchObject({ kind: 'output', isError: true });
  const refused = await world.call('fix__echo', { text: 'refused' });
  expect(refused).toMatchObject({
    code: 'upstream_error',
    text: 'Server fix refused the request (-32000). What it says follows.',
    quoted: [
      { text: expect.stringContaining('server "fix"') },
      { type: 'text', text: 'SECRET-OF-THE-SERVER /root/x' },
    ],
    meta: { 'sekisho/untrusted': 'fix' },
  });
  expect(JSON.stringify(refused.kind === 'error' && refused.structured)).not.toContain('SECRET');
});

test('a question of the server reaches the person behind the call, cleaned, and the answer goes back', async () => {
  await using world = await openWithServers({ fix: habitual() });
  const asked: string[] = [];
  const reply = await world.call(
    'fix__echo',
    { text: 'ask' },
    {
      form: async ({ message }) => {
        asked.push(message);
        return { action: 'accept', content: { name: 'Hana' } };
      },
    },
  );
  expect(asked).toEqual(['[fix] Who\\u202e are you?']);
  expect(wordsOf(reply)).toBe('{"action":"accept","content":{"name":"Hana"}}');
});

test('the time does not run out while a person answers', async () => {
  await using world = await openWithServers({ fix: habitual('none', undefined, { callTimeoutMs: 300 }) });
  await namesIn(world);
  const reply = await world.call(
    'fix__echo',
    { text: 'ask' },
    {
      form: async () => {
        await once(setTimeoutTarget(1000), 'over');
        return { action: 'decline' };
      },
    },
  );
  expect(wordsOf(reply)).toBe('{"action":"decline"}');
});

test('a question of the server to nobody is cancelled', async () => {
  await using world = await openWithServers({ fix: habitual() });
  expect(wordsOf(await world.call('fix__echo', { text: 'ask' }))).toBe('{"action":"cancel"}');
});

test('a server that speaks the newest revision only is spoken to in it', async () => {
  await using world = await openWithServers({ fix: habitual('newest') });
  expect(wordsOf(await world.call('fix__echo', { text: 'x' }))).toBe('x');
});

test('long results are cut at the limit and say so', async () => {
  await using world = await openWithServers({ fix: habitual('none', undefined, { maxResultChars: 1000 }) });
  const words = wordsOf(await world.call('fix__echo', { text: 'y'.repeat(5000) }));
  expect(words.split('\n')[0]).toBe('y'.repeat(1000));
  expect(words).toContain('4000 characters were left out');
  expect(wordsOf(await world.call('fix__echo', { text: 'y'.repeat(999) }))).toBe('y'.repeat(999));
});

test('what looks like a credential is taken out where the operator wants it', async () => {
  const token = `ghp_${'a1'.repeat(18)}`;
  await using world = await openWithServers({
    plain: habitual(),
    tidy: habitual('none', undefined, { redactSecrets: true }),
  });
  await namesIn(world);
  expect(wordsOf(await world.call('plain__echo', { text: token }))).toBe(token);
  expect(wordsOf(await world.call('tidy__echo', { text: `x ${token}.` }))).toBe('x [redacted].');
});

test('a server sees its own variables and none of ours', async () => {
  process.env.SEKISHO_TEST_SECRET = 'ours';
  try {
    await using world = await openWithServers(
      { fix: habitual('none', undefined, { env: { KEY: '${TEST_KEY}', PLAIN: 'b' } }) },
      { environment: { TEST_KEY: 'from the environment' } },
    );
    const seen = JSON.parse(wordsOf(await world.call('fix__echo', { text: 'env' })));
    expect(seen).toMatchObject({ KEY: 'from the environment', PLAIN: 'b' });
    expect(JSON.stringify(seen)).not.toContain('SEKISHO_TEST_SECRET');
  } finally {
    delete process.env.SEKISHO_TEST_SECRET;
  }
});

test('five calls run at once, more wait their turn, and none is lost', async () => {
  await using world = await openWithServers({ fix: habitual() });
  await namesIn(world);
  const replies = await Promise.all(
    Array.from({ length: 100 }, (_, index) => world.call('fix__echo', { text: String(index) })),
  );
  expect(replies.map(wordsOf)).toEqual(replies.map((_, index) => String(index)));
});

test("the operator's rules hold for a server's tools by their shown names", async () => {
  const because = 'the test says so';
  await using world = await openWithServers(
    { asks: habitual('none', undefined, { ask: 'changes' }), free: habitual(), shut: habitual() },
    {
      config: {
        mode: 'workspace-write',
        approval: { waitMs: 1 },
        rules: [
          { tool: 'free__*', decision: 'allow', because },
          { tool: 'shut__*', decision: 'deny', because },
        ],
      },
    },
  );
  await namesIn(world);
  expect(await world.call('asks__echo', { text: 'x' })).toMatchObject({ code: 'approval_pending' });
  expect(wordsOf(await world.call('free__echo', { text: 'x' }))).toBe('x');
  expect(await world.call('shut__echo', { text: 'x' })).toMatchObject({ code: 'denied' });
});

test('a call that was agreed to runs once, and the same words again ask again', async () => {
  await using world = await openWithServers(
    { fix: habitual('none', undefined, { ask: 'changes' }) },
    { config: { mode: 'workspace-write', approval: { waitMs: 1 } } },
  );
  await namesIn(world);
  expect(await world.call('fix__echo', { text: 'x' })).toMatchObject({ code: 'approval_pending' });
  const { approvals } = await world.checkpoint.store();
  const [pending] = await approvals.list('pending', Date.now());
  await approvals.decide(pending?.id ?? '', 'approved', 'test', 'once', Date.now());
  expect(wordsOf(await world.call('fix__echo', { text: 'x' }))).toBe('x');
  expect(await world.call('fix__echo', { text: 'x' })).toMatchObject({ code: 'approval_pending' });
});

test('a server that only reads keeps tools from being called that may do more', async () => {
  await using world = await openWithServers(
    { fix: habitual(), reads: habitual('none', undefined, { tools: { echo: { readOnly: true } } }) },
    { config: { mode: 'read-only' } },
  );
  expect(await namesIn(world)).toEqual(['reads__echo']);
  expect(await world.call('fix__echo', { text: 'x' })).toMatchObject({ code: 'forbidden' });
});

function setTimeoutTarget(delayMs: number): EventTarget {
  const target = new EventTarget();
  setTimeout(() => target.dispatchEvent(new Event('over')), delayMs);
  return target;
}
