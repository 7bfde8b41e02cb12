import { writeFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { schemaProblem } from '../../src/upstream/tools/schema.ts';
import { startOverHttp } from './fixtures/over-http.ts';
import { habitual, namesIn, openWithServers, type Server, temporaryFile, wordsOf } from './world.ts';

/** What a server did, and what it did not, is said as it is. */
afterEach(() => void vi.useRealTimers());

test.each([
  [400, { error: { code: -32602, message: 'text is too long' } }, {}, 'text is too long', undefined],
  [429, { note: 'slow down' }, { 'retry-after': '7' }, 'slow down', 7000],
  [502, {}, {}, 'jsonrpc', undefined],
  [503, { error: { code: -32000, message: 'deploying' } }, { 'retry-after': '1' }, 'deploying', 1000],
  [500, { error: { code: -32603, message: 'boom' } }, {}, 'boom', undefined],
])(
  'a call that a server answers with HTTP %i may have been carried out; its words are shown and other calls go on',
  async (status, body, headers, said, retryAfterMs) => {
    const slow = Promise.withResolvers<() => void>();
    await using server = await startOverHttp(({ method, params }, { json }) => {
      const { text } = (params?.arguments ?? {}) as { text?: string };
      if (method !== 'tools/call' || text === 'after') return false;
      if (text === 'slow')
        slow.resolve(() => json({ result: { content: [{ type: 'text', text: 'done' }] } }));
      else json(body, status, headers);
      return true;
    });
    await using world = await openWithServers({ far: { url: server.url } });
    await namesIn(world);
    const under = world.call('far__echo', { text: 'slow' });
    const end = await slow.promise;

    const reply = await world.call('far__echo', { text: 'pay 100' });

    expect(reply).toMatchObject({
      code: status === 429 ? 'rate_limited' : 'upstream_error',
      text: expect.stringMatching(new RegExp(`HTTP ${status}.*may have carried it out`)),
      structured: { error: { details: { status, ...(retryAfterMs && { retry_after_ms: retryAfterMs }) } } },
    });
    expect(JSON.stringify(reply.kind === 'error' && reply.quoted)).toContain(said);
    end();
    expect(wordsOf(await under)).toBe('done');
    expect(wordsOf(await world.call('far__echo', { text: 'after' }))).toBe('after');
    expect(server.came.filter((method) => method === 'initialize')).toHaveLength(1);
  },
);

test('a connection that breaks off may have carried out the call; one that is refused has sent nothing', async () => {
  await using world = await (async () => {
    await using server = await startOverHttp(({ method }, { response }) => {
      if (method !== 'tools/call') return false;
      response.destroy();
      return true;
    });
    const opened = await openWithServers({ far: { url: server.url } });
    await namesIn(opened);
    expect(wordsOf(await opened.call('far__echo', { text: 'x' }))).toMatch(/broke off.*may have carried out/);
    return opened;
  })();
  expect(wordsOf(await world.call('far__echo', { text: 'x' }))).toMatch(/could not be sent/);
});

test('a lost session is begun anew, whether it is said with 404 or with 400', async () => {
  for (const status of [404, 400]) {
    let session = 0;
    let lost = false;
    await using server = await startOverHttp(({ method, params }, { json, response }) => {
      if (method === 'initialize') {
        response.setHeader('mcp-session-id', `s${++session}`);
        return false;
      }
      if (method !== 'tools/call' || !lost) return false;
      lost = false;
      json(
        { id: null, error: { code: -32000, message: 'Bad Request: No valid session ID provided' } },
        status,
      );
      return params !== undefined;
    });
    await using world = await openWithServers({ far: { url: server.url } });
    await namesIn(world);
    lost = true;
    expect(wordsOf(await world.call('far__echo', { text: 'again' }))).toBe('again');
    expect(session).toBe(2);
  }
});

test.each(['hangs', 'fails'])(
  'a server over HTTP that %s at the newest revision’s question is spoken to in an older one',
  async (how) => {
    await using server = await startOverHttp(({ method }, { json }) => {
      if (method !== 'server/discover') return false;
      if (how === 'fails') json({ error: 'boom' }, 500);
      return true;
    });
    await using world = await openWithServers({ far: { url: server.url, startTimeoutMs: 3000 } });
    expect(wordsOf(await world.call('far__echo', { text: 'hello' }))).toBe('hello');
  },
);

test('tools, prompts and resources that are asked for at once all wait for a server that was never seen', async () => {
  await using world = await openWithServers({ fix: habitual('shelf') });
  const arrival = { transport: 'stdio', connectionId: 'test-connection' } as const;
  const { gateway } = world.checkpoint;
  const signal = new AbortController().signal;
  const [prompts, resources, tools] = await Promise.all([
    gateway.prompts?.list(arrival, signal),
    gateway.resources?.list(arrival, undefined, signal),
    namesIn(world),
  ]);
  expect(tools).toEqual(['fix__echo']);
  expect([prompts?.length, resources?.resources.length]).toEqual([1, 1]);
});

test('a server that was never seen and does not start is named: to the operator, in help, and where its tool is called', async () => {
  const faults: string[] = [];
  await using world = await openWithServers(
    {
      gone: {
        command: process.execPath,
        args: ['-e', 'console.error("no module"); process.exit(1)'],
        sandbox: 'off',
      },
    },
    { options: { onFault: (fault) => void faults.push(String(fault)) } },
  );
  expect(await namesIn(world)).toEqual([]);
  expect(faults).toEqual([expect.stringMatching(/^Server gone: The server does not start\. \(.*no module/)]);
  const help = await world.call('help', {});
  expect(help).toMatchObject({
    structured: { unavailable_info: { 'server gone': expect.stringContaining('does not start') } },
  });
  expect(JSON.stringify(help)).not.toContain('gone__');
  expect(await world.call('gone__anything', {})).toMatchObject({
    code: 'unavailable',
    text: expect.stringContaining('Server gone: The server does not start.'),
  });
  expect(await world.call('gone__anything', {}, { arrival: { transport: 'http' } })).toMatchObject({
    code: 'not_found',
  });
});

test('a server that does not answer to prompts/list is waited for once', async () => {
  await using world = await openWithServers({ mute: habitual('mute', undefined, { callTimeoutMs: 800 }) });
  await namesIn(world);
  const arrival = { transport: 'stdio', connectionId: 'test-connection' } as const;
  const list = async () => {
    const from = performance.now();
    await world.checkpoint.gateway.prompts?.list(arrival, new AbortController().signal);
    return performance.now() - from;
  };
  expect(await list()).toBeGreaterThan(700);
  expect(await list()).toBeLessThan(700);
});

test('progress renews the time that a server may be silent, the whole has a limit of its own, and the refusal names both', async () => {
  const limits = { callTimeoutMs: 1000, callTotalMs: 4000 };
  await using world = await openWithServers({ fix: habitual('none', undefined, limits) });
  await namesIn(world);
  expect(wordsOf(await world.call('fix__echo', { text: 'progress for 2000' }))).toBe('slept');
  for (const [order, said] of [
    ['hang', 'neither answered nor reported progress for 1 s'],
    ['progress for 60000', 'did not finish within 4 s'],
  ] as const) {
    const reply = await world.call('fix__echo', { text: order });
    expect(reply).toMatchObject({ code: 'timed_out', text: expect.stringContaining(said) });
    expect(wordsOf(reply)).toMatch(
      /callTimeoutMs \(silence, now 1 s\) or callTotalMs \(the whole call, now 4 s\)/,
    );
  }
});

test('changed tools of a server that cannot say so are seen by the next client that lists them', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const names = ['echo'];
  await using server = await startOverHttp(({ method }, { json }) => {
    if (method !== 'tools/list') return false;
    json({ result: { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) } });
    return true;
  });
  await using world = await openWithServers({ far: { url: server.url } });
  expect(await namesIn(world)).toEqual(['far__echo']);
  names.pop();
  vi.setSystemTime(Date.now() + 11_000);
  expect(await namesIn(world)).toEqual([]);
});

