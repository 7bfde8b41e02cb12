import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { oauthTrustOf } from '../../src/config/oauth.ts';
import { createAccessTokens } from '../../src/identity/access-token.ts';
import { fetchJson } from '../../src/identity/issuer-keys.ts';
import { openIdentity, standingOf } from '../../src/identity/open-identity.ts';
import { goodClaims, openSigner } from './signer.ts';

const resource = 'https://tools.example.com/mcp';
let signer: Awaited<ReturnType<typeof openSigner>>;
let other: Awaited<ReturnType<typeof openSigner>>;
beforeAll(async () => {
  signer = await openSigner();
  other = await openSigner();
});
afterAll(async () => {
  await signer.close();
  await other.close();
});

function trustIn(...issuers: NonNullable<Parameters<typeof oauthTrustOf>[0]>['issuers']) {
  const trust = oauthTrustOf({ resource, issuers });
  if (!trust) throw new Error('no trust');
  return trust;
}

const tokensOf = (now = Date.now) => createAccessTokens(trustIn(signer.issuer), { now });
const good = () => goodClaims(signer.issuer, resource);

function without(claim: string): JWTPayload {
  return Object.fromEntries(Object.entries(good()).filter(([name]) => name !== claim));
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

test('a good token is known', async () => {
  expect(await tokensOf().verify(await signer.sign(good()))).toMatchObject({
    kind: 'good',
    claims: { sub: 'alice' },
  });
  const several = await signer.sign({ ...good(), aud: ['https://else.example', resource] });
  expect(await tokensOf().verify(several)).toMatchObject({ kind: 'good' });
});

const now = () => Math.floor(Date.now() / 1000);

test.each<[string, () => JWTPayload]>([
  ['for another audience', () => ({ ...good(), aud: 'https://tools.example.com/other' })],
  ['for an address that only begins like ours', () => ({ ...good(), aud: `${resource}/` })],
  ['without an audience', () => without('aud')],
  ['of another issuer by name', () => ({ ...good(), iss: other.issuer })],
  ['of an issuer nobody trusts', () => ({ ...good(), iss: 'https://evil.example' })],
  ['of an issuer with a slash more', () => ({ ...good(), iss: `${signer.issuer}/` })],
  ['without an issuer', () => without('iss')],
  ['that never ends', () => without('exp')],
  ['that is not valid yet', () => ({ ...good(), nbf: now() + 120 })],
  ['that was made in the future', () => ({ ...good(), iat: now() + 120 })],
  ['that is bound to a key', () => ({ ...good(), cnf: { jkt: 'x' } })],
])('a token %s proves nothing', async (_which, claims) => {
  expect(await tokensOf().verify(await signer.sign(claims()))).toMatchObject({ kind: 'bad' });
});

test('whoever sent a token is told what is wrong with it', async () => {
  const problemOf = async (claims: JWTPayload) => {
    const found = await tokensOf().verify(await signer.sign(claims));
    return found.kind === 'good' ? '' : found.problem;
  };
  expect(await problemOf({ ...good(), aud: 'https://else.example' })).toContain('another audience');
  expect(await problemOf({ ...good(), iss: 'https://else.example' })).toContain('not trusted');
  expect(await problemOf({ ...good(), exp: 1 })).toContain('over');
  expect(await problemOf({ ...good(), nbf: now() + 999 })).toContain('claim');
});

test('a token ends, with half a minute for clocks that differ', async () => {
  const token = await signer.sign({ ...good(), exp: now() + 60 });
  const start = Date.now();
  const at = (ms: number) => tokensOf(() => start + ms).verify(token);
  expect(await at(0)).toMatchObject({ kind: 'good' });
  expect(await at(80_000)).toMatchObject({ kind: 'good' });
  expect(await at(100_000)).toMatchObject({ kind: 'expired' });
  const early = await signer.sign({ ...good(), nbf: now() + 20, iat: now() + 20 });
  expect(await tokensOf().verify(early)).toMatchObject({ kind: 'good' });
});

test('alg none, HMAC under the public key, and keys that the token brings along prove nothing', async () => {
  const claims = encode(good());
  const pem = await exportSPKI(signer.pair.publicKey);
  const hmac = (header: object, secret: string) => {
    const head = `${encode(header)}.${claims}`;
    return `${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`;
  };
  const mine = await generateKeyPair('RS256', { extractable: true });
  const jwk = await exportJWK(mine.publicKey);
  const forged = [
    `${encode({ alg: 'none', typ: 'at+jwt' })}.${claims}.`,
    `${encode({ alg: 'NONE', typ: 'at+jwt', kid: 'one' })}.${claims}.AA`,
    hmac({ alg: 'HS256', typ: 'at+jwt', kid: 'one' }, pem),
    hmac({ alg: 'HS256', typ: 'at+jwt', kid: 'one' }, JSON.stringify(signer.state.keys[0])),
    await signer.sign(good(), {}, mine.privateKey),
    await signer.sign(good(), { jwk }, mine.privateKey),
    await signer.sign(good(), { jku: `${other.issuer}/jwks` }, other.pair.privateKey),
    await signer.sign(good(), { x5u: `${other.issuer}/jwks` }, other.pair.privateKey),
    // Another trusted issuer's key under the same name.
    await other.sign(good()),
  ];
  const both = createAccessTokens(
    trustIn({ issuer: signer.issuer, name: 'a' }, { issuer: other.issuer, name: 'b' }),
    {
      now: Date.now,
    },
  );
  for (const token of forged) expect(await both.verify(token), token).toMatchObject({ kind: 'bad' });
  expect(other.requests.filter((url) => url === '/jwks')).toEqual([]);
});

test('a critical extension that nobody knows is not passed over', async () => {
  const head = `${encode({ alg: 'RS256', kid: 'one', typ: 'at+jwt', crit: ['exp2'], exp2: 1 })}.${encode(good())}`;
  const { createSign } = await import('node:crypto');
  const { KeyObject } = await import('node:crypto');
  const signature = createSign('RSA-SHA256')
    .update(head)
    .sign(KeyObject.from(signer.pair.privateKey), 'base64url');
  expect(await tokensOf().verify(`${head}.${signature}`)).toMatchObject({ kind: 'bad' });
});

test.each<[string, object, string | undefined, boolean]>([
  ['an access token by its type', {}, 'application/at+jwt', true],
  ['one whose issuer marks it only as a JWT', {}, 'JWT', true],
  ['one without a type', {}, undefined, true],
  ['an ID token', { scope: undefined }, 'JWT', false],
  ['an ID token with a nonce', { nonce: 'n' }, 'JWT', false],
  ['an ID token with a hash of the access token', { at_hash: 'h' }, undefined, false],
  ['a logout token', {}, 'logout+jwt', false],
  ['a proof of possession', {}, 'dpop+jwt', false],
])('%s: %j %s', async (_what, claims, typ, isGood) => {
  const token = await signer.sign({ ...good(), ...claims }, { typ: typ as string });
  expect((await tokensOf().verify(token)).kind).toBe(isGood ? 'good' : 'bad');
});

test('of a claim that is listed twice the signed bytes decide, and it is one', async () => {
  const head = encode({ alg: 'RS256', kid: 'one', typ: 'at+jwt' });
  const body = JSON.stringify(good()).replace('{', '{"aud":"https://evil.example","sub":"mallory",');
  const { createSign, KeyObject } = await import('node:crypto');
  const text = `${head}.${Buffer.from(body).toString('base64url')}`;
  const signature = createSign('RSA-SHA256')
    .update(text)
    .sign(KeyObject.from(signer.pair.privateKey), 'base64url');
  const found = await tokensOf().verify(`${text}.${signature}`);
  expect(found).toMatchObject({ kind: 'good', claims: { sub: 'alice', aud: resource } });
});

test('nothing that is not a token of ours reaches the issuer or throws', async () => {
  const tokens = tokensOf();
  const before = signer.requests.length;
  const words = fc.string({ unit: 'grapheme', maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        words,
        fc.tuple(words, words, words).map((parts) => parts.map(encode).join('.')),
      ),
      async (token) => {
        expect(await tokens.verify(token)).toMatchObject({ kind: 'bad' });
      },
    ),
    { seed: 7, numRuns: 300 },
  );
  const huge = `${encode({ alg: 'RS256' })}.${'A'.repeat(1024 * 1024)}.AA`;
  expect(await tokens.verify(huge)).toMatchObject({ kind: 'bad' });
  expect(signer.requests.length).toBe(before);
});

