import { readFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { serveHttp } from '../../src/checkpoint/serving.ts';
import type { ConfigFile } from '../../src/config/schema.ts';
import { goodClaims, openSigner } from '../identity/signer.ts';
import { browse, openIssuer } from '../support/issuer.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';
import { openGuardedServer } from '../upstream/guarded-server.ts';
import { logIn, problemOf } from '../upstream/log-in.ts';
import { namesIn, openWithServers, wordsOf } from '../upstream/world.ts';

type Issuers = NonNullable<NonNullable<ConfigFile['http']>['oauth']>['issuers'];

/** A checkpoint over HTTP that trusts these issuers. */
async function openServed(issuers: Issuers, config: ConfigFile = {}) {
  const port = await freePort();
  const resource = `http://127.0.0.1:${port}/mcp`;
  const world = await openTestCheckpoint({
    files: { 'a.md': 'hello\n' },
    config: {
      toolsets: ['agent-cli'],
      mode: 'full-access',
      ...config,
      http: { ...config.http, oauth: { resource, issuers } },
    },
  });
  const service = await serveHttp(world.checkpoint, { port, metrics: () => 'calls 1\n' });
  async function close(): Promise<void> {
    await service.close();
    await world.close();
  }
  return { ...world, resource, origin: new URL(resource).origin, close, [Symbol.asyncDispose]: close };
}

type Served = Awaited<ReturnType<typeof openServed>>;

const redirectUrl = 'http://127.0.0.1:9/callback';

/** Registered beforehand: one that registers itself for some scopes may be held to these. */
const app = {
  client_id: 'app',
  redirect_uris: [redirectUrl],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code' as const],
  token_endpoint_auth_method: 'none' as const,
  application_type: 'native' as const,
};

/** The client's side of a login, with the browser played through. */
function createPerson() {
  let redirected: URL | undefined;
  let verifier = '';
  let tokens: Awaited<ReturnType<OAuthClientProvider['tokens']>>;
  const scopesAsked: (string | null)[] = [];
  let discovered: Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>;
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { redirect_uris: [redirectUrl] },
    clientInformation: () => ({ client_id: app.client_id }),
    tokens: () => tokens,
    saveTokens: (saved) => {
      tokens = saved;
    },
    redirectToAuthorization: (url) => {
      redirected = url;
      scopesAsked.push(url.searchParams.get('scope'));
    },
    saveCodeVerifier: (code) => {
      verifier = code;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (state) => {
      discovered = state;
    },
    discoveryState: () => discovered,
  };
  async function agree(transport: StreamableHTTPClientTransport): Promise<void> {
    if (!redirected) throw new Error('nobody was asked');
    const back = await browse(redirected, redirectUrl);
    redirected = undefined;
    await transport.finishAuth(back.searchParams);
  }
  return { provider, agree, scopesAsked, token: () => tokens?.access_token ?? '' };
}

test.each([
  ['2025-11-25', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
] as const)(
  'a client of %s logs in, reads, is told what writing needs, and steps up',
  async (_revision, mode) => {
    await using issuer = await openIssuer({ clients: [app], claims: () => ({ groups: ['ops'] }) });
    await using served = await openServed([
      { issuer: issuer.issuer, name: 'corp', roles: { claim: 'groups', map: { ops: 'operator' } } },
    ]);
    const person = createPerson();
    const open = () => {
      const transport = new StreamableHTTPClientTransport(new URL(served.resource), {
        authProvider: person.provider,
      });
      return {
        transport,
        client: new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } }),
      };
    };
    const first = open();
    await expect(first.client.connect(first.transport)).rejects.toThrow(UnauthorizedError);
    await person.agree(first.transport);
    const { client, transport } = open();
    await client.connect(transport);
    expect(person.scopesAsked[0]).toBe('tools:read');

    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['file_read', 'file_write']));
    const read = await client.callTool({ name: 'file_read', arguments: { path: 'a.md' } });
    expect(read.isError ?? false).toBe(false);

    const session = transport.sessionId;
    const write = () =>
      client.callTool({ name: 'file_write', arguments: { path: 'b.md', content: 'new\n' } });
    await expect(write()).rejects.toThrow(UnauthorizedError);
    expect(person.scopesAsked[1]?.split(' ').sort()).toEqual(['tools:read', 'tools:write']);
    await person.agree(transport);
    expect((await write()).isError ?? false).toBe(false);
    // The token is another; the session of an older client goes on.
    expect(transport.sessionId).toBe(session);
    await client.close();

    const { audit } = await served.checkpoint.store();
    const entries = await audit.search({ limit: 20 });
    const told = entries.map(({ principal, tool, outcome, code }) => [principal, tool, outcome, code ?? '']);
    expect(told).toContainEqual(['user:corp/alice', 'file_write', 'error', 'forbidden']);
    expect(told).toContainEqual(['user:corp/alice', 'file_write', 'ok', '']);
    expect(JSON.stringify(entries)).not.toContain(person.token().slice(0, 40));
  },
);

