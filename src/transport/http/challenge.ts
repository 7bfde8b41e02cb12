import type { Reply } from '../../contract/call.ts';
import { type OauthTrust, resourceMetadataUrl } from '../../contract/identity.ts';
import { RpcError, rpcCode } from '../jsonrpc.ts';

/** This server as a protected resource (RFC 9728) that accepts other issuers' access tokens. */
export interface ProtectedResource {
  /** Its canonical address, for which clients request tokens. */
  readonly resource: string;
  readonly metadataUrl: string;
  readonly issuers: readonly string[];
  /** The smallest useful scope, and all scopes for users. */
  readonly firstScope: string;
  readonly scopes: readonly string[];
}

export function protectedResourceOf({ resource, issuers }: OauthTrust): ProtectedResource {
  return {
    resource,
    metadataUrl: resourceMetadataUrl(resource),
    issuers: issuers.map(({ issuer }) => issuer),
    firstScope: issuers[0]?.scopeNames['tools:read'] ?? 'tools:read',
    // The scopes that any client may request; the operator's is not among them.
    scopes: [
      ...new Set(issuers.flatMap(({ scopeNames }) => [scopeNames['tools:read'], scopeNames['tools:write']])),
    ],
  };
}

/** The token is valid, but its scope is too small. Over HTTP it becomes 403, so that the client can request more. */
export class InsufficientScope extends RpcError {
  readonly scope: string;
  constructor(scope: string, message: string) {
    super(rpcCode.insufficientScope, message, { code: 'forbidden', required_scope: scope }, 403);
    this.name = 'InsufficientScope';
    this.scope = scope;
  }
}

/** The scope that a refused call lacks. */
export function scopeMissingIn(reply: Extract<Reply, { kind: 'error' }>): string | undefined {
  const { details } = reply.structured.error as { readonly details?: { readonly required_scope?: unknown } };
  const scope = details?.required_scope;
  return reply.code === 'forbidden' && typeof scope === 'string' ? scope : undefined;
}

/** `WWW-Authenticate` by RFC 6750 and RFC 9728. All values are ours or the operator's, so none needs escaping. */
export function challengeOf(
  resource: ProtectedResource | undefined,
  problem: {
    readonly error?: 'invalid_token' | 'insufficient_scope';
    readonly scope?: string | undefined;
    readonly description?: string | undefined;
  },
): string {
  const {
    error,
    description,
    scope = error === 'insufficient_scope' ? undefined : resource?.firstScope,
  } = problem;
  const fields = [
    error && `error="${error}"`,
    description !== undefined && `error_description="${description}"`,
    scope !== undefined && `scope="${scope}"`,
    resource && `resource_metadata="${resource.metadataUrl}"`,
  ].filter((field) => typeof field === 'string');
  return fields.length === 0 ? 'Bearer' : `Bearer ${fields.join(', ')}`;
}

/** The paths of the resource's metadata: the specified one, and the bare one that some clients try. */
export function metadataPaths(resource: ProtectedResource, mcpPath: string): ReadonlySet<string> {
  const base = '/.well-known/oauth-protected-resource';
  return new Set([new URL(resource.metadataUrl).pathname, base, `${base}${mcpPath}`]);
}

export function metadataJson({ resource, issuers, scopes }: ProtectedResource): string {
  return JSON.stringify({
    resource,
    authorization_servers: issuers,
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Sekisho',
  });
}
