import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import type { HttpStart, OauthSettings } from '../../contract/upstream.ts';
import { isSafeUrl } from '../../ground/secure-url.ts';
import { asLoginFailure, loginFailed } from './errors.ts';
import type { OauthFetch } from './fetch.ts';

/** The authorization server for a login, and the token to request. */
export interface Destination {
  readonly metadata: AuthorizationServerMetadata;
  /** The resource indicator (RFC 8707): the token is valid only there. */
  readonly resource: string;
  /** The scope that the server asks for. */
  readonly scope: string | undefined;
}

/**
 * Follows the server's challenge to its resource metadata (RFC 9728) and authorization server (RFC 8414, or OpenID
 * discovery). Each document must name the address at which it was requested; otherwise the login fails.
 */
export async function findAuthorizationServer(
  { url, headers }: HttpStart,
  settings: OauthSettings,
  fetch: OauthFetch,
): Promise<Destination> {
  const sdk = await import('@modelcontextprotocol/client');
  const challenge = sdk.extractWWWAuthenticateParams(await knock(url, headers, fetch));
  const resource = await resourceMetadata(url, challenge.resourceMetadataUrl, fetch);
  const issuer = chooseIssuer(url, resource?.authorization_servers, settings.issuer);
  const metadata = await sdk
    .discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch })
    .catch(
      asLoginFailure(
        "The authorization server's metadata cannot be used.",
        '認可サーバーのメタデータを利用できません。',
      ),
    );
  if (!metadata) {
    throw loginFailed(
      'The server does not say how to log in. If it takes a key, set it under headers.',
      'ログイン方法が示されていません。サーバーがキーを受け取る場合は headers で指定してください。',
    );
  }
  assertSafe(metadata);
  return {
    metadata,
    resource: resource?.resource ?? sdk.resourceUrlFromServerUrl(url).href,
    scope: challenge.scope ?? resource?.scopes_supported?.join(' '),
  };
}

/** Sends a client's first request. Without a token, the challenge in the reply names the metadata. */
async function knock(url: string, headers: HttpStart['headers'], fetch: OauthFetch): Promise<Response> {
  const hello = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'sekisho', version: '1' },
  };
  return await fetch(url, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello }),
  }).catch(asLoginFailure('The server cannot be reached.', 'サーバーに接続できません。'));
}

async function resourceMetadata(url: string, from: URL | undefined, fetch: OauthFetch) {
  const sdk = await import('@modelcontextprotocol/client');
  const found = await sdk
    .discoverOAuthProtectedResourceMetadata(url, from ? { resourceMetadataUrl: from } : {}, fetch)
    .catch((error: Error) => {
      // Servers of revision 2025-03-26 have no such document: their own origin is the authorization server.
      if (!from && /does not implement/.test(error.message)) return undefined;
      throw loginFailed(
        "The server's protected resource metadata could not be fetched.",
        '保護リソースのメタデータを取得できません。',
        error,
      );
    });
  if (!found) return undefined;
  // Otherwise the server could have us request a token for another resource.
  if (!sdk.checkResourceAllowed({ requestedResource: url, configuredResource: found.resource })) {
    throw loginFailed(
      'The server names another resource than itself.',
      'サーバーが自身とは異なるリソースを示しています。',
      found.resource,
    );
  }
  return found;
}

function chooseIssuer(
  url: string,
  offered: readonly string[] | undefined,
  wanted: string | undefined,
): string {
  const [first] = offered ?? [];
  if (wanted === undefined) return first ?? new URL('/', url).href;
  if (first === undefined) return wanted;
  const chosen = offered?.find((issuer) => bare(issuer) === bare(wanted));
  if (chosen !== undefined) return chosen;
  throw loginFailed(
    'The server trusts another authorization server than the one of the configuration.',
    'サーバーが設定とは異なる認可サーバーを指定しています。',
    first,
  );
}

function bare(issuer: string): string {
  return issuer.replace(/\/$/, '');
}

function assertSafe(metadata: AuthorizationServerMetadata): void {
  const { authorization_endpoint, token_endpoint, registration_endpoint } = metadata;
  for (const address of [authorization_endpoint, token_endpoint, registration_endpoint]) {
    if (address !== undefined && !isSafeUrl(address)) {
      throw loginFailed(
        'An address of the authorization server is not https.',
        '認可サーバーのアドレスが https ではありません。',
        address,
      );
    }
  }
}