test('a flood of made-up key names asks the issuer once, and a new key is found', async () => {
  const local = await openSigner();
  try {
    let at = Date.now();
    const tokens = createAccessTokens(trustIn(local.issuer), { now: () => at });
    const claims = goodClaims(local.issuer, resource);
    const asked = () => local.requests.filter((url) => url === '/jwks').length;
    expect(await tokens.verify(await local.sign(claims))).toMatchObject({ kind: 'good' });
    expect(asked()).toBe(1);
    const strange = await Promise.all(
      Array.from({ length: 50 }, (_, index) => local.sign(claims, { kid: `strange-${index}` })),
    );
    for (const token of strange) expect(await tokens.verify(token)).toMatchObject({ kind: 'bad' });
    expect(asked()).toBe(1);
    at += 31_000;
    await Promise.all(strange.map((token) => tokens.verify(token)));
    expect(asked()).toBe(2);

    const next = await generateKeyPair('ES256', { extractable: true });
    local.state.keys = [{ ...(await exportJWK(next.publicKey)), kid: 'two', alg: 'ES256', use: 'sig' }];
    const rotated = await local.sign(claims, { alg: 'ES256', kid: 'two' }, next.privateKey);
    expect(await tokens.verify(rotated)).toMatchObject({ kind: 'bad' });
    at += 31_000;
    expect(await tokens.verify(rotated)).toMatchObject({ kind: 'good' });
    // The old key was taken back.
    expect(await tokens.verify(await local.sign(claims))).toMatchObject({ kind: 'bad' });
  } finally {
    await local.close();
  }
});