test('a server that is killed ends its calls at once', async () => {
  await using world = await openWithServers({ fix: habitual() });
  await namesIn(world);
  const pid = Number(wordsOf(await world.call('fix__echo', { text: 'pid' })));
  const hanging = world.call('fix__echo', { text: 'hang' });
  await expect.poll(async () => wordsOf(await world.call('fix__echo', { text: 'here' }))).toBe('here');
  process.kill(pid, 'SIGKILL');
  expect(await hanging).toMatchObject({ code: 'upstream_error', text: expect.stringContaining('ended') });
});

test('what is left out of a result is named', async () => {
  await using world = await openWithServers({ fix: habitual('none', undefined, { maxResultChars: 1000 }) });
  expect(wordsOf(await world.call('fix__echo', { text: 'many rows' }))).toMatch(
    /^rows\n\[The structured data of \d+ characters was left out: the limit is 1000/,
  );
  expect(wordsOf(await world.call('fix__echo', { text: 'strange blocks' }))).toBe(
    '[Left out, as no content that MCP knows or not in its form: 2 × "video", 1 × "text".]',
  );
  expect(wordsOf(await world.call('fix__echo', { text: 'strange data' }))).toContain('it is no object');
});

test('what a server says about a block and a link goes with it', async () => {
  await using world = await openWithServers({ fix: habitual() });
  expect(await world.call('fix__echo', { text: 'about' })).toMatchObject({
    content: [
      {},
      { text: 'x', annotations: { audience: ['user'], priority: 0.5 } },
      { type: 'resource_link', title: 'T', description: 'D', size: 12 },
    ],
  });
});

test('whole numbers beyond 2^53 keep their digits on both ways', async () => {
  const file = temporaryFile('tools.json');
  const properties = { text: { type: 'string' }, id: { type: 'integer' } };
  writeFileSync(file, JSON.stringify([{ name: 'echo', inputSchema: { type: 'object', properties } }]));
  await using world = await openWithServers({ fix: habitual('none', file) });
  const id = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON('1234567890123456789');
  const reply = await world.call('fix__echo', { text: 'number', id });
  expect(wordsOf(reply)).toBe('1234567890123456789');
  expect(JSON.stringify(reply)).toContain('"structured":{"id":1234567890123456789}');
});

test('an argument that is required and not declared can be given; others that are not declared cannot', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['b'] };
  expect(schemaProblem({ a: 'x', b: 1 }, schema)).toBeUndefined();
  expect(schemaProblem({ a: 'x' }, schema)).toMatchObject({ field: 'b' });
  expect(schemaProblem({ b: 1, c: 1 }, schema)).toMatchObject({ field: 'c' });
});

