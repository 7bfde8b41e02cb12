import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test, vi } from 'vitest';
import { local, remote } from '../support/open-test-checkpoint.ts';
import { startFile } from '../support/run-command.ts';
import { habitual, namesIn, openWithServers, wordsOf } from './world.ts';

const patience = { timeout: 60_000, interval: 50 };
const { signal } = new AbortController();
const address = 'upstream://fix/shelf:///a';

test('a change of a watched resource is told, and no longer when the watch ended', async () => {
  await using world = await openWithServers({ fix: habitual('shelf') });
  await namesIn(world);
  const { resources } = world.checkpoint.gateway;
  const changed = vi.fn();
  const end = await resources?.subscribe(local, address, changed);
  expect(wordsOf(await world.call('fix__echo', { text: 'watched' }))).toBe('["shelf:///a"]');

  await world.call('fix__echo', { text: 'touch' });
  await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1), patience);
  end?.();
  await vi.waitFor(
    async () => expect(wordsOf(await world.call('fix__echo', { text: 'watched' }))).toBe('[]'),
    patience,
  );
  await world.call('fix__echo', { text: 'touch' });
  expect(changed).toHaveBeenCalledTimes(1);
});

test('a server of the newest revision is listened to for what is watched, and for nothing else', async () => {
  await using world = await openWithServers({ fix: habitual('newest') });
  await namesIn(world);
  const { resources } = world.checkpoint.gateway;
  const first = vi.fn();
  const second = vi.fn();
  const end = await resources?.subscribe(local, 'upstream://fix/shelf:///b', first);
  await resources?.subscribe(local, 'upstream://fix/shelf:///c', second);
  await world.call('fix__echo', { text: 'touch' });
  await vi.waitFor(() => expect(first).toHaveBeenCalled(), patience);
  await vi.waitFor(() => expect(second).toHaveBeenCalled(), patience);
  end?.();
  await vi.waitFor(
    async () =>
      expect(wordsOf(await world.call('fix__echo', { text: 'listened to' }))).toBe('["shelf:///c"]'),
    patience,
  );
  expect(wordsOf(await world.call('fix__echo', { text: 'hang up' }))).toBe('hang up');
  await vi.waitFor(
    async () =>
      expect(wordsOf(await world.call('fix__echo', { text: 'listened to' }))).toBe('["shelf:///c"]'),
    patience,
  );
});

test.each(['shelf', 'newest'])(
  'many who begin to watch at once all watch, on a server that is "%s"',
  async (habit) => {
    await using world = await openWithServers({ fix: habitual(habit) });
    await namesIn(world);
    const uris = Array.from({ length: 10 }, (_, index) => `shelf:///${index}`);
    const begin = (uri: string) =>
      world.checkpoint.gateway.resources?.subscribe(local, `upstream://fix/${uri}`, () => {});
    // One that is refused beside them is refused alone.
    const refused = habit === 'shelf' ? [begin('shelf:///none')] : [];
    const [results, [failure]] = await Promise.all([
      Promise.all(uris.map(begin)),
      Promise.allSettled(refused),
    ]);
    expect(results).toHaveLength(10);
    expect(failure?.status).not.toBe('fulfilled');
    const text = habit === 'shelf' ? 'watched' : 'listened to';
    await vi.waitFor(
      async () => expect(JSON.parse(wordsOf(await world.call('fix__echo', { text }))).sort()).toEqual(uris),
      patience,
    );
  },
);

test('ten thousand words of one change are few by the time they reach the client, and the last is not lost', async () => {
  await using world = await openWithServers({ fix: habitual('shelf') });
  await namesIn(world);
  const changed = vi.fn();
  await world.checkpoint.gateway.resources?.subscribe(local, address, changed);
  expect(wordsOf(await world.call('fix__echo', { text: 'touch often' }))).toBe('touch often');
  await vi.waitFor(() => expect(changed.mock.calls.length).toBeGreaterThan(1), patience);
  expect(changed.mock.calls.length).toBeLessThan(100);
  expect(wordsOf(await world.call('fix__echo', { text: 'on' }))).toBe('on');
});

test('what was watched is watched again when the server was started again', async () => {
  await using world = await openWithServers({ fix: habitual('shelf') });
  await namesIn(world);
  const changed = vi.fn();
  await world.checkpoint.gateway.resources?.subscribe(local, address, changed);
  await world.call('fix__echo', { text: 'crash' });
  await vi.waitFor(
    async () => expect(wordsOf(await world.call('fix__echo', { text: 'watched' }))).toBe('["shelf:///a"]'),
    patience,
  );
  const before = changed.mock.calls.length;
  // What happened meanwhile nobody saw: whoever watches looks anew.
  expect(before).toBeGreaterThan(0);
});