test('the server describes itself, and a refusal says where', async () => {
  await using issuer = await openIssuer();
  await using served = await openServed([issuer.issuer]);
  const expected = {
    resource: served.resource,
    authorization_servers: [issuer.issuer],
    scopes_supported: ['tools:read', 'tools:write'],
    bearer_methods_supported: ['header'],
    resource_name: 'Sekisho',
  };
  for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
    expect(await (await fetch(`${served.origin}${path}`)).json()).toEqual(expected);
  }
  expect((await fetch(`${served.origin}/.well-known/oauth-protected-resource/else`)).status).toBe(404);
  const bare = await post(served, undefined);
  expect(bare.status).toBe(401);
  expect(bare.challenge).toBe(
    `Bearer scope="tools:read", resource_metadata="${served.origin}/.well-known/oauth-protected-resource/mcp"`,
  );
  const bad = await post(served, 'Bearer eyJhbGciOiJub25lIn0.e30.');
  expect(bad).toMatchObject({ status: 401, challenge: expect.stringContaining('error="invalid_token"') });
});

test.each([
  ['of another resource', (served: Served) => ({ aud: `${served.origin}/else` })],
  ['that is over', () => ({ exp: 1 })],
])('a token %s is refused at the gateway, and the call is not made', async (_which, change) => {
  await using signer = await openSigner();
  await using served = await openServed([signer.issuer]);
  const token = await signer.sign({ ...goodClaims(signer.issuer, served.resource), ...change(served) });
  expect(await post(served, `Bearer ${token}`)).toMatchObject({
    status: 401,
    challenge: expect.stringContaining('error="invalid_token", error_description="The token is '),
  });
});

test('a token counts in one Authorization header, and nowhere else', async () => {
  await using signer = await openSigner();
  await using served = await openServed([signer.issuer]);
  const token = await signer.sign(goodClaims(signer.issuer, served.resource));
  expect((await post(served, `Bearer ${token}`)).status).toBe(200);
  expect((await post(served, undefined, `?access_token=${token}`)).status).toBe(401);
  expect((await post(served, [`Bearer ${token}`, `Bearer ${token}`])).status).toBe(401);
  expect((await post(served, ['Basic eDp5', `Bearer ${token}`])).status).toBe(401);
  expect(
    (await post(served, `Bearer ${'A'.repeat(1024 * 1024)}`).catch(() => ({ status: 431 }))).status,
  ).toBe(431);
});

test('our own tokens go on beside those of an issuer, and meet nobody of theirs', async () => {
  await using signer = await openSigner();
  await using served = await openServed([{ issuer: signer.issuer, name: 'corp' }]);
  const { tokens } = await served.checkpoint.store();
  const own = await tokens.create({ user: 'alice' });
  const foreign = await signer.sign(goodClaims(signer.issuer, served.resource));
  expect((await post(served, `Bearer ${own.token}`)).status).toBe(200);
  const callers = await Promise.all(
    [own.token, foreign].map((bearer) => served.checkpoint.identify({ transport: 'http', bearer })),
  );
  expect(callers.map(({ principal }) => principal)).toEqual(['user:alice', 'user:corp/alice']);
  expect(new Set(callers.map(({ sessionId }) => sessionId)).size).toBe(2);
});

