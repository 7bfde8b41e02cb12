/** An OAuth 2.1 server in front of HTTP: which access tokens are trusted, and for what. */
export interface OauthTrust {
  /** The canonical address of this server: the audience that a token must name (RFC 8707). */
  readonly resource: string;
  readonly issuers: readonly TrustedIssuer[];
}

export interface TrustedIssuer {
  /** Exactly as in its tokens and metadata. */
  readonly issuer: string;
  /** The prefix of its users' names, `user:NAME/SUBJECT`: unique among issuers, and never used by our own tokens. */
  readonly name: string;
  /** Audiences that count as this server. */
  readonly audience: readonly string[];
  readonly userClaim: string;
  /** The claim with a user's name for people to read; it is only recorded, and no decision depends on it. */
  readonly nameClaim: string;
  /** The claim that contains roles, and the local role for each of its values. The first match in the map counts. */
  readonly roles?: { readonly claim: string; readonly map: ReadonlyMap<string, string> } | undefined;
  /** Toolsets that its users may use. Undefined: all that are served. */
  readonly toolsets?: readonly string[] | undefined;
  /** The issuer's names of our scopes; those it leaves out keep ours. */
  readonly scopeNames: Readonly<Record<Scope, string>>;
  /** Scopes of each of its users, whatever the token says. */
  readonly defaultScopes: readonly Scope[];
}

/** The rights of a token. Each scope includes the ones before it. */
export const scopes = ['tools:read', 'tools:write', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** The address of the metadata that names the authorization servers (RFC 9728): the well-known path for a resource. */
export function resourceMetadataUrl(resource: string): string {
  const { origin, pathname, search } = new URL(resource);
  return `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}${search}`;
}
