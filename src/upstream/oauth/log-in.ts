import type { HttpStart, LoginOptions, OauthSettings, ServerSettings } from '../../contract/upstream.ts';
import { type Access, createAccountAccess, createLoginAccess } from './access.ts';
import { loginFailed } from './errors.ts';
import { createOauthFetch, type OauthFetch } from './fetch.ts';
import { login } from './login.ts';
import { openTokenFile, type TokenFile, type TokenLocation } from './token-file.ts';

/** Dependencies of logins on other rooms. */
export interface OauthLocation extends TokenLocation {
  readonly isPublicAddress: (address: string) => boolean;
}

/** The tokens of a server; undefined if it uses none. */
export function accessOf({ name, start }: ServerSettings, place: OauthLocation): Access | undefined {
  if (start.kind !== 'http' || !start.oauth) return undefined;
  const fetch = fetchFor(start, start.oauth, place);
  if (start.oauth.grant === 'client_credentials') {
    return createAccountAccess(start, start.oauth, fetch, Date.now);
  }
  return createLoginAccess(openTokenFile(place, name, start.url), fetch, Date.now);
}

/** Logs a person in at a server. Errors say what they can do. */
export async function logIn(
  { name, start }: ServerSettings,
  place: OauthLocation,
  options: LoginOptions,
): Promise<void> {
  const { http, oauth } = personal({ name, start });
  await login(http, oauth, openTokenFile(place, name, http.url), fetchFor(http, oauth, place), options);
}

export async function logOut(
  { name, start }: ServerSettings,
  place: OauthLocation,
): Promise<'revoked' | 'forgotten' | 'none'> {
  const { http, oauth } = personal({ name, start });
  return await logout(openTokenFile(place, name, http.url), fetchFor(http, oauth, place));
}

function personal({ name, start }: Pick<ServerSettings, 'name' | 'start'>): {
  http: HttpStart;
  oauth: OauthSettings;
} {
  if (start.kind === 'http' && start.oauth?.grant === 'authorization_code') {
    return { http: start, oauth: start.oauth };
  }
  throw loginFailed(
    `Server ${name} has no login: it is not reached by https, has an Authorization header of its own, or uses client credentials.`,
    `サーバー ${name} にはログインがありません。https で接続していない、Authorization ヘッダーが設定済み、またはクライアントクレデンシャルを使用しています。`,
  );
}

function fetchFor(start: HttpStart, { issuer }: OauthSettings, place: OauthLocation) {
  return createOauthFetch({
    isPublic: place.isPublicAddress,
    named: [start.url, ...(issuer === undefined ? [] : [issuer])],
  });
}

/** Revokes the login at the authorization server if possible, and deletes it here in any case. */
async function logout(file: TokenFile, fetch: OauthFetch): Promise<'revoked' | 'forgotten' | 'none'> {
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
      // The login is deleted here, but its issuer was not reached.
      return 'forgotten';
    }
  });
}