test('arguments that a client adds are dropped, unless the tool has one of that name', async () => {
  const file = temporaryFile('tools.json');
  const properties = { text: { type: 'string' } };
  const more = { ...properties, toolCallId: { type: 'string' } };
  writeFileSync(
    file,
    JSON.stringify([
      { name: 'plain', inputSchema: { type: 'object', properties } },
      { name: 'own', inputSchema: { type: 'object', properties: more } },
    ]),
  );
  await using world = await openWithServers({ fix: habitual('none', file) }, { files: { 'a.txt': 'hello' } });
  const input = { text: 'arguments', toolCallId: 'c1', wait_for_previous: true };
  expect(wordsOf(await world.call('fix__plain', input))).toBe('{"text":"arguments"}');
  expect(wordsOf(await world.call('fix__own', input))).toBe('{"text":"arguments","toolCallId":"c1"}');
  expect(await world.call('file_read', { path: 'a.txt', wait_for_previous: false })).toMatchObject({
    kind: 'output',
  });
  expect(await world.call('shell_exec', { command: 'true', description: 'Does nothing' })).toMatchObject({
    kind: 'output',
  });
  expect(await world.call('file_read', { path: 'a.txt', description: 'Reads' })).toMatchObject({
    code: 'invalid_parameter',
  });
  expect(await world.call('file_read', { path: 'a.txt', other: 1 })).toMatchObject({
    code: 'invalid_parameter',
  });
});

/** A server that answers calls with this expression, in which `id` is the request's. */
function answering(call: string, more = ''): Server {
  const script = `
    const info = ${more || "{ serverInfo: { name: 'odd', version: '1' } }"};
    const send = (message) => console.log(typeof message === 'string' ? message : JSON.stringify(message));
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      const reply = (result) => send({ jsonrpc: '2.0', id, result });
      if (method === 'initialize')
        reply({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, ...info });
      if (method === 'tools/list') reply({ tools: [{ name: 'x', inputSchema: { type: 'object' } }] });
      if (method === 'tools/call') send(${call});
    });`;
  return { command: process.execPath, args: ['-e', script], sandbox: 'off', callTimeoutMs: 5000 };
}

const done = "{ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'done' }] } }";

test.each([
  ['a batch', `[${done}]`, 'done'],
  ['words instead of content', "{ jsonrpc: '2.0', id, result: { content: 'done' } }", 'done'],
  ['an error that is a string', "{ jsonrpc: '2.0', id, error: 'broken' }", /refused the request\. .*\n?/],
  ['half a character', `JSON.stringify(${done}).replace('done', 'a\\ud800b')`, 'a\ufffdb'],
  [
    'an image that is none',
    "{ jsonrpc: '2.0', id, result: { content: [{ type: 'image', mimeType: 'image/png', data: 'no!' }] } }",
    /^\[Left out, .*1 × "image"/,
  ],
  [
    'an image as an address',
    "{ jsonrpc: '2.0', id, result: { content: [{ type: 'image', mimeType: 'image/png', data: 'data:image/png;base64,aGk=' }] } }",
    '[image]',
  ],
  ['its end', 'process.exit(3)', /ended before it answered\. It may have carried out the call/],
])('a server that answers with %s is told as it is', async (_what, call, words) => {
  await using world = await openWithServers({ odd: answering(call) });
  await namesIn(world);
  const reply = await world.call('odd__x', {});
  expect(wordsOf(reply)).toEqual(typeof words === 'string' ? words : expect.stringMatching(words));
  if (call.includes('broken')) expect(JSON.stringify(Object(reply).quoted)).toContain('broken');
  const ended = 'Server odd: The server ended.';
  const next = async () => wordsOf(await world.call('odd__x', {}));
  if (call.includes('exit')) await expect.poll(next).toContain(ended);
  else expect(await next()).not.toContain(ended);
});

test('a server without a name in its handshake is served', async () => {
  await using world = await openWithServers({ odd: answering(done, '{}') });
  expect(await namesIn(world)).toEqual(['odd__x']);
  expect(wordsOf(await world.call('odd__x', {}))).toBe('done');
});