test('only who may see a server watches its resources, and what it refuses is refused', async () => {
  await using world = await openWithServers({ fix: habitual('shelf'), plain: habitual() });
  await namesIn(world);
  const { resources, prompts } = world.checkpoint.gateway;
  const { tokens } = await world.checkpoint.store();
  const anna = remote((await tokens.create({ user: 'anna' })).token);
  const nothing = () => {};
  await expect(resources?.subscribe(anna, address, nothing)).rejects.toMatchObject({ code: 'not_found' });
  await expect(resources?.subscribe(local, 'upstream://nobody/x', nothing)).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(resources?.subscribe(local, 'upstream://plain/x', nothing)).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(resources?.subscribe(local, 'upstream://fix/shelf:///none', nothing)).rejects.toMatchObject({
    code: 'upstream_error',
  });
  const ref = { type: 'ref/resource', uri: 'upstream://fix/shelf:///{name}' };
  await expect(
    prompts?.complete(anna, { ref, argument: { name: 'name', value: '' } }, signal),
  ).rejects.toMatchObject({ code: 'not_found' });
  expect(wordsOf(await world.call('fix__echo', { text: 'watched' }))).toBe('[]');
});

test('values for a template of a resource come from its server, in the server’s own address, cleaned', async () => {
  await using world = await openWithServers({ fix: habitual('shelf') });
  await namesIn(world);
  const ref = { type: 'ref/resource', uri: 'upstream://fix/shelf:///{name}' };
  const argument = { name: 'name', value: '' };
  expect(await world.checkpoint.gateway.prompts?.complete(local, { ref, argument }, signal)).toEqual({
    completion: { values: ['shelf:///{name}', 'a\\u202eb'], total: 2 },
  });
});

test('a changed list of resources is told', async () => {
  await using world = await openWithServers({ fix: habitual('shelf') });
  await namesIn(world);
  const told = vi.fn();
  world.checkpoint.gateway.resources?.onChanged?.(told);
  await world.call('fix__echo', { text: 'relist' });
  await vi.waitFor(() => expect(told).toHaveBeenCalled(), patience);
});

test('a list that is said to change ten thousand times is looked at a few times', async () => {
  await using world = await openWithServers({ fix: habitual() });
  await namesIn(world);
  expect(wordsOf(await world.call('fix__echo', { text: 'announce often' }))).toBe('announce often');
  await vi.waitFor(
    async () => expect(Number(wordsOf(await world.call('fix__echo', { text: 'lists' })))).toBeGreaterThan(1),
    patience,
  );
  expect(Number(wordsOf(await world.call('fix__echo', { text: 'lists' })))).toBeLessThan(60);
});

test.each([
  ['2025-11-25', 'legacy' as const],
  ['2026-07-28', { pin: '2026-07-28' }],
])('a client of %s hears of a watched resource and of a changed list of resources', async (era, mode) => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-watch-'));
  mkdirSync(join(folder, 'root'));
  const config = join(folder, 'sekisho.jsonc');
  const mcpServers = { fix: habitual('shelf') };
  writeFileSync(config, JSON.stringify({ mode: 'full-access', mcpServers }));
  const told = vi.fn();
  const updated = vi.fn();
  const client = new Client(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode },
      listChanged: { resources: { autoRefresh: false, debounceMs: 0, onChanged: told } },
    },
  );
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => updated(params.uri));
  const args = [startFile, 'serve', '--root', join(folder, 'root'), '--config', config];
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [...args, '--state', join(folder, 'state')],
      stderr: 'ignore',
    }),
  );
  try {
    expect(client.getNegotiatedProtocolVersion()).toBe(era);
    await client.listTools();
    if (era === '2025-11-25') await client.subscribeResource({ uri: address });
    else await client.listen({ resourceSubscriptions: [address] });
    await client.callTool({ name: 'fix__echo', arguments: { text: 'touch' } });
    await vi.waitFor(() => expect(updated).toHaveBeenCalledWith(address), patience);
    await client.callTool({ name: 'fix__echo', arguments: { text: 'relist' } });
    await vi.waitFor(() => expect(told).toHaveBeenCalled(), patience);
  } finally {
    await client.close();
  }
});
