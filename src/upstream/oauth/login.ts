import { randomBytes } from 'node:crypto';
import type {
  AuthorizationServerMetadata,
  validateAuthorizationResponseIssuer as ValidateIssuer,
} from '@modelcontextprotocol/client';
import { ToolError } from '../../contract/error.ts';
import type { HttpStart, LoginOptions, OauthSettings } from '../../contract/upstream.ts';
import { defer } from '../../ground/waiting/defer.ts';
import { grantWith } from './access.ts';
import { openCallback } from './callback.ts';
import { findAuthorizationServer } from './discovery.ts';
import { asLoginFailure, loginFailed } from './errors.ts';
import type { OauthFetch } from './fetch.ts';
import type { StoredTokens, TokenFile } from './token-file.ts';

/** How long to wait for the browser. */
const waitMs = 5 * 60_000;

/** A login: the authorization code flow with PKCE, state, the issuer's check (RFC 9207), and the resource. */
export async function login(
  start: HttpStart,
  settings: OauthSettings,
  file: TokenFile,
  fetch: OauthFetch,
  options: LoginOptions,
): Promise<void> {
  const { metadata, resource, scope: offered } = await findAuthorizationServer(start, settings, fetch);
  assertProofOfCode(metadata);
  const before = file.read();
  assertSameIssuer(settings, before, metadata);
  const sdk = await import('@modelcontextprotocol/client');
  // Keep the granted scope: a server names only what it misses at the moment.
  const asked =
    options.scope ??
    sdk.computeScopeUnion(settings.scope ?? before?.scope ?? offered, before?.wantedScope ?? undefined);
  const scope = withOfflineAccess(asked, metadata);
  const callback = await openCallback(settings.redirectPort ?? 0);
  using _ = defer(() => callback.close());
  const { redirectUrl } = callback;
  const client = await clientFor(metadata, settings, redirectUrl, scope, fetch);
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
  // Awaited below; this only prevents an unhandled rejection if the answer comes sooner.
  answered.catch(() => {});
  options.show(authorizationUrl, metadata.issuer, callback.take);
  const { code, iss } = readAnswer(await answered, metadata, sdk.validateAuthorizationResponseIssuer);
  const tokens = await sdk
    .exchangeAuthorization(metadata.issuer, {
      metadata,
      clientInformation: client,
      authorizationCode: code,
      codeVerifier,
      redirectUri: redirectUrl,
      resource,
      fetchFn: fetch,
      ...(iss !== undefined && { iss }),
    })
    .catch(asLoginFailure('The login could not be completed.', 'ログインを完了できませんでした。'));
  const grant = grantWith({ metadata: keptOf(metadata), client, resource, scope }, tokens, Date.now());
  await file.lock(async () => file.write(grant));
}

/** Checks the issuer before the content (RFC 9207): another server's response is neither used nor shown. */
function readAnswer(
  answer: URLSearchParams,
  metadata: AuthorizationServerMetadata,
  assertIssuer: typeof ValidateIssuer,
): { readonly code: string; readonly iss: string | undefined } {
  const [iss] = answer.getAll('iss');
  try {
    assertIssuer({
      iss,
      expectedIssuer: metadata.issuer,
      issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
    });
  } catch {
    throw loginFailed(
      'The answer is not from the authorization server that was asked.',
      '応答が、要求した認可サーバーのものではありません。',
    );
  }
  const [code, second] = answer.getAll('code');
  if (code && second === undefined && !answer.has('error')) return { code, iss };
  throw loginFailed('The login was refused.', 'ログインが拒否されました。', answer.get('error') ?? 'no code');
}

/** A client id of one authorization server is unknown to another, or belongs to a different client. */
function assertSameIssuer(
  { clientId, issuer }: OauthSettings,
  before: StoredTokens | undefined,
  metadata: AuthorizationServerMetadata,
): void {
  if (clientId === undefined || issuer !== undefined || !before) return;
  if (before.metadata.issuer === metadata.issuer) return;
  throw loginFailed(
    'The server names another authorization server than before. If that is right, say so as oauth.issuer.',
    'サーバーが以前とは異なる認可サーバーを指定しています。正しければ oauth.issuer に設定してください。',
    metadata.issuer,
  );
}

/** Without S256, an intercepted code could be redeemed. */
function assertProofOfCode({ code_challenge_methods_supported: methods }: AuthorizationServerMetadata): void {
  if (methods?.includes('S256')) return;
  throw new ToolError(
    'unavailable',
    'The authorization server does not offer PKCE with S256.',
    '認可サーバーが PKCE (S256) に対応していません。',
  );
}

/** Requested if offered: without it many servers give no refresh token. */
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

function keptOf(metadata: AuthorizationServerMetadata): StoredTokens['metadata'] {
  // Defined in RFC 8414, but missing in the SDK's type for OpenID documents.
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

/** The configured client; else a metadata document, if supported; else one registered now. */
async function clientFor(
  metadata: AuthorizationServerMetadata,
  settings: OauthSettings,
  redirectUrl: string,
  scope: string | undefined,
  fetch: OauthFetch,
): Promise<StoredTokens['client']> {
  if (settings.clientId !== undefined) {
    return { client_id: settings.clientId, client_secret: settings.clientSecret };
  }
  if (settings.clientMetadataUrl !== undefined && metadata.client_id_metadata_document_supported === true) {
    return { client_id: settings.clientMetadataUrl };
  }
  if (metadata.registration_endpoint === undefined) {
    throw loginFailed(
      'The authorization server does not register clients automatically: register one there, and set oauth.clientId.',
      '認可サーバーが動的登録に対応していません。クライアントを登録し、oauth.clientId に設定してください。',
    );
  }
  const { registerClient } = await import('@modelcontextprotocol/client');
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
  }).catch(
    asLoginFailure(
      'The authorization server did not register Sekisho.',
      'クライアントを登録できませんでした。',
    ),
  );
  const { client_id, client_secret, token_endpoint_auth_method } = made;
  return { client_id, client_secret, token_endpoint_auth_method };
}
