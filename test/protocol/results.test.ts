import { expect, test } from 'vitest';
import { createMcp } from '../../src/transport/mcp.ts';
import { replyFormOf } from '../../src/transport/reply-form.ts';
import { callResult, createResultEncoder, toolEntry } from '../../src/transport/results.ts';
import { createFixtureGateway } from '../support/fixture-gateway.ts';

const [plain] = (await createFixtureGateway().list({ transport: 'stdio' })).tools;
if (!plain) throw new Error('The fixture has no tools.');
const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    'x-mcp-header': { type: 'string' },
  },
};

test('a remote server keeps its wish for headers to itself; a property of that name stays', () => {
  const remote = { ...plain, server: 'far', inputSchema: () => schema };
  expect(toolEntry(remote, 'en', 'modern', program).inputSchema).toEqual({
    type: 'object',
    properties: { region: { type: 'string' }, 'x-mcp-header': { type: 'string' } },
  });
});

test('a tool that is unavailable is listed with the reason', () => {
  const broken = { ...plain, unavailable: { en: 'Needs git.', ja: 'git が必要です。' } };
  expect(toolEntry(broken, 'ja', 'modern', program).description).toBe('echo (git が必要です。)');
});

test('an output schema that is no object is shown to the newest revision alone', () => {
  const listing = { ...plain, outputSchema: () => ({ type: 'array' }) };
  expect(toolEntry(listing, 'en', 'modern', program).outputSchema).toEqual({ type: 'array' });
  expect(toolEntry(listing, 'en', 'legacy', program)).not.toHaveProperty('outputSchema');
});

test('sessions share the encoded list, and an agent never gets that of an old program', async () => {
  const count = { type: 'number', default: 3 };
  const gateway = createFixtureGateway({}, { schemas: { echo: { type: 'object', properties: { count } } } });
  const list = async (name: string, revision: string) => {
    const arrival = { transport: 'stdio', client: { name, version: '1' }, revision } as const;
    const exchange = { era: 'legacy', id: 1, params: {}, arrival, clientCapabilities: {} } as const;
    const { signal } = new AbortController();
    return createMcp(gateway).answer('tools/list', { ...exchange, signal, notify() {} });
  };
  const [old, agent] = [await list('raw', '2025-03-26'), await list('gemini-cli-mcp-client', '2025-03-26')];
  expect(old).toContain('"default":3');
  expect(agent).toContain('(default 3)');
  expect(agent).not.toContain('"default":3');
  expect(await list('raw', '2025-03-26')).toBe(old);
});

test('an error is complete as text and as data; an agent gets the text', () => {
  const error = { code: 'conflict', message: 'a.md exists.' };
  const reply = { kind: 'error', code: 'conflict', text: 'a.md exists.', structured: { error } } as const;
  const words = { content: [{ type: 'text', text: 'a.md exists.' }], isError: true };
  expect(callResult(reply, 'en', program)).toEqual({ ...words, structuredContent: { error } });
  expect(callResult(reply, 'en', agent)).toEqual(words);
});

test.each([
  ['GUARD_VIOLATION', 'DISALLOWED_CMD', 'GUARD_VIOLATION DISALLOWED_CMD: No curl. Use none.'],
  ['TIMEOUT', 'TIMEOUT', 'TIMEOUT: No curl. Use none.'],
] as const)("a pipeline's %s says its code and reason %s in the text too", (code, reason, text) => {
  const error = { code, reason, detail: 'No curl.', suggestion: 'Use none.' };
  const reply = { kind: 'error', code, text: 'No curl. Use none.', structured: { error } } as const;
  expect(callResult(reply, 'en', agent)).toEqual({ content: [{ type: 'text', text }], isError: true });
});

test('an output schema is one that an error passes too, and an agent that gets text is promised no data', () => {
  expect(toolEntry(plain, 'en', 'legacy', program).outputSchema).toEqual({
    type: 'object',
    properties: { text: { type: 'string' }, error: { type: 'object' } },
    anyOf: [{ required: ['text'] }, { required: ['error'] }],
  });
  expect(toolEntry(plain, 'en', 'legacy', agent)).not.toHaveProperty('outputSchema');
});

test.each([
  ['says more of the whole', { minProperties: 2 }],
  ['has an error of its own', { properties: { error: { type: 'string' } } }],
])('an output schema that %s than an error would fit is not shown', (_, more) => {
  const odd = { ...plain, outputSchema: () => ({ type: 'object', ...more }) };
  expect(toolEntry(odd, 'en', 'legacy', program)).not.toHaveProperty('outputSchema');
});

test("a proxied server's own failure goes out as text, whatever its schema", () => {
  const reply = {
    kind: 'output',
    content: [{ type: 'text', text: 'No such city.' }],
    structured: { city: null },
    isError: true,
  } as const;
  expect(callResult(reply, 'en', program)).toEqual({ content: reply.content, isError: true });
});

const program = replyFormOf({});
const agent = replyFormOf({ client: { name: 'claude-code', version: '1' } });

test.each([
  ['claude-code', '2026-07-28', { structured: false, maxBytes: 30_000 }],
  ['qwen-cli-mcp-client-sekisho', '2025-11-25', { structured: false, maxBytes: 24_000 }],
  ['@cline/core', '2024-11-05', { structured: false, meta: false, maxBytes: 6500 }],
  ['opencode-like', '2025-11-25', { structured: true }],
  ['sdk', '2026-07-28', { structured: true, meta: true, maxBytes: 30_000 }],
  ['sdk', '2025-06-18', { structured: true }],
  ['sdk', '2025-03-26', { structured: false, meta: true }],
  ['sdk', '2024-11-05', { structured: false, meta: true }],
])('%s on %s is sent: %j', (name, revision, form) => {
  expect(replyFormOf({ client: { name, version: '1' }, revision })).toMatchObject(form);
});

test("a result of the newest revision says its type and its server, and keeps the tool's own words", () => {
  const { encode } = createResultEncoder({ name: 's', version: '1' });
  expect(JSON.parse(encode('modern', { _meta: { own: 1 } }))).toEqual({
    resultType: 'complete',
    _meta: { own: 1, 'io.modelcontextprotocol/serverInfo': { name: 's', version: '1' } },
  });
  expect(encode('legacy', { a: 1 })).toBe('{"a":1}');
});
