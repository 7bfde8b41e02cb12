import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createPublicAddressCheck } from '../../src/network/address.ts';
import { createOauthFetch, type OauthFetch } from '../../src/upstream/oauth/fetch.ts';
import { browse, listen, openIssuer } from '../support/issuer.ts';
import { openGuardedServer } from './guarded-server.ts';
import { logIn, problemOf, serverIn } from './log-in.ts';
import { openWithServers } from './world.ts';

test.each([
  ['another server', 'https://victim.example/mcp'],
  ['another path of its own', 'PATH'],
  ['no address', 'not a url'],
])('metadata that speaks for %s is not believed', async (_of, resource) => {
  await using issuer = await openIssuer();
  await using far = await openGuardedServer(issuer.issuer, {
    metadata: (url) => ({
      resource: resource === 'PATH' ? `${url}/deeper` : resource,
      authorization_servers: [issuer.issuer],
    }),
  });
  await using world = await openWithServers({ far: { url: far.url } });
  await expect(logIn(world)).rejects.toThrow(/another resource|protected resource metadata/);
  expect(issuer.requests).toEqual([]);
});

test('an authorization server that says to be another one is not believed', async () => {
  await using honest = await openIssuer();
  const asked: string[] = [];
  // It hands on the honest one's metadata, so that the code of the one would be redeemed at the other.
  await using far = await openGuardedServer(honest.issuer, {
    metadata: (url) => ({ resource: url, authorization_servers: [mixed] }),
  });
  const server = createServer(async (request, response) => {
    asked.push(request.url ?? '');
    const metadata = await (await fetch(`${honest.issuer}/.well-known/openid-configuration`)).text();
    response.writeHead(200, { 'content-type': 'application/json' }).end(metadata);
  });
  const mixed = await listen(server);
  try {
    await using world = await openWithServers({ far: { url: far.url } });
    await expect(logIn(world)).rejects.toThrow('cannot be used');
    expect(asked.length).toBeGreaterThan(0);
    expect(honest.requests).not.toContain('POST /reg');
  } finally {
    server.close();
  }
});

test('an answer that another authorization server made is not redeemed (mix-up)', async () => {
  await using issuer = await openIssuer();
  await using far = await openGuardedServer(issuer.issuer);
  await using world = await openWithServers({ far: { url: far.url } });
  const change = (back: URL) => {
    back.searchParams.set('iss', 'https://attacker.example');
    return back;
  };
  await expect(logIn(world, { change })).rejects.toThrow('not from the authorization server that was asked');
  const drop = (back: URL) => {
    back.searchParams.delete('iss');
    return back;
  };
  await expect(logIn(world, { change: drop })).rejects.toThrow(
    'not from the authorization server that was asked',
  );
  const refuse = (back: URL) => {
    const iss = back.searchParams.get('iss') ?? '';
    const state = back.searchParams.get('state') ?? '';
    back.search = new URLSearchParams({
      state,
      error: 'access_denied',
      error_description: 'Send money.',
      iss,
    }).toString();
    return back;
  };
  const refused = await logIn(world, { change: refuse }).catch((error: unknown) => error as Error);
  expect(refused).toMatchObject({ message: 'The login was refused.', cause: 'access_denied' });
  const lied = await logIn(world, { change: (back) => change(refuse(back)) }).catch(
    (error: unknown) => error as Error,
  );
  expect((lied as Error).cause).toBeUndefined();
  expect(issuer.requests).not.toContain('POST /token');
  expect(await problemOf(world)).toContain('sekisho server login far');
});

test('an answer without the state neither logs in nor ends the waiting', async () => {
  await using issuer = await openIssuer();
  await using far = await openGuardedServer(issuer.issuer);
  await using world = await openWithServers({ far: { url: far.url } });
  const statuses: number[] = [];
  const { upstreams, server } = await serverIn(world);
  let visit: Promise<unknown> = Promise.resolve();
  await upstreams.logIn(server, {
    show(url) {
      visit = (async () => {
        const back = await browse(url, String(url.searchParams.get('redirect_uri')));
        const forged: URL[] = ['', 'x'.repeat(43), 'ü'].map((state) => {
          const address = new URL(back);
          address.searchParams.set('state', state);
          address.searchParams.set('code', 'forged');
          return address;
        });
        const twice = new URL(back);
        twice.searchParams.append('state', 'another');
        const elsewhere = new URL(back);
        elsewhere.pathname = '/';
        for (const address of [...forged, twice, elsewhere]) statuses.push((await fetch(address)).status);
        const rebound = await get(back, { host: 'attacker.example' });
        statuses.push(rebound, (await fetch(back, { method: 'POST' })).status, (await fetch(back)).status);
      })();
      visit.catch(() => {});
    },
  });
  await visit;
  expect(statuses).toEqual([400, 400, 400, 400, 404, 403, 404, 200]);
  expect(await problemOf(world)).toBe('');
});

test('an address that a person copied out of a browser elsewhere logs in, and no other does', async () => {
  await using issuer = await openIssuer();
  await using far = await openGuardedServer(issuer.issuer);
  await using world = await openWithServers({ far: { url: far.url } });
  const { upstreams, server } = await serverIn(world);
  const taken: boolean[] = [];
  await upstreams.logIn(server, {
    show(url, _issuer, handBack) {
      void browse(url, String(url.searchParams.get('redirect_uri'))).then((back) => {
        const forged = new URL(back);
        forged.searchParams.set('state', 'forged');
        for (const words of ['', 'no address', forged.href, `  ${back.href}\n`]) taken.push(handBack(words));
      });
    },
  });
  expect(taken).toEqual([false, false, false, true]);
  expect(await problemOf(world)).toBe('');
});