test('while the issuer is down the keys at hand go on for an hour, and then nothing can be said', async () => {
  const local = await openSigner();
  try {
    let at = Date.now();
    const faults: string[] = [];
    const onFault = (error: unknown) => void faults.push((error as Error).message);
    const tokens = createAccessTokens(trustIn(local.issuer), { now: () => at, onFault });
    const claims = { ...goodClaims(local.issuer, resource), exp: Math.floor(at / 1000) + 86_400 };
    const token = await local.sign(claims);
    expect(await tokens.verify(token)).toMatchObject({ kind: 'good' });
    local.state.isDown = true;
    at += 50 * 60_000;
    expect(await tokens.verify(token)).toMatchObject({ kind: 'good' });
    at += 11 * 60_000;
    expect(await tokens.verify(token)).toMatchObject({ kind: 'unverifiable' });
    const asked = local.requests.length;
    for (let times = 0; times < 20; times++)
      expect(await tokens.verify(token)).toMatchObject({ kind: 'unverifiable' });
    expect(local.requests.length).toBe(asked);
    // The operator hears of it, once for each time that the issuer was asked.
    expect(faults).toHaveLength(2);
    expect(faults[0]).toContain(`The keys of ${local.issuer} cannot be had`);
    expect(faults[0]).toContain('503');
    local.state.isDown = false;
    at += 31_000;
    expect(await tokens.verify(token)).toMatchObject({ kind: 'good' });
  } finally {
    await local.close();
  }
});

test.each([
  ['speaks for another', { issuer: 'https://evil.example' }],
  ['has its keys behind plain http', { jwks_uri: 'http://10.0.0.1/jwks' }],
  ['has its keys in a file', { jwks_uri: 'file:///etc/passwd' }],
  ['has no keys', { jwks_uri: undefined }],
])('metadata that %s gives no keys', async (_how, metadata) => {
  const local = await openSigner();
  try {
    local.state.metadata = metadata;
    const tokens = createAccessTokens(trustIn(local.issuer), { now: Date.now });
    const token = await local.sign(goodClaims(local.issuer, resource));
    expect(await tokens.verify(token)).toMatchObject({ kind: 'unverifiable' });
  } finally {
    await local.close();
  }
});

