import type { AuthorizationServerMetadata } from '@modelcontextprotocol/client';
import { text } from '../../contract/text/text.ts';
import type { OauthSettings } from '../../contract/upstream.ts';
import { loginFailed } from './errors.ts';
import type { OauthFetch } from './fetch.ts';
import type { Grant } from './grant.ts';

/** The configured client; else a metadata document, if supported; else one registered now. */
export async function clientFor(
  metadata: AuthorizationServerMetadata,
  settings: OauthSettings,
  redirectUrl: string,
  scope: string | undefined,
  fetch: OauthFetch,
): Promise<Grant['client']> {
  if (settings.clientId !== undefined) {
    return { client_id: settings.clientId, client_secret: settings.clientSecret };
  }
  if (settings.clientMetadataUrl !== undefined && metadata.client_id_metadata_document_supported === true) {
    return { client_id: settings.clientMetadataUrl };
  }
  if (metadata.registration_endpoint === undefined) {
    throw loginFailed(
      text(
        'The authorization server does not register clients automatically: register one there, and set oauth.clientId.',
        '認可サーバーが動的登録に対応していません。クライアントを登録し、oauth.clientId に設定してください。',
      ),
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
      text('The authorization server did not register Sekisho.', 'クライアントを登録できませんでした。'),
      error,
    );
  }
}
