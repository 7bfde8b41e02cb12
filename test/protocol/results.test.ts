import { expect, test } from 'vitest';
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
  expect(toolEntry(remote, 'en', 'modern').inputSchema).toEqual({
    type: 'object',
    properties: { region: { type: 'string' }, 'x-mcp-header': { type: 'string' } },
  });
});

test('a tool that is unavailable is listed with the reason', () => {
  const broken = { ...plain, unavailable: { en: 'Needs git.', ja: 'git が必要です。' } };
  expect(toolEntry(broken, 'ja', 'modern').description).toBe('echo (git が必要です。)');
});

test('an output schema that is no object is shown to the newest revision alone', () => {
  const listing = { ...plain, outputSchema: () => ({ type: 'array' }) };
  expect(toolEntry(listing, 'en', 'modern').outputSchema).toEqual({ type: 'array' });
  expect(toolEntry(listing, 'en', 'legacy')).not.toHaveProperty('outputSchema');
});

test('an error is complete as text and as data', () => {
  const error = { code: 'conflict', message: 'a.md exists.' };
  const reply = { kind: 'error', code: 'conflict', text: 'a.md exists.', structured: { error } } as const;
  expect(callResult(reply, 'en')).toEqual({
    content: [{ type: 'text', text: 'a.md exists.' }],
    structuredContent: { error },
    isError: true,
  });
});

test("a result of the newest revision says its type and its server, and keeps the tool's own words", () => {
  const { encode } = createResultEncoder({ name: 's', version: '1' });
  expect(JSON.parse(encode('modern', { _meta: { own: 1 } }))).toEqual({
    resultType: 'complete',
    _meta: { own: 1, 'io.modelcontextprotocol/serverInfo': { name: 's', version: '1' } },
  });
  expect(encode('legacy', { a: 1 })).toBe('{"a":1}');
});
