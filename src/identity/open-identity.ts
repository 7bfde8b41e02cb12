import { createHash } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { type OauthTrust, type Scope, scopes, type TrustedIssuer } from '../contract/identity.ts';
import {
  type AccessTokenOptions,
  type AccessTokens,
  createAccessTokens,
  looksLikeJwt,
  type TokenFinding,
} from './access-token.ts';

/** Identifies holders of access tokens of issuers that the operator trusts. */
export interface Identity extends Pick<AccessTokens, 'examine'> {
  /** Undefined if the token is no JWT; the other kinds of token are looked up elsewhere. */
  identify(token: string): Promise<TokenIdentity | undefined>;
}

export type TokenIdentity =
  | { readonly kind: 'good'; readonly standing: TokenStanding }
  | { readonly kind: 'bad' | 'expired' | 'unverifiable'; readonly problem: string };

interface Cached {
  readonly identity: TokenIdentity;
  readonly untilMs: number;
}

/** A token is fully checked once a minute, so that revoked keys take effect soon. */
const keptMs = 60_000;
const maxKept = 1000;

export function openIdentity(trust: OauthTrust, options: AccessTokenOptions): Identity {
  const tokens = createAccessTokens(trust, options);
  // By digest, so that no tokens are kept in memory.
  const kept = new Map<string, Cached>();

  return {
    examine: tokens.examine,
    async identify(token) {
      if (!looksLikeJwt(token)) return undefined;
      const digest = createHash('sha256').update(token).digest('base64');
      const known = kept.get(digest);
      if (known && known.untilMs > options.now()) return known.identity;
      kept.delete(digest);
      const finding = await tokens.verify(token);
      const identity = identityOf(finding);
      // Only valid ones, so that guesses cannot evict them.
      if (finding.kind === 'good' && identity.kind === 'good') {
        const endsMs = (finding.claims.exp ?? 0) * 1000;
        const [oldest] = kept.keys();
        if (kept.size >= maxKept && oldest !== undefined) kept.delete(oldest);
        kept.set(digest, { identity, untilMs: Math.min(endsMs, options.now() + keptMs) });
      }
      return identity;
    },
  };
}

function identityOf(finding: TokenFinding): TokenIdentity {
  if (finding.kind !== 'good') return finding;
  const standing = standingOf(finding.issuer, finding.claims);
  return standing
    ? { kind: 'good', standing }
    : { kind: 'bad', problem: 'The token does not say for whom and through whom it acts.' };
}

/** The subject and rights of a token, in our terms. */
export interface TokenStanding {
  readonly principal: string;
  /** The subject's name for people, if the token has one. */
  readonly personName?: string | undefined;
  /** The program that uses the token; one person may use several. */
  readonly client: string;
  /** The parties that act for the subject, from the first delegate to the holder of the token (RFC 8693 `act`). */
  readonly actors: readonly string[];
  readonly role?: string | undefined;
  readonly scopes: readonly Scope[];
  readonly scopeNames: TrustedIssuer['scopeNames'];
  readonly toolsets?: readonly string[] | undefined;
}

/** Undefined if a name in the token is missing or cannot be written down. */
export function standingOf(issuer: TrustedIssuer, claims: JWTPayload): TokenStanding | undefined {
  const user = claimOf(claims, issuer.userClaim);
  const actors = actorsOf(claims.act);
  if (!isWritable(user) || !actors) return undefined;
  const { client_id: client = claims.azp } = claims;
  return {
    // Neither names of our own tokens nor issuers' names contain a slash.
    principal: `user:${issuer.name}/${user}`,
    personName: shownName(claimOf(claims, issuer.nameClaim)),
    client: typeof client === 'string' ? client.slice(0, 255) : '',
    actors,
    role: roleOf(issuer, claims),
    scopes: scopesOf(issuer, claims),
    scopeNames: issuer.scopeNames,
    toolsets: issuer.toolsets,
  };
}

/** The claim nests earlier actors in the current one. Undefined if a name among them cannot be written down. */
function actorsOf(act: unknown): readonly string[] | undefined {
  const actors: string[] = [];
  for (let each = act; each !== undefined; ) {
    const { sub, act: before } = Object(each) as { readonly sub?: unknown; readonly act?: unknown };
    if (!isWritable(sub) || actors.length >= maxActors) return undefined;
    actors.unshift(sub);
    each = before;
  }
  return actors;
}

/** Printable and short, for logs, names and rules. */
function isWritable(name: unknown): name is string {
  return typeof name === 'string' && /^[\x21-\x7e]{1,255}$/.test(name);
}

/** A name for people to read: any script, but no hidden characters. */
function shownName(name: unknown): string | undefined {
  return typeof name === 'string' && /^[^\p{C}\p{Zl}\p{Zp}]{1,255}$/u.test(name) ? name : undefined;
}

const maxActors = 16;

function roleOf({ roles }: TrustedIssuer, claims: JWTPayload): string | undefined {
  if (!roles) return undefined;
  const value = claimOf(claims, roles.claim);
  const held = new Set(Array.isArray(value) ? value : [value]);
  for (const [theirs, ours] of roles.map) if (held.has(theirs)) return ours;
  return undefined;
}

/** `scope` of RFC 9068, or the `scp` of other issuers. Each of our scopes includes the ones before it. */
function scopesOf({ scopeNames, defaultScopes }: TrustedIssuer, claims: JWTPayload): readonly Scope[] {
  const value = claims.scope ?? claims.scp;
  const words = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];
  const held = new Set<unknown>(words);
  const highest = scopes.findLastIndex(
    (scope) => held.has(scopeNames[scope]) || defaultScopes.includes(scope),
  );
  return scopes.slice(0, highest + 1);
}

/** A claim by its name or by a path such as `realm_access.roles`. Names of claims may contain dots. */
function claimOf(claims: JWTPayload, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}
