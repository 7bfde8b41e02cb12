import { randomBytes } from 'node:crypto';
import type { AuthorizationServerMetadata, OAuthTokens } from '@modelcontextprotocol/client';
import { ToolError } from '../contract/error.ts';
import type { HttpStart, LoginOptions, OauthSettings } from '../contract/upstream.ts';
import { grantWith } from './oauth-access.ts';
import { openCallback } from './oauth-callback.ts';
import { findAuthorizationServer } from './oauth-discovery.ts';
import { loginFailed } from './oauth-errors.ts';
import type { OauthFetch } from './oauth-fetch.ts';
import type { Grant, GrantFile } from './oauth-grant.ts';

type Client = Grant['client'];

/** How long the address waits for the browser. */
const waitMs = 5 * 60_000;

/**
 * A person's login: the authorization code flow with PKCE, a state, the issuer of the answer held against the one
 * that was asked (RFC 9207), and the server itself as the resource of the token.
 */
export async function login(
  start: HttpStart,
  settings: OauthSettings,
  file: GrantFile,
  fetch: OauthFetch,
  options: LoginOptions,
): Promise<void> {
  const { metadata, resource, scope: offered } = await findAuthorizationServer(start, settings, fetch);
  assertProofOfCode(metadata);
  const before = file.read();
  const asked = options.scope ?? settings.scope ?? before?.wantedScope ?? offered;
  const scope = withOfflineAccess(asked, metadata);
  const callback = await openCallback(settings.redirectPort ?? 0);
  try {
    const { redirectUrl } = callback;
    const client = await clientFor(metadata, settings, redirectUrl, scope, fetch);
    const sdk = await import('@modelcontextprotocol/client');
    const state = randomBytes(32).toString('base64url');
    const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(metadata.issuer, {
      metadata,
      clientInformation: client,
      redirectUrl,
      state,
      resource,
      ...(scope !== undefined && { scope }),
    });
    const signals = [AbortSignal.timeout(waitMs), ...(options.signal ? [options.signal] : [])];
    const answered = callback.answer(state, AbortSignal.any(signals));
    answered.catch(() => {});
    options.show(authorizationUrl, metadata.issuer);
    const { code, iss } = await answered;
    let tokens: OAuthTokens;
    try {
      tokens = await sdk.exchangeAuthorization(metadata.issuer, {
        metadata,
        clientInformation: client,
        authorizationCode: code,
        codeVerifier,
        redirectUri: redirectUrl,
        resource,
        fetchFn: fetch,
        ...(iss !== undefined && { iss }),
      });
    } catch (error) {
      throw loginFailed('The login could not be completed.', 'ログインを完了できませんでした。', error);
    }
    const grant = grantWith({ metadata: keptOf(metadata), client, resource, scope }, tokens, Date.now());
    await file.lock(async () => file.write(grant));
  } finally {
    callback.close();
  }
}

/** Ends the grant at the authorization server where it can be, and forgets it here in any case. */
export async function logout(file: GrantFile, fetch: OauthFetch): Promise<'revoked' | 'forgotten' | 'none'> {
  return await file.lock(async () => {
    const grant = file.read();
    file.remove();
    if (!grant) return 'none';
    const { metadata, client } = grant;
    if (metadata.revocation_endpoint === undefined) return 'forgotten';
    const body = new URLSearchParams({ token: grant.refreshToken ?? grant.accessToken });
    const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' };
    if (client.client_secret === undefined || client.token_endpoint_auth_method === 'client_secret_post') {
      body.set('client_id', client.client_id);
      if (client.client_secret !== undefined) body.set('client_secret', client.client_secret);
    } else {
      headers.authorization = `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}`;
    }
    try {
      const { ok } = await fetch(metadata.revocation_endpoint, {
        method: 'POST',
        headers,
        body: body.toString(),
      });
      return ok ? 'revoked' : 'forgotten';
    } catch {
      return 'forgotten';
    }
  });
}

/** The client of the configuration; else a metadata document, where that is understood; else one registered now. */
async function clientFor(
  metadata: AuthorizationServerMetadata,
  settings: OauthSettings,
  redirectUrl: string,
  scope: string | undefined,
  fetch: OauthFetch,
): Promise<Client> {
  if (settings.clientId !== undefined) {
    return { client_id: settings.clientId, client_secret: settings.clientSecret };
  }
  if (settings.clientMetadataUrl !== undefined && metadata.client_id_metadata_document_supported === true) {
    return { client_id: settings.clientMetadataUrl };
  }
  if (metadata.registration_endpoint === undefined) {
    throw loginFailed(
      'The authorization server registers no clients by itself: register one there, and name it as oauth.clientId.',
      '認可サーバーが動的登録に対応していません。クライアントを登録し、oauth.clientId に設定してください。',
    );
  }
  const { registerClient } = await import('@modelcontextprotocol/client');
  try {
    const made = await registerClient(metadata.issuer, {
      metadata,
      fetchFn: fetch,
      clientMetadata: {
        client_name: 'Sekisho',
        redirect_uris: [redirectUrl],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        ...(scope !== undefined && { scope }),
      },
    });
    const { client_id, client_secret, token_endpoint_auth_method } = made;
    return { client_id, client_secret, token_endpoint_auth_method };
  } catch (error) {
    throw loginFailed(
      'The authorization server did not register us.',
      'クライアントを登録できませんでした。',
      error,
    );
  }
}

/** Without S256 a code that is caught on its way could be redeemed by whoever caught it. */
function assertProofOfCode({ code_challenge_methods_supported: methods }: AuthorizationServerMetadata): void {
  if (methods?.includes('S256')) return;
  throw new ToolError('unavailable', {
    en: 'The authorization server does not offer PKCE with S256.',
    ja: '認可サーバーが PKCE (S256) に対応していません。',
  });
}

/** Asked for where it is offered: without it many servers give no refresh token. */
function withOfflineAccess(
  scope: string | undefined,
  metadata: AuthorizationServerMetadata,
): string | undefined {
  const words = (scope ?? '').split(' ').filter((word) => word !== '');
  if (!metadata.scopes_supported?.includes('offline_access') || words.includes('offline_access')) {
    return words.length === 0 ? undefined : words.join(' ');
  }
  return [...words, 'offline_access'].join(' ');
}

function keptOf(metadata: AuthorizationServerMetadata): Grant['metadata'] {
  // RFC 8414 has it, and the SDK's type for OpenID's documents leaves it out.
  const { revocation_endpoint } = metadata as { readonly revocation_endpoint?: string };
  return {
    issuer: metadata.issuer,
    authorization_endpoint: metadata.authorization_endpoint,
    token_endpoint: metadata.token_endpoint,
    revocation_endpoint,
    response_types_supported: metadata.response_types_supported,
    token_endpoint_auth_methods_supported: metadata.token_endpoint_auth_methods_supported,
  };
}
