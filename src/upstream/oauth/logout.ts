import type { OauthFetch } from './fetch.ts';
import type { GrantFile } from './grant.ts';

/** Revokes the login at the authorization server if possible, and deletes it here in any case. */
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
      // The login is deleted here, but its issuer was not reached.
      return 'forgotten';
    }
  });
}
