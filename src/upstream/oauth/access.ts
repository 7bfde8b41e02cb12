import type { OAuthTokens } from '@modelcontextprotocol/client';
import { ToolError } from '../../contract/error.ts';
import type { HttpStart, OauthSettings } from '../../contract/upstream.ts';
import { sharing } from '../../ground/waiting/sharing.ts';
import { findAuthorizationServer } from './discovery.ts';
import { asLoginFailure, loginFailed } from './errors.ts';
import type { OauthFetch } from './fetch.ts';
import type { StoredTokens, TokenFile } from './token-file.ts';

/** Access tokens for one server. */
export interface Access {
  /** A token that should be valid now; undefined without a login. */
  token(): Promise<string | undefined>;
  /** Replaces a refused token; undefined if a person must log in again. */
  renew(refused: string): Promise<string | undefined>;
  /** The server asked for a larger scope than the login has; the next login will request it. */
  wants(scope: string): void;
  /** Changes whenever a person logs in or out. */
  stamp(): string;
}

/** A token is renewed this long before it expires, because it must reach the server in time. */
const marginMs = 30_000;

/** The time of renewal; a short-lived token is used for half its life. */
function renewalAt(nowMs: number, lifeMs: number): number {
  return nowMs + lifeMs - Math.min(marginMs, lifeMs / 2);
}

/** Tokens of a person's login, from its file; all processes share renewed tokens through it. */
export function createLoginAccess(file: TokenFile, fetch: OauthFetch, now: () => number): Access {
  let renewing: { readonly refused: string; readonly token: Promise<string | undefined> } | undefined;

  function renew(refused: string): Promise<string | undefined> {
    if (renewing?.refused === refused) return renewing.token;
    const token = file
      .lock(() => exchange(refused))
      .finally(() => {
        if (renewing?.token === token) renewing = undefined;
      });
    renewing = { refused, token };
    return token;
  }

  async function exchange(refused: string): Promise<string | undefined> {
    const grant = file.read();
    if (!grant) return undefined;
    // Another process renewed it first.
    if (grant.accessToken !== refused) return grant.accessToken;
    if (grant.refreshToken === undefined) return undefined;
    // The request invalidates the old refresh token, so make sure that the new one can be stored.
    try {
      file.write(grant);
    } catch (error) {
      throw loginFailed('The renewed login could not be saved.', '更新したログインを保存できません。', error);
    }
    let tokens: OAuthTokens;
    try {
      tokens = await refresh(grant, grant.refreshToken, fetch);
    } catch (error) {
      if (!isRefusal(error)) {
        throw loginFailed('The login cannot be renewed now.', '今はログインを更新できません。', error);
      }
      file.remove();
      return undefined;
    }
    file.write(grantWith(grant, tokens, now()));
    return tokens.access_token;
  }

  return {
    async token() {
      const grant = file.read();
      if (!grant || grant.renewAtMs === undefined || grant.renewAtMs > now()) return grant?.accessToken;
      try {
        return await renew(grant.accessToken);
      } catch (error) {
        if ((grant.expiresAtMs ?? 0) > now()) return grant.accessToken;
        throw error;
      }
    },
    renew,
    wants(scope) {
      const grant = file.read();
      if (grant && grant.wantedScope !== scope) file.write({ ...grant, wantedScope: scope });
    },
    stamp: file.stamp,
  };
}

/** Some issuers require the scope, others refuse one that they granted only in part: it is sent if they ask for it. */
async function refresh(grant: StoredTokens, refreshToken: string, fetch: OauthFetch): Promise<OAuthTokens> {
  const { refreshAuthorization } = await import('@modelcontextprotocol/client');
  const { metadata, client, resource, scope } = grant;
  const request = { metadata, clientInformation: client, refreshToken, resource, fetchFn: fetch };
  try {
    return await refreshAuthorization(metadata.issuer, request);
  } catch (error) {
    const wantsScope = /^invalid_(request|scope)$/.test(String(Object(error).code));
    if (!wantsScope || scope === undefined) throw error;
    return await refreshAuthorization(metadata.issuer, { ...request, scope });
  }
}

/** Tokens of a service account (client credentials), kept in memory only. */
export function createAccountAccess(
  start: HttpStart,
  settings: OauthSettings,
  fetch: OauthFetch,
  now: () => number,
): Access {
  let held: { readonly token: string; readonly renewAtMs: number } | undefined;
  const fresh = sharing(async (): Promise<string> => {
    const { metadata, resource, scope } = await findAuthorizationServer(start, settings, fetch);
    const { ClientCredentialsProvider, fetchToken } = await import('@modelcontextprotocol/client');
    const account = new ClientCredentialsProvider({
      clientId: settings.clientId ?? '',
      clientSecret: settings.clientSecret ?? '',
      expectedIssuer: metadata.issuer,
    });
    const wanted = settings.scope ?? scope;
    const tokens = await fetchToken(account, metadata.issuer, {
      metadata,
      resource,
      fetchFn: fetch,
      ...(wanted !== undefined && { scope: wanted }),
    }).catch(
      asLoginFailure(
        'The authorization server gives no token to the configured client.',
        '設定されたクライアントのトークンを取得できません。',
      ),
    );
    assertBearer(tokens);
    held = { token: tokens.access_token, renewAtMs: renewalAt(now(), (tokens.expires_in ?? 3600) * 1000) };
    return held.token;
  });

  return {
    async token() {
      return held && held.renewAtMs > now() ? held.token : await fresh();
    },
    renew: async (refused) => (held && held.token !== refused ? held.token : await fresh()),
    // No login could request it; the operator configures the scope.
    wants() {},
    stamp: () => '',
  };
}

/** The login after a renewal. Fields that the reply omits keep their value. */
export function grantWith<T extends Omit<StoredTokens, 'accessToken'>>(
  before: T,
  tokens: OAuthTokens,
  nowMs: number,
) {
  assertBearer(tokens);
  const { expires_in: seconds } = tokens;
  return {
    ...before,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? before.refreshToken,
    expiresAtMs: seconds === undefined ? undefined : nowMs + seconds * 1000,
    renewAtMs: seconds === undefined ? undefined : renewalAt(nowMs, seconds * 1000),
    scope: tokens.scope ?? before.scope,
  };
}

/** Other types would have to be sent in another way. */
function assertBearer({ token_type }: OAuthTokens): void {
  if (token_type.toLowerCase() === 'bearer') return;
  throw loginFailed('The token is not a bearer token.', 'トークンがベアラートークンではありません。');
}

/** Whether the authorization server ended the login; any other error may be temporary. */
function isRefusal(error: unknown): boolean {
  if (error instanceof ToolError) return false;
  const code = (error as { code?: unknown }).code;
  return code === 'invalid_grant' || code === 'invalid_client' || code === 'unauthorized_client';
}
