import { createHash } from 'node:crypto';
import type { OauthTrust } from '../contract/identity.ts';
import {
  type AccessTokenOptions,
  type AccessTokens,
  createAccessTokens,
  looksLikeJwt,
  type TokenFinding,
} from './access-token.ts';
import { standingOf, type TokenStanding } from './claims.ts';

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
