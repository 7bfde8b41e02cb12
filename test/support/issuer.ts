import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';

export interface IssuerOptions {
  /** Seconds that an access token holds. */
  readonly tokenTtl?: number;
  readonly scopes?: string;
  /** Claims of every access token. */
  readonly claims?: (accountId: string | undefined) => Record<string, unknown>;
  readonly account?: string;
  readonly clients?: Configuration['clients'];
  readonly configuration?: Partial<Configuration>;
  readonly features?: Configuration['features'];
  /** The document that describes a client, by its address (client id metadata documents). */
  readonly clientDocuments?: Readonly<Record<string, unknown>>;
  /** Sees each request before the provider does; true: it has answered. */
  readonly before?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** A real OpenID provider on this machine, whose only person agrees to everything. */
export async function openIssuer(options: IssuerOptions = {}) {
  const requests: string[] = [];
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown = () => {};
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url?.split('?')[0]}`);
    if (!options.before?.(request, response)) handle(request, response);
  });
  const issuer = await listen(server);
  const provider = new Provider(issuer, await configurationOf(options));
  const account = options.account ?? 'alice';
  const serve = provider.callback();
  handle = (request, response) =>
    request.url?.startsWith('/interaction/')
      ? void agree(provider, account, request, response).catch(() => response.writeHead(500).end())
      : serve(request, response);

  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  return { issuer, provider, requests, close, [Symbol.asyncDispose]: close };
}

/** Follows an address as a browser does, cookies and all, until it leaves for `until`; that address is the answer. */
export async function browse(start: URL | string, until: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let at = new URL(start);
  for (let steps = 0; steps < 20; steps++) {
    if (at.href.startsWith(until)) return at;
    const response = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${at.href}: ${response.status} ${await response.text()}`);
    at = new URL(location, at);
  }
  throw new Error('too many steps');
}

async function agree(
  provider: Provider,
  accountId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    return await provider.interactionFinished(request, response, { login: { accountId } });
  }
  const owner = session?.accountId ?? accountId;
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const grant = known ?? new provider.Grant({ accountId: owner, clientId: String(params.client_id) });
  const { missingOIDCScope, missingResourceScopes } = prompt.details as {
    missingOIDCScope?: string[];
    missingResourceScopes?: Record<string, string[]>;
  };
  if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '));
  for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {})) {
    grant.addResourceScope(resource, scopes.join(' '));
  }
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

async function configurationOf(options: IssuerOptions): Promise<Configuration> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'first' };
  const { scopes = 'tools:read tools:write admin', tokenTtl = 3600, clientDocuments } = options;
  return {
    clients: options.clients ?? [],
    jwks: { keys: [key] } as NonNullable<Configuration['jwks']>,
    cookies: { keys: ['a secret of this test'] },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    scopes: ['openid', 'offline_access', ...scopes.split(' ')],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    ttl: {
      AccessToken: tokenTtl,
      ClientCredentials: tokenTtl,
      Grant: 3600,
      Interaction: 600,
      RefreshToken: 3600,
      Session: 600,
    },
    extraTokenClaims: (_context, token) =>
      options.claims?.('accountId' in token ? (token.accountId as string) : undefined),
    ...(clientDocuments && {
      fetch: (async (url: string) =>
        Response.json(clientDocuments[url], {
          status: clientDocuments[url] ? 200 : 404,
        })) as unknown as NonNullable<Configuration['fetch']>,
    }),
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => ({
          scope: scopes,
          audience: resource,
          accessTokenTTL: tokenTtl,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
      ...options.features,
    },
    ...options.configuration,
  };
}

/** Listens on a free port of the loopback interface, and says the address. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
