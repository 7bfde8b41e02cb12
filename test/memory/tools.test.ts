import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { CapabilityName } from '../../src/contract/capabilities/capabilities.ts';
import type { LooseTool } from '../../src/contract/tool/define-tool.ts';
import type { ToolContext } from '../../src/contract/tool/tool.ts';
import { openStore } from '../../src/store/open-store.ts';
import { forget, recall, remember, updateMemory } from '../../src/tools/assistant/memory.ts';

/** Calls tools as the road does: check, run, and what they told the audit log. */
async function openTools() {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-tools-'));
  let nowMs = Date.parse('2026-02-10T12:00:00');
  const store = await openStore({ url: `sqlite:${join(folder, 'records.db')}`, clock: () => nowMs });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const memory = store.memoriesFor('local');
  const facts: object[] = [];

  async function call(tool: LooseTool, input: object): Promise<unknown> {
    const checked = tool.check(input);
    if (!checked.ok) return `${checked.field}: ${checked.message.en}`;
    const context = {
      memory,
      signal: new AbortController().signal,
      locale: 'en',
      replyBytes: 30_000,
      progress() {},
      audit: (told: object) => facts.push(told),
      meta() {},
    } as unknown as ToolContext<CapabilityName>;
    return (await tool.run(checked.input, context)).structured;
  }
  return { call, facts, at: (when: string) => (nowMs = Date.parse(when)) };
}

test('what is remembered is recalled, changed and forgotten', async () => {
  const { call, facts } = await openTools();
  const { id } = (await call(remember, { content: '好きな色は青', tags: ['preference', 'preference'] })) as {
    id: string;
  };
  expect(id).toMatch(/^mem_[0-9a-z]{16}$/);

  expect(await call(recall, { query: '好きな色' })).toEqual({
    memories: [
      {
        id,
        content: '好きな色は青',
        category: 'general',
        tags: ['preference'],
        created_at: new Date('2026-02-10T12:00:00').toISOString(),
        score: expect.any(Number),
      },
    ],
  });
  expect(await call(remember, { content: '好きな色は青です。' })).toEqual({
    id,
    duplicate_of: id,
    content: '好きな色は青',
    category: 'general',
    tags: ['preference'],
  });
  expect(await call(updateMemory, { id, content: '好きな色は緑', category: 'taste' })).toMatchObject({
    id,
    content: '好きな色は緑',
    category: 'taste',
    tags: ['preference'],
  });
  expect(await call(forget, { id })).toEqual({ forgotten: id });
  expect(await call(recall, { query: '' })).toEqual({ memories: [] });
  expect(facts).toEqual([
    { memory: id, duplicate: false },
    { recalled: 1 },
    { memory: id, duplicate: true },
    { updated: id },
    { forgot: id },
    { recalled: 0 },
  ]);
});

test('what differs only in its ending is two memories where the ending is part of it', async () => {
  const { call } = await openTools();
  for (const [one, other] of [
    ['Ignore ^a', 'Ignore ^a.'],
    ['The page is https://shop.example/a', 'The page is https://shop.example/a.'],
    ['合言葉はま', '合言葉はまだ'],
  ]) {
    await call(remember, { content: one });
    expect(await call(remember, { content: other })).not.toHaveProperty('duplicate_of');
  }
});

test.each(['👨‍👩‍👧', '=>', '^a.', '100%'])(
  'a query without a word, %s, finds what holds it, and nothing else',
  async (query) => {
    const { call } = await openTools();
    await call(remember, { content: 'Something newer that nobody asked for' });
    expect(await call(recall, { query })).toEqual({ memories: [] });
    await call(remember, { content: `It says ${query} there` });
    await call(remember, { content: 'The newest' });
    expect(await call(recall, { query })).toMatchObject({
      memories: [{ content: `It says ${query} there` }],
    });
  },
);

test('an id that is not there is told the same way, whosever it may be', async () => {
  const { call } = await openTools();
  const wanted = { code: 'not_found', message: 'No memory has the id "mem_x".' };

  await expect(call(forget, { id: 'mem_x' })).rejects.toMatchObject(wanted);
  await expect(call(updateMemory, { id: 'mem_x', content: 'y' })).rejects.toMatchObject(wanted);
  await expect(call(updateMemory, { id: 'mem_x' })).rejects.toMatchObject({ code: 'invalid_parameter' });
});

test('days narrow what is recalled, both ends included', async () => {
  const { call, at } = await openTools();
  for (const day of ['01', '02', '03']) {
    at(`2026-02-${day}T23:30:00`);
    await call(remember, { content: `note of day ${day}` });
  }
  const found = async (bounds: object) =>
    ((await call(recall, { query: 'note', ...bounds })) as { memories: { content: string }[] }).memories
      .map(({ content }) => content.slice(-2))
      .sort();

  expect(await found({ since: '2026-02-02' })).toEqual(['02', '03']);
  expect(await found({ until: '2026-02-02' })).toEqual(['01', '02']);
  expect(await found({ since: '2026-02-02', until: '2026-02-02' })).toEqual(['02']);
  expect(await found({ until: new Date('2026-02-02T00:00:00').toISOString() })).toEqual(['01']);
});

test.each([
  [remember, { content: '' }, 'content: must not be blank'],
  [remember, { content: ' \n\t\0' }, 'content: must not be blank'],
  [remember, { content: 'x'.repeat(8001) }, 'content: must be at most 8000 characters long'],
  [remember, { content: 'x', tags: [''] }, 'tags.0: must not be blank'],
  [remember, { content: 'x', owner: 'user:ann' }, 'owner: is not an argument of this tool'],
  [recall, { query: 'x', limit: 0 }, 'limit: must be at least 1'],
  [recall, { query: 'x', limit: 51 }, 'limit: must be at most 50'],
  [recall, { query: 'x', since: '2026-02-31' }, 'since: must be a date such as 2026-02-01'],
  [recall, { query: 'x', principal: 'user:ann' }, 'principal: is not an argument of this tool'],
  [recall, {}, 'query: is required'],
  [forget, { id: '../x' }, 'id: must be an id from recall'],
])('$name refuses %o', async (tool, input, problem) => {
  const { call } = await openTools();

  expect(await call(tool, input)).toBe(problem);
});
