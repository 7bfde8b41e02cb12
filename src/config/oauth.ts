import * as z from 'zod';
import { ConfigError } from '../contract/error.ts';
import { type OauthTrust, type Scope, scopes, type TrustedIssuer } from '../contract/identity.ts';
import { toolsetNames } from './toolset-names.ts';

const text = z.string().min(1);

const issuerSchema = z.strictObject({
  issuer: text,
  name: text.optional(),
  audience: z.union([text, z.array(text).min(1)]).optional(),
  userClaim: text.optional(),
  roles: z.strictObject({ claim: text, map: z.record(text, text) }).optional(),
  toolsets: z.array(z.enum(toolsetNames)).optional(),
  scopes: z.partialRecord(z.enum(scopes), text).optional(),
  defaultScopes: z.array(z.enum(scopes)).optional(),
});

export const oauthTrustSchema = z.strictObject({
  resource: text.describe(
    'The address of this server as clients know it, e.g. "https://tools.example.com/mcp".',
  ),
  issuers: z
    .array(z.union([text, issuerSchema]))
    .min(1)
    .describe(
      'Whose access tokens are believed: ["https://login.example.com"], or {issuer, name, audience, userClaim, roles, toolsets, scopes, defaultScopes}.',
    ),
});

/** Throws `ConfigError` for what could let in whom nobody meant. */
export function oauthTrustOf(config: z.output<typeof oauthTrustSchema> | undefined): OauthTrust | undefined {
  if (config === undefined) return undefined;
  const { resource } = config;
  if (!isSafe(resource) || new URL(resource).hash !== '' || resource.endsWith('#')) {
    throw new ConfigError(
      `http.oauth.resource must be an https:// address without a fragment, got ${JSON.stringify(resource)}.`,
    );
  }
  const issuers = config.issuers.map((entry, index) =>
    issuerOf(typeof entry === 'string' ? { issuer: entry } : entry, `http.oauth.issuers.${index}`, resource),
  );
  assertEachOnce(issuers);
  return { resource, issuers };
}

function issuerOf(entry: z.output<typeof issuerSchema>, at: string, resource: string): TrustedIssuer {
  const { issuer } = entry;
  if (!isSafe(issuer) || new URL(issuer).search !== '' || /[?#]/.test(issuer)) {
    throw new ConfigError(
      `${at}.issuer must be an https:// address without a query, got ${JSON.stringify(issuer)}.`,
    );
  }
  const name = entry.name ?? new URL(issuer).hostname.replace(/[[\]:]/g, '_');
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw new ConfigError(`${at}.name must be letters, digits or . _ -, got ${JSON.stringify(name)}.`);
  }
  const names = Object.fromEntries(scopes.map((scope) => [scope, entry.scopes?.[scope] ?? scope]));
  for (const word of Object.values(names)) {
    if (!/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(word)) {
      throw new ConfigError(`${at}.scopes: ${JSON.stringify(word)} is not one scope.`);
    }
  }
  if (new Set(Object.values(names)).size < scopes.length) {
    throw new ConfigError(`${at}.scopes: two scopes have one name.`);
  }
  const { audience } = entry;
  return {
    issuer,
    name,
    audience: audience === undefined ? [resource] : typeof audience === 'string' ? [audience] : audience,
    userClaim: entry.userClaim ?? 'sub',
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
      if (other.issuer === issuer) throw new ConfigError(`http.oauth.issuers: ${issuer} stands there twice.`);
      if (other.name.toLowerCase() === name.toLowerCase()) {
        throw new ConfigError(
          `http.oauth.issuers: ${other.issuer} and ${issuer} are both named ${JSON.stringify(name)}; give one another name.`,
        );
      }
    }
  }
}

function isSafe(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, username, password } = new URL(address);
  if (username !== '' || password !== '') return false;
  return (
    protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))
  );
}
