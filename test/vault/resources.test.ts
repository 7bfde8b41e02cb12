import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openVaultResources } from '../../src/tools/vault/resources.ts';
import { openNotes } from './open-notes.ts';

const arrival = { transport: 'stdio' } as const;
const { signal } = new AbortController();

test('notes are listed as resources in pages, each once, and read by their URI', async () => {
  const notes = Object.fromEntries(Array.from({ length: 450 }, (_, at) => [`n/${at}.md`, `note ${at}`]));
  const { vault } = openNotes({
    ...notes,
    'ideas/家 50%.md': '\ufeffx\r\ny\n',
    'pic.png': 'no note',
    '.system/s.md': 's',
  });
  const gateway = openVaultResources(vault);
  const uris: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await gateway.list(arrival, cursor, signal);
    expect(page.resources.length).toBeLessThanOrEqual(200);
    uris.push(...page.resources.map((resource) => resource.uri));
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  expect(new Set(uris).size).toBe(uris.length);
  expect(uris).toHaveLength(451);
  expect(uris[0]).toBe('vault:///ideas/%E5%AE%B6%2050%25.md');
  expect(await gateway.read(arrival, uris[0] ?? '', signal)).toEqual({
    uri: uris[0],
    mimeType: 'text/markdown',
    text: 'x\ny',
  });
});

test.each([
  ['file:///etc/passwd', 'not_found'],
  ['vault://host/a.md', 'not_found'],
  ['vault:///%', 'not_found'],
  ['vault:///none.md', 'not_found'],
  ['vault:///../a.md', 'invalid_path'],
  ['vault:///%2e%2e/a.md', 'invalid_path'],
  ['vault:////etc/passwd', 'invalid_path'],
  ['vault:///', 'invalid_path'],
])('the URI %s is refused with %s', async (uri, code) => {
  const { vault } = openNotes();
  const gateway = openVaultResources(vault);
  await expect(gateway.read(arrival, uri, signal)).rejects.toMatchObject({ code });
  await expect(gateway.subscribe(arrival, uri, () => {})).rejects.toMatchObject({ code });
});

test('a subscriber hears of a write, a replacement and a removal, and of nothing after it left', async () => {
  const { root, vault, call } = openNotes({ 'f/a.md': 'one', 'f/b.md': 'other' });
  const gateway = openVaultResources(vault);
  let heard = 0;
  let wake = () => {};
  const stop = await gateway.subscribe(arrival, 'vault:///f/a.md', () => {
    heard += 1;
    wake();
  });
  const next = (change: () => unknown) =>
    new Promise<void>((resolve) => {
      wake = resolve;
      change();
    });
  await next(() => writeFileSync(join(root, 'f/a.md'), 'two'));
  await next(() => call('vault_replace', { path: 'f/a.md', find: 'two', replace: 'three' }));
  await next(() => renameSync(join(root, 'f/b.md'), join(root, 'f/a.md')));
  await next(() => rmSync(join(root, 'f/a.md')));
  expect(heard).toBeGreaterThanOrEqual(4);
  const before = heard;
  stop();
  writeFileSync(join(root, 'f/a.md'), 'four');
  const other = await gateway.subscribe(arrival, 'vault:///f/a.md', () => wake());
  await next(() => writeFileSync(join(root, 'f/a.md'), 'five'));
  other();
  expect(heard).toBe(before);
});
