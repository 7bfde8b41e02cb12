import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openIssuer } from '../support/issuer.ts';
import { openGuardedServer } from './guarded-server.ts';
import { logIn, problemOf, serverIn } from './log-in.ts';
import { namesIn, openWithServers, type ServerWorld, wordsOf } from './world.ts';

const call = async (world: ServerWorld, tool: string, text = 'hello') =>
  wordsOf(await world.call(tool, { text }));

test('a person logs in, the tools come, and the token is for this server and no other', async () => {
  await using issuer = await openIssuer();
  await using far = await openGuardedServer(issuer.issuer);
  await using world = await openWithServers({ far: { url: far.url } });

  expect(await namesIn(world)).toEqual([]);
  expect(await problemOf(world)).toContain('sekisho server login far');

  const opened = await logIn(world);
  expect(opened.searchParams.get('code_challenge_method')).toBe('S256');
  expect(opened.searchParams.get('resource')).toBe(far.url);
  await (await serverIn(world)).upstreams.settle();
  expect(await problemOf(world)).toBe('');
  expect(await namesIn(world)).toContain('far__echo');
  expect(await call(world, 'far__echo')).toBe('hello');
  expect(far.seen[0]).toMatchObject({ aud: far.url, sub: 'alice' });

  const folder = join(world.folder, 'state', 'logins');
  expect(readdirSync(folder)).toEqual(['far.grant']);
  expect(statSync(join(folder, 'far.grant')).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const everything = readdirSync(join(world.folder, 'state'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
  for (const token of far.tokens) expect(everything).not.toContain(token.slice(0, 60));
});

test('a token that is refused is renewed; a login that is over says so until somebody logs in', async () => {
  await using issuer = await openIssuer();
  await using far = await openGuardedServer(issuer.issuer);
  await using world = await openWithServers({ far: { url: far.url } });
  await logIn(world);
  expect(await problemOf(world)).toBe('');
  await namesIn(world);
  expect(await call(world, 'far__echo')).toBe('hello');
  expect(new Set(far.tokens).size).toBe(1);

  const before = new Set(far.tokens);
  far.allow.isRevoked = (token) => before.has(token);
  expect(await call(world, 'far__echo', 'again')).toBe('again');

  far.allow.isRevoked = () => true;
  expect(await call(world, 'far__echo')).toMatch(/unavailable: .*sekisho server login far/);
  // And the list says it too, until somebody logs in.
  await vi.waitFor(async () => {
    const { upstreams } = await serverIn(world);
    expect(upstreams.status()[0]?.problem?.en).toContain('sekisho server login far');
  });
  far.allow.isRevoked = () => false;
  await logIn(world);
  expect(await call(world, 'far__echo', 'back')).toBe('back');
});

test('a call that needs more rights says who can grant them, and the next login asks for them', async () => {
  await using issuer = await openIssuer();
  await using far = await openGuardedServer(issuer.issuer, {
    writeScope: 'tools:write',
    metadata: (url) => ({
      resource: url,
      authorization_servers: [issuer.issuer],
      scopes_supported: ['tools:read'],
    }),
  });
  await using world = await openWithServers({ far: { url: far.url } });
  const opened = await logIn(world);
  expect(opened.searchParams.get('scope')).toBe('tools:read offline_access');
  expect(await problemOf(world)).toBe('');
  await namesIn(world);

  expect(await call(world, 'far__write')).toMatch(/forbidden: .*more rights.*sekisho server login far/);
  // What needs no more goes on, also at the same time.
  const names = ['far__echo', 'far__write', 'far__echo', 'far__write', 'far__echo'];
  const words = await Promise.all(names.map((name) => call(world, name)));
  expect(words.map((said) => said.split(':')[0])).toEqual([
    'hello',
    'forbidden',
    'hello',
    'forbidden',
    'hello',
  ]);
  const again = await logIn(world);
  expect(again.searchParams.get('scope')).toBe('tools:read tools:write offline_access');
  expect(await call(world, 'far__write')).toBe('wrote hello');
});

test('two processes that renew at once keep the login', async () => {
  await using issuer = await openIssuer();
  await using far = await openGuardedServer(issuer.issuer);
  await using one = await openWithServers({ far: { url: far.url } });
  const state = join(one.folder, 'state');
  await logIn(one);
  await using other = await openWithServers({ far: { url: far.url } }, { flags: { state } });
  expect(await problemOf(one)).toBe('');
  expect(await problemOf(other)).toBe('');
  await namesIn(one);
  await namesIn(other);
  for (let round = 0; round < 5; round++) {
    // All that was seen so far is refused: everybody renews at the same moment.
    const before = new Set(far.tokens);
    far.allow.isRevoked = (token) => before.has(token);
    const words = await Promise.all(
      [one, other, one, other].map((world) => call(world, 'far__echo', String(round))),
    );
    expect(words).toEqual(words.map(() => String(round)));
  }
  expect(readdirSync(join(state, 'logins'))).toEqual(['far.grant']);
});

test('a login is for one address: the same name elsewhere gets nothing of it', async () => {
  await using issuer = await openIssuer();
  await using far = await openGuardedServer(issuer.issuer);
  await using thief = await openGuardedServer(issuer.issuer);
  await using world = await openWithServers({ far: { url: far.url } });
  await logIn(world);
  const state = join(world.folder, 'state');
  await using moved = await openWithServers({ far: { url: thief.url } }, { flags: { state } });
  expect(await problemOf(moved)).toContain('sekisho server login far');
  expect(thief.tokens).toEqual([]);
});

test('logging out ends the grant at the authorization server and here', async () => {
  await using issuer = await openIssuer();
  await using far = await openGuardedServer(issuer.issuer);
  await using world = await openWithServers({ far: { url: far.url } });
  await logIn(world);
  expect(await problemOf(world)).toBe('');
  const { upstreams, server } = await serverIn(world);
  expect(await upstreams.logOut(server)).toBe('revoked');
  expect(issuer.requests).toContain('POST /token/revocation');
  expect(await upstreams.logOut(server)).toBe('none');
  await namesIn(world);
  expect(await call(world, 'far__echo')).toMatch(/unavailable: .*sekisho server login far/);
});

test('a client of the configuration, and one that a document describes, need no registration', async () => {
  const document = 'https://client.example/sekisho.json';
  await using issuer = await openIssuer({
    clients: [
      {
        client_id: 'known',
        redirect_uris: ['http://127.0.0.1/callback'],
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
    features: {
      registration: { enabled: false },
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
    },
    clientDocuments: {
      [document]: {
        client_id: document,
        client_name: 'Sekisho',
        redirect_uris: ['http://127.0.0.1/callback'],
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    },
  });
  await using far = await openGuardedServer(issuer.issuer);
  await using world = await openWithServers({
    known: { url: far.url, oauth: { clientId: 'known', issuer: issuer.issuer } },
    described: { url: far.url, oauth: { clientMetadataUrl: document } },
    neither: { url: far.url },
  });
  expect((await logIn(world, { name: 'known' })).searchParams.get('client_id')).toBe('known');
  expect(await problemOf(world, 'known')).toBe('');
  expect((await logIn(world, { name: 'described' })).searchParams.get('client_id')).toBe(document);
  expect(await problemOf(world, 'described')).toBe('');
  await expect(logIn(world, { name: 'neither' })).rejects.toThrow('oauth.clientId');
});

test('an account of its own needs no person', async () => {
  await using issuer = await openIssuer({
    clients: [
      {
        client_id: 'robot',
        client_secret: 'a-secret-of-the-robot',
        redirect_uris: [],
        response_types: [],
        grant_types: ['client_credentials'],
      },
    ],
  });
  await using far = await openGuardedServer(issuer.issuer);
  const oauth = {
    grant: 'client_credentials' as const,
    clientId: 'robot',
    clientSecret: '${ROBOT_SECRET}',
    issuer: issuer.issuer,
    scope: 'tools:read',
  };
  await using world = await openWithServers(
    { far: { url: far.url, oauth }, wrong: { url: far.url, oauth: { ...oauth, clientSecret: 'wrong' } } },
    { environment: { ROBOT_SECRET: 'a-secret-of-the-robot' } },
  );
  expect(await problemOf(world)).toBe('');
  await namesIn(world);
  expect(await call(world, 'far__echo')).toBe('hello');
  expect(far.seen[0]).toMatchObject({ aud: far.url, client_id: 'robot', scope: 'tools:read' });
  expect(await problemOf(world, 'wrong')).toContain('gives no token');
  await expect(logIn(world)).rejects.toThrow('has no login');
});
