import * as z from 'zod';
import { badValue, ConfigError } from '../contract/error.ts';
import { type OauthTrust, type Scope, scopes, type TrustedIssuer } from '../contract/identity.ts';
import { isSafeUrl } from '../ground/secure-url.ts';
import { toolsetNames } from './toolset-names.ts';

const nonEmpty = z.string().min(1);

const issuerSchema = z.strictObject({
  issuer: nonEmpty,
  name: nonEmpty.optional(),
  audience: z.union([nonEmpty, z.array(nonEmpty).min(1)]).optional(),
  userClaim: nonEmpty.optional(),
  nameClaim: nonEmpty.optional(),
  roles: z.strictObject({ claim: nonEmpty, map: z.record(nonEmpty, nonEmpty) }).optional(),
  toolsets: z.array(z.enum(toolsetNames)).optional(),
  scopes: z.partialRecord(z.enum(scopes), nonEmpty).optional(),
  defaultScopes: z.array(z.enum(scopes)).optional(),
});

export const oauthTrustSchema = z.strictObject({
  resource: nonEmpty.describe(
    'The address of this server as clients know it, e.g. "https://tools.example.com/mcp".',
  ),
  issuers: z
    .array(z.union([nonEmpty, issuerSchema]))
    .min(1)
    .describe(
      'The issuers whose access tokens are accepted: ["https://login.example.com"], or {issuer, name, audience, userClaim, nameClaim, roles, toolsets, scopes, defaultScopes}.',
    ),
});

/** Throws `ConfigError` for settings that could admit unintended users. */
export function oauthTrustOf(config: z.output<typeof oauthTrustSchema> | undefined): OauthTrust | undefined {
  if (config === undefined) return undefined;
  const { resource } = config;
  if (!isSafeUrl(resource) || new URL(resource).hash !== '' || resource.endsWith('#'))
    throw badValue(
      'http.oauth.resource',
      resource,
      'must be an https:// address without a fragment',
      'にはフラグメントのない https:// のアドレスを指定してください',
    );
  const issuers = config.issuers.map((entry, index) =>
    issuerOf(typeof entry === 'string' ? { issuer: entry } : entry, `http.oauth.issuers.${index}`, resource),
  );
  assertEachOnce(issuers);
  return { resource, issuers };
}

function issuerOf(entry: z.output<typeof issuerSchema>, at: string, resource: string): TrustedIssuer {
  const { issuer } = entry;
  if (!isSafeUrl(issuer) || new URL(issuer).search !== '' || /[?#]/.test(issuer))
    throw badValue(
      `${at}.issuer`,
      issuer,
      'must be an https:// address without a query',
      'にはクエリのない https:// のアドレスを指定してください',
    );
  const name = entry.name ?? new URL(issuer).hostname.replace(/[[\]:]/g, '_');
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name))
    throw badValue(
      `${at}.name`,
      name,
      'must be letters, digits or . _ -',
      'は英数字と . _ - で指定してください',
    );
  const names = Object.fromEntries(scopes.map((scope) => [scope, entry.scopes?.[scope] ?? scope]));
  for (const word of Object.values(names)) {
    if (!/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(word))
      throw new ConfigError(
        `${at}.scopes: ${JSON.stringify(word)} is not one scope.`,
        `${at}.scopes: ${JSON.stringify(word)} は 1 つのスコープではありません。`,
      );
  }
  if (new Set(Object.values(names)).size < scopes.length)
    throw new ConfigError(
      `${at}.scopes: two scopes have the same name.`,
      `${at}.scopes: 2 つのスコープに同じ名前が付いています。`,
    );
  const { audience } = entry;
  return {
    issuer,
    name,
    audience: audience === undefined ? [resource] : typeof audience === 'string' ? [audience] : audience,
    userClaim: entry.userClaim ?? 'sub',
    nameClaim: entry.nameClaim ?? 'email',
    roles: entry.roles && { claim: entry.roles.claim, map: new Map(Object.entries(entry.roles.map)) },
    toolsets: entry.toolsets,
    scopeNames: names as Record<Scope, string>,
    defaultScopes: entry.defaultScopes ?? [],
  };
}

/** Two that share a name would share their users. */
function assertEachOnce(issuers: readonly TrustedIssuer[]): void {
  for (const [index, { issuer, name }] of issuers.entries()) {
    for (const other of issuers.slice(0, index)) {
      if (other.issuer === issuer)
        throw new ConfigError(
          `http.oauth.issuers: ${issuer} is listed twice.`,
          `http.oauth.issuers: ${issuer} が 2 回書かれています。`,
        );
      if (other.name.toLowerCase() === name.toLowerCase())
        throw new ConfigError(
          `http.oauth.issuers: ${other.issuer} and ${issuer} are both named ${JSON.stringify(name)}; give one of them another name.`,
          `http.oauth.issuers: ${other.issuer} と ${issuer} の名前がどちらも ${JSON.stringify(name)} です。一方を別の名前にしてください。`,
        );
    }
  }
}