test('a token that names no key was made by one of those that fit', async () => {
  const local = await openSigner();
  try {
    const more = await generateKeyPair('RS256', { extractable: true });
    const strange = await generateKeyPair('RS256', { extractable: true });
    local.state.keys.unshift({ ...(await exportJWK(more.publicKey)), kid: 'two', alg: 'RS256', use: 'sig' });
    const tokens = createAccessTokens(trustIn(local.issuer), { now: Date.now });
    const claims = goodClaims(local.issuer, resource);
    const bare = { kid: undefined } as unknown as { kid: string };
    const keys = [local.pair.privateKey, more.privateKey, strange.privateKey];
    const found = await Promise.all(
      keys.map(async (key) => (await tokens.verify(await local.sign(claims, bare, key))).kind),
    );
    expect(found).toEqual(['good', 'good', 'bad']);
  } finally {
    await local.close();
  }
});

test('a secret that was published among the keys signs nothing', async () => {
  const local = await openSigner();
  try {
    local.state.keys = [{ kty: 'oct', k: Buffer.from('a secret').toString('base64url'), kid: 'one' }];
    const tokens = createAccessTokens(trustIn(local.issuer), { now: Date.now });
    const token = await local.sign(
      goodClaims(local.issuer, resource),
      { alg: 'HS256' },
      Buffer.from('a secret'.padEnd(32)),
    );
    expect(await tokens.verify(token)).toMatchObject({ kind: 'bad' });
  } finally {
    await local.close();
  }
});

