/** An OAuth 2.1 server in front of HTTP: whose access tokens are believed, and for what. */
export interface OauthTrust {
  /** The canonical address of this server: the audience that a token must name (RFC 8707). */
  readonly resource: string;
  readonly issuers: readonly TrustedIssuer[];
}

export interface TrustedIssuer {
  /** As its tokens and its metadata have it, to the letter. */
  readonly issuer: string;
  /** Begins the names of its users, `user:NAME/SUBJECT`: no two issuers share one, and no token of ours has it. */
  readonly name: string;
  /** Audiences that count as this server. */
  readonly audience: readonly string[];
  readonly userClaim: string;
  /** By what people know its users: it stands beside the principal in records, and nothing is decided by it. */
  readonly nameClaim: string;
  /** Where roles stand in a token, and the role here of each value there. The first of the map that fits counts. */
  readonly roles?: { readonly claim: string; readonly map: ReadonlyMap<string, string> } | undefined;
  /** Toolsets that its users may use; absent: all that are served. */
  readonly toolsets?: readonly string[] | undefined;
  /** How the issuer calls our scopes; what it leaves out is called as here. */
  readonly scopeNames: Readonly<Record<Scope, string>>;
  /** What every user of it may do, whatever the token says. */
  readonly defaultScopes: readonly Scope[];
}

/** What a token lets its holder do. Each includes the ones before it. */
export const scopes = ['tools:read', 'tools:write', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** Where a client learns who gives tokens for this server (RFC 9728): the usual place for the address of a resource. */
export function resourceMetadataUrl(resource: string): string {
  const { origin, pathname, search } = new URL(resource);
  return `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}${search}`;
}
