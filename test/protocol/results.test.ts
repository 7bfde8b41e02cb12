import { expect, test } from 'vitest';
import { replyFormOf } from '../../src/transport/reply-form.ts';
import { callResult, createResultEncoder, toolEntry } from '../../src/transport/results.ts';
import { createFixtureDoor } from '../support/fixture-door.ts';

const [plain] = (await createFixtureDoor().list({ transport: 'stdio' })).tools;
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
  expect(toolEntry(remote, 'en', 'modern', 'both').inputSchema).toEqual({
    type: 'object',
    properties: { region: { type: 'string' }, 'x-mcp-header': { type: 'string' } },
  });
});

test('a tool that is unavailable is listed with the reason', () => {
  const broken = { ...plain, unavailable: { en: 'Needs git.', ja: 'git が必要です。' } };
  expect(toolEntry(broken, 'ja', 'modern', 'both').description).toBe('echo (git が必要です。)');
});

test('an output schema that is no object is shown to the newest revision alone', () => {
  const listing = { ...plain, outputSchema: () => ({ type: 'array' }) };
  expect(toolEntry(listing, 'en', 'modern', 'both').outputSchema).toEqual({ type: 'array' });
  expect(toolEntry(listing, 'en', 'legacy', 'both')).not.toHaveProperty('outputSchema');
});

test('an error is complete as text and as data; an agent gets the text', () => {
  const error = { code: 'conflict', message: 'a.md exists.' };
  const reply = { kind: 'error', code: 'conflict', text: 'a.md exists.', structured: { error } } as const;
  const words = { content: [{ type: 'text', text: 'a.md exists.' }], isError: true };
  expect(callResult(reply, 'en', 'both')).toEqual({ ...words, structuredContent: { error } });
  expect(callResult(reply, 'en', 'text')).toEqual(words);
});

test('an output schema is one that an error passes too, and an agent that gets text is promised no data', () => {
  expect(toolEntry(plain, 'en', 'legacy', 'both').outputSchema).toEqual({
    type: 'object',
    properties: { text: { type: 'string' }, error: { type: 'object' } },
    anyOf: [{ required: ['text'] }, { required: ['error'] }],
  });
  expect(toolEntry(plain, 'en', 'legacy', 'text')).not.toHaveProperty('outputSchema');
});

test.each([
  ['says more of the whole', { minProperties: 2 }],
  ['has an error of its own', { properties: { error: { type: 'string' } } }],
])('an output schema that %s than an error would fit is not shown', (_, more) => {
  const odd = { ...plain, outputSchema: () => ({ type: 'object', ...more }) };
  expect(toolEntry(odd, 'en', 'legacy', 'both')).not.toHaveProperty('outputSchema');
});

test("a proxied server's own failure goes out as text, whatever its schema", () => {
  const reply = {
    kind: 'output',
    content: [{ type: 'text', text: 'No such city.' }],
    structured: { city: null },
    isError: true,
  } as const;
  expect(callResult(reply, 'en', 'both')).toEqual({ content: reply.content, isError: true });
});

test.each([
  ['claude-code', '2026-07-28', 'text'],
  ['qwen-cli-mcp-client-sekisho', '2025-11-25', 'text'],
  ['opencode', '2025-11-25', 'text'],
  ['opencode-like', '2025-11-25', 'both'],
  ['sdk', '2026-07-28', 'both'],
  ['sdk', '2025-06-18', 'both'],
  ['sdk', '2025-03-26', 'text'],
  ['sdk', '2024-11-05', 'text'],
])('%s on %s is sent: %s', (name, revision, form) => {
  expect(replyFormOf({ client: { name, version: '1' }, revision })).toBe(form);
});

test('who says neither name nor revision is sent all', () => {
  expect(replyFormOf({})).toBe('both');
});

test("a result of the newest revision says its type and its server, and keeps the tool's own words", () => {
  const { encode } = createResultEncoder({ name: 's', version: '1' });
  expect(JSON.parse(encode('modern', { _meta: { own: 1 } }))).toEqual({
    resultType: 'complete',
    _meta: { own: 1, 'io.modelcontextprotocol/serverInfo': { name: 's', version: '1' } },
  });
  expect(encode('legacy', { a: 1 })).toBe('{"a":1}');
});
