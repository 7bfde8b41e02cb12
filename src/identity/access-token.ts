import type { JWTPayload } from 'jose';
import type { OauthTrust, TrustedIssuer } from '../contract/identity.ts';
import { fetchJson as fetchFromIssuer } from './issuer-fetch.ts';
import { createIssuerKeys, IssuerDown, type IssuerKeys } from './issuer-keys.ts';

/** What a token turned out to be. */
export type TokenFinding =
  | { readonly kind: 'good'; readonly issuer: TrustedIssuer; readonly claims: JWTPayload }
  | { readonly kind: 'bad' | 'expired' | 'unverifiable' };

export interface AccessTokens {
  verify(token: string): Promise<TokenFinding>;
}

export interface AccessTokenOptions {
  readonly fetchJson?: ((url: string) => Promise<unknown>) | undefined;
  readonly now: () => number;
}

/** Signatures that only the issuer can make. No `none`, no HMAC: a public key must not serve as a password. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const maxTokenChars = 16 * 1024;
const leewaySeconds = 30;

const bad = { kind: 'bad' } as const;

/** Checks JWT access tokens (RFC 9068) of the trusted issuers, with keys that these publish. */
export function createAccessTokens(trust: OauthTrust, options: AccessTokenOptions): AccessTokens {
  const { now, fetchJson = fetchFromIssuer } = options;
  const known = new Map(
    trust.issuers.map((issuer): [string, { readonly issuer: TrustedIssuer; readonly keys: IssuerKeys }] => [
      issuer.issuer,
      { issuer, keys: createIssuerKeys(issuer.issuer, fetchJson, now) },
    ]),
  );

  return {
    async verify(token) {
      if (token.length > maxTokenChars || !looksLikeJwt(token)) return bad;
      const jose = await import('jose');
      let found: ReturnType<typeof known.get>;
      try {
        found = known.get(jose.decodeJwt(token).iss ?? '');
      } catch {
        return bad;
      }
      if (!found) return bad;
      const { issuer, keys } = found;
      const rules = {
        algorithms,
        issuer: issuer.issuer,
        audience: [...issuer.audience],
        requiredClaims: ['exp'],
        clockTolerance: leewaySeconds,
        currentDate: new Date(now()),
      };
      const check = async (set: Parameters<typeof jose.createLocalJWKSet>[0]) => {
        try {
          return await jose.jwtVerify(token, jose.createLocalJWKSet(set), rules);
        } catch (error) {
          if (!(error instanceof jose.errors.JWKSMultipleMatchingKeys)) throw error;
          // A token need not name its key: one of those that fit must have made it.
          let last: unknown = error;
          for await (const key of error) {
            try {
              return await jose.jwtVerify(token, key, rules);
            } catch (failure) {
              if (!(failure instanceof jose.errors.JWSSignatureVerificationFailed)) throw failure;
              last = failure;
            }
          }
          throw last;
        }
      };
      try {
        const verified = await check(await keys.current()).catch(async (error: unknown) => {
          const renewed = error instanceof jose.errors.JWKSNoMatchingKey ? await keys.renewed() : undefined;
          if (!renewed) throw error;
          return await check(renewed);
        });
        const { payload, protectedHeader } = verified;
        if (!isAccessToken(protectedHeader.typ, payload)) return bad;
        if (typeof payload.iat === 'number' && payload.iat * 1000 > now() + leewaySeconds * 1000) return bad;
        return { kind: 'good', issuer, claims: payload };
      } catch (error) {
        if (error instanceof IssuerDown) return { kind: 'unverifiable' };
        return error instanceof jose.errors.JWTExpired ? { kind: 'expired' } : bad;
      }
    },
  };
}

export function looksLikeJwt(token: string): boolean {
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/.test(token);
}

/**
 * RFC 9068 marks access tokens. Of issuers that do not, what an access token has and an ID token has not must be
 * there. One that is bound to a key (DPoP, mTLS) is not ours to take as a bearer's.
 */
function isAccessToken(typ: string | undefined, claims: JWTPayload): boolean {
  if (claims.cnf !== undefined) return false;
  const type = typ?.toLowerCase().replace(/^application\//, '');
  if (type === 'at+jwt') return true;
  if (type !== undefined && type !== 'jwt') return false;
  const isIdToken = ['nonce', 'at_hash', 'c_hash', 's_hash'].some((name) => claims[name] !== undefined);
  return !isIdToken && (claims.scope !== undefined || claims.scp !== undefined);
}