test('a redirect of the issuer is not followed, and an answer without end is cut', async () => {
  const { createServer } = await import('node:http');
  const { listen } = await import('../support/issuer.ts');
  const server = createServer((request, response) => {
    if (request.url === '/away') return void response.writeHead(302, { location: signer.issuer }).end();
    response.writeHead(200);
    const flood = () => {
      while (response.write(Buffer.alloc(65_536, ' ')));
    };
    response.on('drain', flood).on('error', () => {});
    flood();
  });
  const origin = await listen(server);
  try {
    await expect(fetchJson(`${origin}/away`)).rejects.toThrow();
    await expect(fetchJson(`${origin}/endless`)).rejects.toThrow('too much');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

const issuerOf = (more: object = {}) => {
  const [first] = trustIn({ issuer: 'https://login.example', ...more }).issuers;
  if (!first) throw new Error('no issuer');
  return first;
};

test('users are named with their issuer, so that nobody is taken for somebody else', () => {
  const claims = { sub: 'alice', scope: '' };
  expect(standingOf(issuerOf(), claims)?.principal).toBe('user:login.example/alice');
  expect(standingOf(issuerOf({ name: 'corp' }), claims)?.principal).toBe('user:corp/alice');
  // Whatever the subject is, it cannot leave its issuer: neither name has a slash.
  expect(standingOf(issuerOf({ name: 'a' }), { sub: 'b/alice' })?.principal).toBe('user:a/b/alice');
  for (const sub of [
    undefined,
    7,
    '',
    ' ',
    'a b',
    'ü',
    'x'.repeat(256),
    '\u0000',
    ['alice'],
    { toString: 'x' },
  ]) {
    expect(standingOf(issuerOf(), { sub } as JWTPayload)).toBeUndefined();
  }
});

test.each<[string, unknown, string | undefined]>([
  ['a word', 'ops', 'operator'],
  ['a list', ['x', 'ops'], 'operator'],
  ['the first of the map, not of the token', ['dev', 'ops'], 'operator'],
  ['nothing', undefined, undefined],
  ['a number', 7, undefined],
  ['an object', { ops: true }, undefined],
  ['a list in a list', [['ops']], undefined],
  ['words in one', 'ops dev', undefined],
  ['a name of every object', '__proto__', undefined],
])('roles as %s', (_shape, groups, role) => {
  const issuer = issuerOf({ roles: { claim: 'realm.groups', map: { ops: 'operator', dev: 'developer' } } });
  expect(standingOf(issuer, { sub: 'a', realm: { groups } })?.role).toBe(role);
  const flat = issuerOf({
    roles: { claim: 'https://x.example/groups', map: { ops: 'operator', dev: 'developer' } },
  });
  expect(standingOf(flat, { sub: 'a', 'https://x.example/groups': groups })?.role).toBe(role);
});

test.each<[unknown, readonly string[]]>([
  ['tools:read', ['tools:read']],
  ['openid tools:write', ['tools:read', 'tools:write']],
  ['admin', ['tools:read', 'tools:write', 'admin']],
  [['tools:read'], ['tools:read']],
  ['tools:readx TOOLS:READ', []],
  [7, []],
  [null, []],
  [{ 'tools:read': true }, []],
])('scope %j allows %j', (scope, allowed) => {
  expect(standingOf(issuerOf(), { sub: 'a', scope } as JWTPayload)?.scopes).toEqual(allowed);
  if (scope !== null)
    expect(standingOf(issuerOf(), { sub: 'a', scp: scope } as JWTPayload)?.scopes).toEqual(allowed);
});

test('scopes can have other names, and be given to all', () => {
  const issuer = issuerOf({ scopes: { 'tools:write': 'api://x/write' }, defaultScopes: ['tools:read'] });
  expect(standingOf(issuer, { sub: 'a' })?.scopes).toEqual(['tools:read']);
  expect(standingOf(issuer, { sub: 'a', scope: 'tools:write' })?.scopes).toEqual(['tools:read']);
  expect(standingOf(issuer, { sub: 'a', scope: 'api://x/write' })?.scopes).toEqual([
    'tools:read',
    'tools:write',
  ]);
});

test('the operator can ask whether each issuer has keys', async () => {
  const tokens = createAccessTokens(trustIn(signer.issuer, { issuer: 'http://127.0.0.1:9', name: 'gone' }), {
    now: Date.now,
  });
  const [there, gone] = await tokens.examine();
  expect(there).toMatchObject({ keys: 1, issuer: signer.issuer });
  expect(gone).toMatchObject({
    name: 'gone',
    keys: 0,
    problem: expect.stringContaining('http://127.0.0.1:9'),
  });
});

test('a token is looked at again after a minute, and at its end', async () => {
  let at = Date.now();
  const local = await openSigner();
  try {
    const identity = openIdentity(trustIn({ issuer: local.issuer, name: 'x' }), { now: () => at });
    const token = await local.sign({
      ...goodClaims(local.issuer, resource),
      exp: Math.floor(at / 1000) + 90,
    });
    expect(await identity.identify(token)).toMatchObject({ standing: { principal: 'user:x/alice' } });
    expect(await identity.identify('skt_something')).toBeUndefined();
    at += 130_000;
    expect(await identity.identify(token)).toMatchObject({ kind: 'expired' });
  } finally {
    await local.close();
  }
});

test.each<[string, Parameters<typeof oauthTrustOf>[0], string]>([
  [
    'plain http',
    { resource: 'http://tools.example/mcp', issuers: ['https://a.example'] },
    'http.oauth.resource',
  ],
  ['a fragment', { resource: `${resource}#x`, issuers: ['https://a.example'] }, 'http.oauth.resource'],
  ['an issuer over http', { resource, issuers: ['http://a.example'] }, 'issuers.0.issuer'],
  ['a query', { resource, issuers: ['https://a.example?x=1'] }, 'issuers.0.issuer'],
  [
    'one issuer twice',
    { resource, issuers: ['https://a.example', { issuer: 'https://a.example', name: 'b' }] },
    'twice',
  ],
  ['two with one name', { resource, issuers: ['https://a.example/x', 'https://a.example/y'] }, 'both named'],
  [
    'a name with a slash',
    { resource, issuers: [{ issuer: 'https://a.example', name: 'a/b' }] },
    'issuers.0.name',
  ],
  [
    'a scope of two words',
    { resource, issuers: [{ issuer: 'https://a.example', scopes: { admin: 'a b' } }] },
    'one scope',
  ],
  [
    'two scopes with one name',
    { resource, issuers: [{ issuer: 'https://a.example', scopes: { admin: 'x', 'tools:read': 'x' } }] },
    'the same name',
  ],
])('the configuration refuses %s, naming the key', (_what, config, words) => {
  expect(() => oauthTrustOf(config)).toThrow(words);
});
