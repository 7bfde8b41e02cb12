import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTokenFile, type StoredTokens } from '../../src/upstream/oauth/token-file.ts';
import { openIssuer } from '../support/issuer.ts';
import { openGuardedServer } from './guarded-server.ts';
import { logIn, problemOf } from './log-in.ts';
import { namesIn, openWithServers, wordsOf } from './world.ts';

const program = join(import.meta.dirname, 'fixtures', 'renewing.ts');
const isLong = process.env.SEKISHO_HAMMER === '1';

/** A provider of which each refresh token can be used once: whoever uses one twice loses the grant. */
async function withGrant(
  work: (place: { folder: string; url: string; read(): StoredTokens | undefined }) => Promise<void>,
) {
  const folder = join(mkdtempSync(join(tmpdir(), 'sekisho-renew-')), 'logins');
  await using issuer = await openIssuer();
  await using far = await openGuardedServer(issuer.issuer);
  await using world = await openWithServers({ far: { url: far.url } });
  await logIn(world);
  const { deriveKey } = await import('../../src/store/derived-key.ts');
  const state = join(world.folder, 'state');
  const sealed = { folder: join(state, 'logins'), key: () => deriveKey(state, 'logins at servers') };
  const grant = openTokenFile(sealed, 'far', far.url).read();
  if (!grant) throw new Error('no grant');
  const file = openTokenFile({ folder, key: () => new Uint8Array(32).fill(7) }, 'far', far.url);
  file.write(grant);
  await work({ folder, url: far.url, read: file.read });
}

function run(folder: string, url: string, times: number) {
  const child = spawn(process.execPath, [program, folder, 'far', url, String(times)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (words: string) => {
    printed += words;
  });
  const ended = new Promise<string[]>((resolve) =>
    child.once('close', () => resolve(printed.split('\n').slice(0, -1))),
  );
  return { child, ended };
}

test('processes that renew at once never lose the login', async () => {
  await withGrant(async ({ folder, url, read }) => {
    const [processes, rounds] = isLong ? [4, 50] : [3, 5];
    const runs = Array.from({ length: processes }, () => run(folder, url, rounds));
    const tokens = await Promise.all(runs.map(({ ended }) => ended));
    expect(tokens.flat()).toHaveLength(processes * rounds);
    expect(tokens.flat()).not.toContain('none');
    expect(read()?.refreshToken).toBeDefined();
    expect(readdirSync(folder)).toEqual(['far.grant']);
  });
});

test('a process that is killed while it renews leaves a login, or a clear end of it, and no lock', async () => {
  const tries = isLong ? 20 : 3;
  for (let index = 0; index < tries; index++) {
    await withGrant(async ({ folder, url, read }) => {
      const victim = run(folder, url, 1000);
      await new Promise((resolve) => victim.child.stdout.once('data', resolve));
      for (let turns = 0; turns < index * 7; turns++) await new Promise((resolve) => setImmediate(resolve));
      victim.child.kill('SIGKILL');
      await victim.ended;
      const [token] = await run(folder, url, 1).ended;
      // A refresh token that was spent just before the kill is gone; then the grant is too, and nothing is left half.
      expect(token === 'none' ? read() : read()?.accessToken).toBe(token === 'none' ? undefined : token);
    });
  }
});

test('a server that is running takes up a login that another process had', async () => {
  await using issuer = await openIssuer();
  await using far = await openGuardedServer(issuer.issuer);
  await using serving = await openWithServers({ far: { url: far.url } });
  expect(await namesIn(serving)).toEqual([]);
  const flags = { state: join(serving.folder, 'state') };
  await using line = await openWithServers({ far: { url: far.url } }, { flags });
  await logIn(line);
  expect(await problemOf(line)).toBe('');
  expect(await namesIn(serving)).toContain('far__echo');
  expect(wordsOf(await serving.call('far__echo', { text: 'taken up' }))).toBe('taken up');
});