test('while the issuer does not answer, its tokens are told to come back, and ours go on', async () => {
  await using signer = await openSigner();
  await using served = await openServed([signer.issuer]);
  signer.state.isDown = true;
  const token = await signer.sign(goodClaims(signer.issuer, served.resource));
  const refused = await post(served, `Bearer ${token}`);
  expect(refused).toMatchObject({ status: 503, retryAfter: '30' });
  const { tokens } = await served.checkpoint.store();
  const own = await tokens.create({ user: 'alice' });
  expect((await post(served, `Bearer ${own.token}`)).status).toBe(200);
});

test('a scope has the name that its issuer gave it, and metrics are for admins', async () => {
  await using signer = await openSigner();
  await using served = await openServed([
    { issuer: signer.issuer, scopes: { 'tools:write': 'api://sekisho/write' }, toolsets: ['agent-cli'] },
  ]);
  const claims = goodClaims(signer.issuer, served.resource);
  const token = await signer.sign(claims);
  const call = (bearer: string) =>
    post(served, `Bearer ${bearer}`, '', 'file_write', { path: 'x.md', content: 'x' });
  const refused = await call(token);
  expect(refused.status).toBe(403);
  expect(refused.challenge).toContain('error="insufficient_scope", scope="api://sekisho/write"');
  expect(refused.body).toMatchObject({ id: 1, error: { data: { required_scope: 'api://sekisho/write' } } });
  const writer = await signer.sign({ ...claims, scope: 'api://sekisho/write' });
  expect((await call(writer)).status).toBe(200);

  const metrics = (bearer: string) =>
    fetch(`${served.origin}/metrics`, { headers: { authorization: `Bearer ${bearer}` } });
  const closed = await metrics(writer);
  expect(closed.status).toBe(403);
  expect(closed.headers.get('www-authenticate')).toContain('scope="admin"');
  expect((await metrics(await signer.sign({ ...claims, scope: 'admin' }))).status).toBe(200);
  // A token without any of ours lets its holder in and opens no tool behind it.
  const bare = await signer.sign({ ...claims, scope: 'openid' });
  expect((await post(served, `Bearer ${bare}`, '', 'file_read', { path: 'a.md' })).challenge).toContain(
    'scope="tools:read"',
  );
});

