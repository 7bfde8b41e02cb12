import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorOf, local, openTestCheckpoint, outputOf, remote } from '../support/open-test-checkpoint.ts';

const config = { toolsets: ['vault' as const], vault: { hardMaxChars: 12 } };

test('a note is created, read to its end, replaced and refused on the whole road', async () => {
  await using world = await openTestCheckpoint({ config, files: { 'vault/old.md': 'old\n' } });
  const { call, root } = world;
  const content = '# House\r\n- [ ] paint\r\n';
  expect(outputOf(await call('vault_create', { path: 'ideas/house.md', content }))).toEqual({
    written_path: 'ideas/house.md',
    written_bytes: 22,
  });
  expect(outputOf(await call('vault_read', { path: 'ideas/house.md', full: true }))).toMatchObject({
    text: '# House',
    next_offset: { start_line: 2 },
    truncated_reason: 'hard_limit',
  });
  const wanted = { path: 'ideas/house.md', find: '[ ]', replace: '[x]' };
  expect(outputOf(await call('vault_replace', wanted))).toEqual({
    written_path: 'ideas/house.md',
    replacements: 1,
  });
  expect(readFileSync(join(root, 'vault/ideas/house.md'), 'utf8')).toBe('# House\r\n- [x] paint\r\n');
  expect(errorOf(await call('vault_create', { path: 'old.md', content: 'new' }))).toEqual({
    code: 'conflict',
    message: 'old.md already exists.',
    suggestion: 'Change it with vault_replace.',
  });
  const day = { path: 'daily/2026-02-11.md', content: 'x' };
  await call('vault_create', day);
  expect(errorOf(await call('vault_create', day))).toMatchObject({
    code: 'conflict',
    suggestion: 'Read it with vault_read. Notes below daily/ are not rewritten.',
  });
  expect(errorOf(await call('vault_scan', { path: 'old.md', chunk_lines: true }))).toMatchObject({
    code: 'invalid_parameter',
    details: { field: 'chunk_lines' },
  });
  expect(errorOf(await call('vault_read', { path: '../root/vault/old.md', full: true }))).toMatchObject({
    code: 'invalid_path',
  });
  expect(readFileSync(join(root, 'vault/old.md'), 'utf8')).toBe('old\n');
});

test('without extras the vault has the four tools of the document', async () => {
  await using world = await openTestCheckpoint({ config: { ...config, vault: { extras: false } } });
  const { tools } = await world.checkpoint.gateway.list({ transport: 'stdio', connectionId: 'c' });
  const names = tools.map((tool) => tool.name).filter((name) => name.startsWith('vault_'));
  expect(names.toSorted()).toEqual(['vault_create', 'vault_read', 'vault_replace', 'vault_scan']);
  expect(existsSync(join(world.root, 'vault'))).toBe(false);
});
test('a vault that is not there yet begins with its first note', async () => {
  await using world = await openTestCheckpoint({ config });
  expect(outputOf(await world.call('vault_list', {}))).toEqual({ entries: [] });
  outputOf(await world.call('vault_create', { path: 'a.md', content: 'x' }));
  expect(readFileSync(join(world.root, 'vault/a.md'), 'utf8')).toBe('x');
});

test('a note read as a resource walks the road: recorded, refused to strangers, and not callable as a tool', async () => {
  await using world = await openTestCheckpoint({ config, files: { 'vault/a.md': 'hello' } });
  const { resources } = world.checkpoint.gateway;
  const { signal } = new AbortController();
  expect(await resources?.list(local, undefined, signal)).toMatchObject({
    resources: [{ uri: 'vault:///a.md' }],
  });
  expect(await resources?.read(local, 'vault:///a.md', signal)).toMatchObject({ text: 'hello' });
  await expect(resources?.read(remote(), 'vault:///a.md', signal)).rejects.toMatchObject({
    code: 'unauthenticated',
  });
  expect(errorOf(await world.call('resources/read', { uri: 'vault:///a.md' }))).toMatchObject({
    code: 'not_found',
  });

  const { audit } = await world.checkpoint.store();
  await audit.flush();
  const entries = await audit.search({ tool: 'resources/read', limit: 10 });
  expect(entries.map((entry) => entry.code ?? entry.outcome)).toEqual(['ok', 'unauthenticated', 'not_found']);
});