test.each([
  ['http://169.254.169.254/latest/meta-data', 'https'],
  ['https://169.254.169.254/latest/meta-data', 'inner address'],
  ['https://10.0.0.1/', 'inner address'],
  ['https://[::ffff:10.0.0.1]/', 'inner address'],
  ['https://[fd00:ec2::254]/', 'inner address'],
  ['https://0x7f.1/', 'inner address'],
  ['https://localhost/', 'inner address'],
  ['https://localhost.localdomain/', 'inner address|ENOTFOUND|EAI_AGAIN'],
  ['http://far.example/', 'https'],
  ['file:///etc/passwd', 'https'],
  ['https://user:pass@far.example/', 'https'],
])('metadata cannot send us to %s', async (address, why) => {
  const guarded = outside();
  await expect(guarded(address)).rejects.toThrow(new RegExp(why));
});

test('a server that the operator reaches on this machine may not send us elsewhere inside', async () => {
  const guarded = createOauthFetch({
    isPublic: createPublicAddressCheck(),
    named: ['http://127.0.0.1:1/mcp'],
  });
  await expect(guarded('http://10.0.0.1/')).rejects.toThrow('https');
  await expect(guarded('https://192.168.0.1/')).rejects.toThrow('inner address');
});

test.each([
  ['challenge', { metadataUrl: () => 'http://169.254.169.254/latest' }],
  ['issuer', { metadata: (url: string) => ({ resource: url, authorization_servers: ['https://10.1.2.3'] }) }],
])('a %s that names an inner address gets no request', async (_where, options) => {
  await using issuer = await openIssuer();
  await using far = await openGuardedServer(issuer.issuer, options);
  await using world = await openWithServers({ far: { url: far.url } });
  await expect(logIn(world)).rejects.toThrow(/could not be fetched|cannot be used/);
});

test('redirects without end, answers without end and no answer at all end', async () => {
  let served = 0;
  await withServer(
    (request, response) => {
      served += 1;
      if (request.url?.startsWith('/huge')) {
        const flood = () => {
          while (response.write(Buffer.alloc(65_536, 'x')));
        };
        response
          .writeHead(200)
          .on('drain', flood)
          .on('error', () => {});
        return flood();
      }
      response.writeHead(302, { location: `/again/${served}` }).end();
    },
    async (origin) => {
      const guarded = createOauthFetch({ isPublic: () => false, named: [origin] });
      await expect(guarded(`${origin}/huge`)).rejects.toThrow('too large');
      const { discoverAuthorizationServerMetadata } = await import('@modelcontextprotocol/client');
      served = 0;
      await discoverAuthorizationServerMetadata(origin, { fetchFn: guarded }).catch(() => {});
      expect(served).toBeLessThan(100);
      const late = guarded(`${origin}/huge`, { signal: AbortSignal.abort() });
      await expect(late).rejects.toThrow();
    },
  );
});

test('an authorization server without PKCE gets no login', async () => {
  await using issuer = await openIssuer({
    before(request, response) {
      if (!request.url?.startsWith('/.well-known/')) return false;
      const at = `http://${request.headers.host}`;
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          issuer: at,
          authorization_endpoint: `${at}/auth`,
          token_endpoint: `${at}/token`,
          registration_endpoint: `${at}/reg`,
          response_types_supported: ['code'],
        }),
      );
      return true;
    },
  });
  await using far = await openGuardedServer(issuer.issuer);
  await using world = await openWithServers({ far: { url: far.url } });
  await expect(logIn(world)).rejects.toThrow('PKCE');
});

test('a client secret goes to the authorization server of the configuration and to no other', async () => {
  await using wanted = await openIssuer();
  const bodies: string[] = [];
  await using other = await openIssuer({
    before(request) {
      bodies.push(`${request.url} ${request.headers.authorization}`);
      return false;
    },
  });
  await using far = await openGuardedServer(other.issuer);
  const oauth = {
    grant: 'client_credentials' as const,
    clientId: 'robot',
    clientSecret: 'a-secret',
    issuer: wanted.issuer,
  };
  await using world = await openWithServers({ far: { url: far.url, oauth } });
  expect(await problemOf(world)).toContain('another authorization server');
  expect(bodies).toEqual([]);
});

test('the token goes to the origin of the server only', async () => {
  const seen: (string | undefined)[] = [];
  const { createAuthorizedFetch } = await import('../../src/upstream/oauth/request.ts');
  const access = { token: async () => 'secret', renew: async () => undefined, wants() {}, stamp: () => '' };
  const authorized = createAuthorizedFetch('far', 'https://far.example/mcp', access, async (_url, init) => {
    seen.push(new Headers(init?.headers).get('authorization') ?? undefined);
    return new Response();
  });
  await authorized('https://far.example/mcp');
  await authorized('https://far.example:8443/mcp');
  await authorized('http://far.example/mcp');
  await authorized('https://far.example.evil/mcp');
  expect(seen).toEqual(['Bearer secret', undefined, undefined, undefined]);
});

function outside(): OauthFetch {
  return createOauthFetch({ isPublic: createPublicAddressCheck(), named: ['https://far.example/mcp'] });
}

async function get(url: URL, headers: Record<string, string>): Promise<number> {
  const { request } = await import('node:http');
  return await new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .once('error', reject)
      .end();
  });
}

async function withServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  work: (origin: string) => Promise<void>,
): Promise<void> {
  const server = createServer(answer);
  try {
    await work(await listen(server));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
