import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { browse, openIssuer } from '../support/issuer.ts';
import { openGuardedServer } from './guarded-server.ts';
import { openWithServers } from './world.ts';

let printed = '';
beforeEach(() => {
  printed = '';
  const print = (words: string | Uint8Array) => {
    printed += String(words);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(print);
  vi.spyOn(process.stderr, 'write').mockImplementation(print);
});
afterEach(() => {
  vi.restoreAllMocks();
});

test('login prints where to go, and what the server offers afterwards; logout ends it', async () => {
  await using issuer = await openIssuer();
  await using far = await openGuardedServer(issuer.issuer);
  await using world = await openWithServers({
    far: { url: far.url },
    near: { url: 'http://far.example/mcp' },
  });
  const settings = ['--config', join(world.folder, 'sekisho.jsonc'), '--root', world.root];
  const state = ['--state', join(world.folder, 'state')];

  expect(await main(['server', 'check', 'far', ...settings, ...state])).toBe(1);
  expect(printed).toContain('sekisho server login far');

  const running = main(['server', 'login', 'far', '--scope', 'tools:read', ...settings, ...state]);
  const address = await vi.waitFor(
    () => {
      const [found] = /http:\S+\/auth\?\S+/.exec(printed) ?? [];
      if (!found) throw new Error(printed);
      return new URL(found);
    },
    { timeout: 60_000 },
  );
  expect(printed).toContain(`at ${issuer.issuer}`);
  expect(printed).toContain('Requested scopes: tools:read');
  await fetch(await browse(address, String(address.searchParams.get('redirect_uri'))));
  expect(await running).toBe(0);
  expect(printed).toContain('far: logged in.');
  expect(printed).toContain('far: 2 tools.');
  expect(far.seen[0]).toMatchObject({ scope: 'tools:read' });
  for (const token of far.tokens) expect(printed).not.toContain(token);

  expect(await main(['server', 'logout', 'far', ...settings, ...state])).toBe(0);
  expect(printed).toContain('far: logged out.');
  expect(await main(['server', 'login', 'near', ...settings, ...state])).toBe(1);
  expect(printed).toContain('near has no login');
  expect(await main(['server', 'login', 'nobody', ...settings, ...state])).toBe(2);
});

test('a person who reads Japanese logs in and out in Japanese', async () => {
  await using issuer = await openIssuer();
  await using far = await openGuardedServer(issuer.issuer);
  await using world = await openWithServers({ far: { url: far.url } });
  const settings = ['--config', join(world.folder, 'sekisho.jsonc'), '--root', world.root, '--locale', 'ja'];
  const state = ['--state', join(world.folder, 'state')];

  expect(await main(['server', 'logout', 'far', ...settings, ...state])).toBe(0);
  expect(printed).toContain('far: ログインしていません。');
  const running = main(['server', 'login', 'far', ...settings, ...state]);
  const address = await vi.waitFor(
    () => new URL(/http:\S+\/auth\?\S+/.exec(printed)?.[0] ?? `not yet: ${printed}`),
    { timeout: 60_000 },
  );
  expect(printed).toContain(`${issuer.issuer} で far にログインします`);
  const back = new URL(await browse(address, String(address.searchParams.get('redirect_uri'))));
  back.searchParams.delete('code');
  await fetch(back);
  expect(await running).toBe(1);
  expect(printed).toContain('far: ログインが拒否されました。');
});
