import { writeFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { local } from '../support/open-test-checkpoint.ts';
import { habitual, namesIn, openWithServers, temporaryFile, wordsOf } from './world.ts';

const object = { type: 'object' };

function worldOf(tools: readonly unknown[], more = {}) {
  const file = temporaryFile('tools.json');
  writeFileSync(file, JSON.stringify(tools));
  return openWithServers({ bad: habitual('none', file, more), good: habitual() });
}

test.each([
  ['answers of others', 'answers of others'],
  ['twice', 'first'],
  ['notes', 'notes'],
])(
  'a server that sends "%s" is heard once, in what was asked, and the others go on',
  async (order, heard) => {
    await using world = await openWithServers({ bad: habitual(), good: habitual() });
    expect(wordsOf(await world.call('bad__echo', { text: order }))).toBe(heard);
    expect(wordsOf(await world.call('bad__echo', { text: 'next' }))).toBe('next');
    expect(wordsOf(await world.call('good__echo', { text: 'x' }))).toBe('x');
  },
);

test('a server that closes its ears and lives on is given up, started again, and the others go on', async () => {
  await using world = await openWithServers({
    bad: habitual('none', undefined, { callTimeoutMs: 1000 }),
    good: habitual(),
  });
  expect(wordsOf(await world.call('bad__echo', { text: 'deaf' }))).toBe('deaf');
  const replies = await Promise.all(['a', 'b', 'c'].map((text) => world.call('bad__echo', { text })));
  for (const reply of replies) expect(reply.kind).toBe('error');
  expect(wordsOf(await world.call('good__echo', { text: 'x' }))).toBe('x');
  await vi.waitFor(
    async () => expect(wordsOf(await world.call('bad__echo', { text: 'back' }))).toBe('back'),
    { timeout: 60_000, interval: 100 },
  );
});

test('answers that come out of order reach the calls that they are for', async () => {
  await using world = await openWithServers({ bad: habitual() });
  await namesIn(world);
  const orders = ['slow', 'a', 'slow', 'b'];
  const replies = await Promise.all(orders.map((text) => world.call('bad__echo', { text })));
  expect(replies.map(wordsOf)).toEqual(orders);
});

test('requests that a server has no right to are refused, and it goes on', async () => {
  await using world = await openWithServers({ bad: habitual() });
  expect(wordsOf(await world.call('bad__echo', { text: 'requests' }))).toBe('[true,true,true,true]');
});

test('links lead to the server that gave them and nowhere else, whatever they say', async () => {
  await using world = await openWithServers({ bad: habitual() });
  const reply = await world.call('bad__echo', { text: 'links' });
  expect(reply).toMatchObject({ kind: 'output', meta: { 'sekisho/untrusted': 'bad' } });
  expect(reply.kind === 'output' && reply.structured).toBe(undefined);
  expect(reply.kind === 'output' && reply.content.slice(1)).toEqual([
    {
      type: 'resource_link',
      uri: 'upstream://bad/file:///etc/passwd',
      name: 'a\\u202eb',
      mimeType: 'text/plain',
    },
    { type: 'resource_link', uri: 'upstream://bad/vault://notes/secret.md', name: 'ours?' },
    { type: 'resource', resource: { uri: 'upstream://bad/upstream://other/x', text: 'y' } },
    { type: 'text', text: expect.stringContaining('1 × "resource_link", 1 × "strange", 2 × "?"') },
    { type: 'text', text: expect.stringContaining('it is no object') },
  ]);
  await expect(
    world.checkpoint.gateway.resources?.read(
      local,
      'upstream://bad/file:///etc/passwd',
      new AbortController().signal,
    ),
  ).rejects.toMatchObject({ code: 'not_found' });
});

test('contents and prompts of a server are its own as well, all of them, and nothing that is none', async () => {
  await using world = await openWithServers({ bad: habitual('shelf') });
  await namesIn(world);
  const { resources, prompts } = world.checkpoint.gateway;
  const { signal } = new AbortController();
  expect(await resources?.read(local, 'upstream://bad/shelf:///a', signal)).toEqual({
    uri: 'upstream://bad/shelf:///a/1',
    mimeType: 'text/plain',
    text: 'one',
    more: [{ uri: 'upstream://bad/shelf:///a', mimeType: 'text/plain', blob: 'AAAA' }],
  });
  await expect(resources?.read(local, 'upstream://bad/shelf:///empty', signal)).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(await prompts?.list(local, signal)).toEqual([
    { name: 'bad__p', arguments: [{ name: 'a', description: 'b\\u202ec' }] },
  ]);
  expect(await prompts?.get(local, 'bad__p', undefined, signal)).toEqual({
    messages: [
      {
        role: 'user',
        content: { type: 'resource_link', uri: 'upstream://bad/vault://notes/secret.md', name: 'ours?' },
      },
    ],
  });
});

test('data that is nested without end is refused in words, and the next call is answered', async () => {
  await using world = await openWithServers({ bad: habitual() });
  const reply = await world.call('bad__echo', { text: 'deep' });
  expect(reply).toMatchObject({ code: 'upstream_error' });
  expect(wordsOf(reply)).toContain('nested too deeply');
  expect(wordsOf(await world.call('bad__echo', { text: 'next' }))).toBe('next');
});

test('a picture of five megabytes is left out, and the reply says so', async () => {
  await using world = await openWithServers({ bad: habitual() });
  expect(wordsOf(await world.call('bad__echo', { text: 'picture' }))).toMatch(
    /^\[5242\d\d\d characters were left out/,
  );
});

const promised = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

test('data that is not what the schema promised is passed on as it is: the client has the schema too', async () => {
  await using world = await worldOf([{ name: 'echo', inputSchema: object, outputSchema: promised }]);
  expect(await world.call('bad__echo', { text: 'lie' })).toMatchObject({
    kind: 'output',
    isError: false,
    structured: { other: 1 },
  });
});

test('an answer that is no result of a tool is an error that says so', async () => {
  await using world = await worldOf([{ name: 'echo', inputSchema: object }]);
  const reply = await world.call('bad__echo', { text: 'nothing' });
  expect(reply).toMatchObject({ code: 'upstream_error' });
  expect(wordsOf(reply)).toContain('may have carried out the call');
  expect(wordsOf(await world.call('good__echo', { text: 'x' }))).toBe('x');
});

test('what a server says of its progress is cleaned and short', async () => {
  await using world = await openWithServers({ bad: habitual() });
  const said: (string | undefined)[] = [];
  const progress = (_: number, __?: number, message?: string) => void said.push(message);
  await world.call('bad__echo', { text: 'progress of words' }, { progress });
  expect(said[0]).not.toMatch(/[\u001b\u202e]/);
  expect(said[0]?.length).toBeLessThan(5000);
});

test('a list of 1,500 tools shows the first thousand; the rest does not exist', async () => {
  const tools = Array.from({ length: 1500 }, (_, index) => ({ name: `t${index}`, inputSchema: object }));
  await using world = await worldOf(tools);
  const names = await namesIn(world);
  expect(names).toHaveLength(1001);
  expect(names).toContain('bad__t999');
  expect(await world.call('bad__t1000', {})).toMatchObject({ code: 'not_found' });
});

test('definitions that nobody could look at close the server, not the house', async () => {
  const tools = Array.from({ length: 100 }, (_, index) => ({
    name: `t${index}`,
    description: 'x'.repeat(12_000),
    inputSchema: object,
  }));
  await using world = await worldOf(tools);
  expect(await namesIn(world)).toEqual(['good__echo']);
  const upstreams = await world.checkpoint.rooms.upstreams();
  const problem = () => upstreams.status().find(({ name }) => name === 'bad')?.problem?.en;
  // The first list waits for it no longer than ten seconds.
  await expect.poll(problem, { timeout: 60_000 }).toContain('too large to review');
});

test.each([
  ['nested without end', nested(2000), []],
  ['nested deeply', nested(40), ['nested too deeply to be looked at']],
  [
    'refers elsewhere',
    { properties: { a: { $ref: 'http://169.254.169.254/' } } },
    ['refers to a schema elsewhere'],
  ],
])('a tool whose schema is %s is not let through unseen', async (_, schema, findings) => {
  await using world = await worldOf([
    { name: 'odd', inputSchema: { ...object, ...schema } },
    { name: 'plain', inputSchema: object },
  ]);
  expect(await namesIn(world)).toEqual(['bad__plain', 'good__echo']);
  const status = (await world.checkpoint.rooms.upstreams()).status().find(({ name }) => name === 'bad');
  expect(status?.held.flatMap((held) => held.findings)).toEqual(findings);
});

test('a pattern without end in a schema costs nothing: patterns are the server’s to check', async () => {
  const text = { type: 'string', pattern: '^(a+)+$' };
  await using world = await worldOf([{ name: 'echo', inputSchema: { ...object, properties: { text } } }]);
  const words = `${'a'.repeat(50)}!`;
  expect(wordsOf(await world.call('bad__echo', { text: words }))).toBe(words);
});

test('names that mean something elsewhere are names', async () => {
  const names = [
    '__proto__',
    'constructor',
    'toString',
    'all',
    'help',
    'file_read',
    'a b',
    'tools/list',
    'x'.repeat(300),
  ];
  const tools = names.map((name) => ({ name, inputSchema: { ...object, required: ['constructor'] } }));
  await using world = await worldOf([...tools, { name: '' }, { name: 7 }, null, 'x', { name: 'no schema' }]);
  const shown = await namesIn(world);
  expect(shown).toHaveLength(names.length + 2);
  for (const name of shown) expect(name).toMatch(/^(?:bad|good)__[A-Za-z0-9_-]{1,59}$/);
  for (const name of shown) expect(name.length).toBeLessThanOrEqual(64);
  expect(await world.call('bad__constructor', {})).toMatchObject({ code: 'invalid_parameter' });
  expect(wordsOf(await world.call('bad__constructor', { constructor: 1, text: 'x' }))).toBe('x');
  expect(await world.call('constructor', {})).toMatchObject({ code: 'not_found' });
});

test('no word of a definition hides anything from whoever reads it', async () => {
  const odd = 'a\u202e\u200b\u0007b';
  const properties = { a: { type: 'string', title: odd, description: odd } };
  await using world = await worldOf([
    {
      name: 'odd',
      title: odd,
      description: odd,
      inputSchema: { ...object, properties },
      annotations: { title: odd },
    },
  ]);
  await namesIn(world);
  const { pins } = await world.checkpoint.rooms.upstreams();
  expect(pins.approve('bad', pins.review('bad')?.digest ?? '')).toBe(true);
  const { tools } = await world.checkpoint.gateway.list(local);
  const tool = tools.find(({ name }) => name === 'bad__odd');
  expect(tool).toBeDefined();
  const words = JSON.stringify([tool?.title.en, tool?.description.en, tool?.inputSchema('en')]);
  // JSON writes a control character as an escape; what is left is visible.
  expect(words).not.toMatch(/[\u202e\u200b]|\\u0007"/);
  expect(words).toContain('a\\\\u202e');
});

test('a server that stops answering its list takes only its own tools with it', async () => {
  const file = temporaryFile('tools.json');
  writeFileSync(file, '[{"name": "echo", "inputSchema": {"type": "object"}}]');
  await using world = await openWithServers({
    bad: habitual('none', file, { callTimeoutMs: 1000 }),
    good: habitual(),
  });
  await namesIn(world);
  writeFileSync(file, 'no JSON: the server crashes over it');
  await world.call('bad__echo', { text: 'announce' });
  await vi.waitFor(
    async () => {
      expect(await world.call('bad__echo', { text: 'x' })).toMatchObject({ kind: 'error' });
    },
    { timeout: 60_000, interval: 50 },
  );
  expect(wordsOf(await world.call('good__echo', { text: 'x' }))).toBe('x');
});

function nested(depth: number): object {
  let schema: object = {};
  for (let level = 0; level < depth; level++) schema = { properties: { a: schema } };
  return schema;
}
