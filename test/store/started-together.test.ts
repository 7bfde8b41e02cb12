import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';

test('processes that start at the same moment on an empty folder make one database and one chain', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-together-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const url = `sqlite:${join(folder, 'state', 'records.db')}`;
  const startAtMs = String(Date.now() + 1_500);
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];

  const codes = await Promise.all(
    names.map(async (name) => {
      const child = spawn(
        process.execPath,
        [join(import.meta.dirname, 'append-once.ts'), url, name, startAtMs],
        {
          stdio: 'inherit',
        },
      );
      return (await once(child, 'exit'))[0];
    }),
  );

  expect(codes).toEqual(names.map(() => 0));
  const store = await openStore({ url });
  onTestFinished(() => store.close());
  expect(await store.audit.verify()).toMatchObject({ ok: true, entries: names.length });
  expect((await store.audit.search({ limit: 10 })).map(({ id }) => id).sort()).toEqual(names);
  expect((await store.tokens.list()).map(({ user }) => user).sort()).toEqual(names);
  expect(await store.memoriesFor('local').recall({ query: '', limit: 10 })).toHaveLength(names.length);
});