test('a model is asked with a scope that opens tools, or not at all', async () => {
  await using signer = await openSigner();
  await using served = await openServed([{ issuer: signer.issuer, scopes: { 'tools:read': 'read' } }]);
  const claims = goodClaims(signer.issuer, served.resource);
  const ask = async (scope: string) => {
    const response = await fetch(`${served.origin}/ask`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await signer.sign({ ...claims, scope })}`,
        'content-type': 'application/json',
      },
      body: '{"message":"hello"}',
    });
    const { error } = (await response.json()) as { readonly error: { readonly code: string } };
    return { code: error.code, challenge: response.headers.get('www-authenticate') };
  };
  const refused = await ask('openid');
  expect(refused.code).toBe('forbidden');
  expect(refused.challenge).toMatch(
    /^Bearer error="insufficient_scope", scope="read", resource_metadata="http/,
  );
  // None is configured here, which is the next that is looked at.
  expect(await ask('read')).toEqual({ code: 'unavailable', challenge: null });
});

test('a session of an older client is its holder’s: another user with the same issuer does not find it', async () => {
  await using signer = await openSigner();
  await using served = await openServed([signer.issuer]);
  const claims = goodClaims(signer.issuer, served.resource);
  const hello = await initialize(served, await signer.sign(claims));
  const again = await signer.sign({ ...claims, jti: 'another' });
  const mallory = await signer.sign({ ...claims, sub: 'mallory' });
  const otherApp = await signer.sign({ ...claims, client_id: 'other' });
  const use = async (token: string) =>
    (await post(served, `Bearer ${token}`, '', 'file_read', { path: 'a.md' }, hello)).status;
  expect(await use(again)).toBe(200);
  expect(await use(mallory)).toBe(404);
  expect(await use(otherApp)).toBe(404);
});

test('no token of a caller reaches a server behind this one, and the answer to each is its own', async () => {
  await using signer = await openSigner();
  await using issuer = await openIssuer();
  await using far = await openGuardedServer(issuer.issuer);
  await using served = await openServed([{ issuer: signer.issuer, name: 'corp' }], {
    mcpServers: { far: { url: far.url, ask: 'never', roles: ['user:corp/alice'] } },
  });
  await logIn(served);
  expect(await problemOf(served)).toBe('');
  const claims = { ...goodClaims(signer.issuer, served.resource), scope: 'tools:write' };
  const alice = await signer.sign(claims);
  const bob = await signer.sign({ ...claims, sub: 'bob' });
  const reader = await signer.sign({ ...claims, scope: 'tools:read' });
  const say = (token: string) => post(served, `Bearer ${token}`, '', 'far__echo', { text: 'hi' });
  expect(JSON.stringify((await say(alice)).body)).toContain('hi');
  expect(JSON.stringify((await say(bob)).body)).toContain('There is no tool');
  expect((await say(reader)).challenge).toContain('scope="tools:write"');
  expect(far.tokens.length).toBeGreaterThan(0);
  for (const token of [alice, bob, reader]) expect(far.tokens).not.toContain(token);
});

test('one checkpoint logs in at another behind it, and is granted more when more is needed', async () => {
  await using issuer = await openIssuer();
  await using far = await openServed([{ issuer: issuer.issuer, name: 'corp' }]);
  await using world = await openWithServers({ far: { url: far.resource } });
  expect(await problemOf(world)).toContain('sekisho server login far');
  await logIn(world);
  expect(await problemOf(world)).toBe('');
  await namesIn(world);
  const write = async () => wordsOf(await world.call('far__file_write', { path: 'c.md', content: 'far\n' }));
  expect(wordsOf(await world.call('far__file_read', { path: 'a.md' }))).toContain('hello');
  expect(await write()).toMatch(/forbidden: .*sekisho server login far/);
  await logIn(world);
  expect(await write()).not.toContain('forbidden');
  expect(readFileSync(join(far.root, 'c.md'), 'utf8')).toBe('far\n');
});

test('the host of the resource is served, and no other', async () => {
  const world = await openTestCheckpoint({
    config: {
      http: { oauth: { resource: 'https://tools.example.com/mcp', issuers: ['https://login.example.com'] } },
    },
  });
  const service = await serveHttp(world.checkpoint, { port: 0 });
  const url = new URL(`http://127.0.0.1:${service.address.port}/.well-known/oauth-protected-resource/mcp`);
  const ask = (host: string) =>
    new Promise((resolve) => {
      httpRequest(url, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
  expect(await ask('tools.example.com')).toBe(200);
  expect(await ask('evil.example.com')).toBe(403);
  await service.close();
  await world.close();
});

interface Answer {
  readonly status: number;
  readonly challenge: string | undefined;
  readonly retryAfter: string | undefined;
  readonly body: unknown;
}

/** One call as an older client sends it, with exactly these headers. */
function post(
  { resource }: Served,
  authorization: string | string[] | undefined,
  query = '',
  tool = 'file_read',
  input: object = { path: 'a.md' },
  session?: string,
): Promise<Answer> {
  const url = new URL(resource + query);
  const headers = [
    ...[
      'host',
      url.host,
      'content-type',
      'application/json',
      'accept',
      'application/json, text/event-stream',
    ],
    ...['connection', 'close'],
    ...(session === undefined ? [] : ['mcp-session-id', session]),
    ...[authorization ?? []].flat().flatMap((value) => ['authorization', value]),
  ];
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: input } };
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(url, { method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          challenge: response.headers['www-authenticate'],
          retryAfter: response.headers['retry-after'],
          body: text.startsWith('{') ? JSON.parse(text) : text,
        }),
      );
    });
    outgoing.once('error', reject);
    outgoing.end(JSON.stringify(message));
  });
}

async function initialize({ resource }: Served, token: string): Promise<string> {
  const response = await fetch(resource, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    }),
  });
  await response.text();
  return response.headers.get('mcp-session-id') ?? '';
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
