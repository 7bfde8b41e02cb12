import * as z from 'zod';
import { badValue, ConfigError } from '../../contract/error.ts';
import type { OauthSettings } from '../../contract/upstream.ts';
import { secretsIn } from '../../ground/secrets/named.ts';
import { isSecureUrl } from '../../ground/secure-url.ts';

const nonEmpty = z.string().min(1);

/** How to get tokens for a server. `false`: never, whatever it asks for. */
export const oauthSchema = z.union([
  z.literal(false),
  z.strictObject({
    issuer: nonEmpty.optional(),
    clientId: nonEmpty.optional(),
    clientSecret: nonEmpty.optional(),
    scope: nonEmpty.optional(),
    grant: z.enum(['authorization_code', 'client_credentials']).optional(),
    clientMetadataUrl: nonEmpty.optional(),
    redirectPort: z.int().min(1).max(65_535).optional(),
  }),
]);

/** How to get tokens for the server at `url`: by a login if that address is safe. Throws `ConfigError`. */
export function oauthOf(
  at: string,
  config: z.output<typeof oauthSchema> | undefined,
  url: string,
  headers: Readonly<Record<string, string>>,
  fill: (words: string, key: string) => string,
): OauthSettings | undefined {
  const hasToken =
    Object.keys(headers).some((name) => name.toLowerCase() === 'authorization') ||
    secretsIn(headers).length > 0;
  const isSecure = isSecureUrl(new URL(url));
  if (config === false) return undefined;
  if (config === undefined) return hasToken || !isSecure ? undefined : { grant: 'authorization_code' };
  if (hasToken)
    throw new ConfigError(
      `${at} has both oauth and an Authorization header or a secret; leave one out.`,
      `${at} に oauth と、Authorization ヘッダーまたはシークレットの両方があります。どちらかを消してください。`,
    );
  if (!isSecure)
    throw new ConfigError(
      `${at}.oauth needs a url with https://, or one on this machine.`,
      `${at}.oauth を使うには、url が https:// で始まるか、このマシンのアドレスでなければなりません。`,
    );
  const filled = (key: 'issuer' | 'clientId' | 'clientSecret') =>
    config[key] === undefined ? undefined : fill(config[key], `oauth.${key}`);
  const settings: OauthSettings = {
    grant: config.grant ?? 'authorization_code',
    issuer: filled('issuer'),
    clientId: filled('clientId'),
    clientSecret: filled('clientSecret'),
    scope: config.scope,
    clientMetadataUrl: config.clientMetadataUrl,
    redirectPort: config.redirectPort,
  };
  assertWhole(at, settings);
  return settings;
}

function assertWhole(at: string, settings: OauthSettings): void {
  const { issuer, clientId, clientSecret, clientMetadataUrl } = settings;
  if (issuer !== undefined && !(URL.canParse(issuer) && isSecureUrl(new URL(issuer))))
    throw badValue(`${at}.oauth.issuer`, issuer, 'must start with https://', 'は https:// で始めてください');
  if (clientMetadataUrl !== undefined && !/^https:\/\/[^/]+\/./.test(clientMetadataUrl))
    throw badValue(
      `${at}.oauth.clientMetadataUrl`,
      clientMetadataUrl,
      'must be an https:// address with a path',
      'にはパス付きの https:// のアドレスを指定してください',
    );
  if (clientSecret !== undefined && clientId === undefined)
    throw new ConfigError(
      `${at}.oauth.clientSecret needs clientId.`,
      `${at}.oauth.clientSecret には clientId も必要です。`,
    );
  // Otherwise the server could name its own authorization server, which would get the secret.
  if (clientSecret !== undefined && issuer === undefined)
    throw new ConfigError(
      `${at}.oauth.clientSecret needs issuer: the secret is sent nowhere else.`,
      `${at}.oauth.clientSecret には issuer も必要です。シークレットはその相手にだけ送ります。`,
    );
  if (settings.grant === 'client_credentials' && clientSecret === undefined)
    throw new ConfigError(
      `${at}.oauth: client_credentials needs clientId, clientSecret and issuer.`,
      `${at}.oauth: client_credentials には clientId、clientSecret、issuer が必要です。`,
    );
}
