import type { createLocalJWKSet, JSONWebKeySet, JWTPayload } from 'jose';
import type { OauthTrust, TrustedIssuer } from '../contract/identity.ts';
import { orElse } from '../ground/or-else.ts';
import {
  createIssuerKeys,
  fetchJson as fetchFromIssuer,
  IssuerDown,
  type IssuerKeys,
} from './issuer-keys.ts';

export type TokenFinding =
  | { readonly kind: 'good'; readonly issuer: TrustedIssuer; readonly claims: JWTPayload }
  | { readonly kind: 'bad' | 'expired' | 'unverifiable'; readonly problem: string };

export type AccessTokens = ReturnType<typeof createAccessTokens>;

export interface IssuerReport {
  readonly name: string;
  readonly issuer: string;
  readonly keys: number;
  /** Why there are no keys. */
  readonly problem?: string | undefined;
}

type LocalKeys = ReturnType<typeof createLocalJWKSet>;

export interface AccessTokenOptions {
  readonly fetchJson?: ((url: string) => Promise<unknown>) | undefined;
  readonly now: () => number;
  /** Called with the reason if an issuer's keys are unavailable. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** Signatures that only the issuer can make. No `none`, no HMAC: a public key must not serve as a secret. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const maxTokenChars = 16 * 1024;
const leewaySeconds = 30;

/** For the sender of the token; none of them reveals its content. */
const bad = {
  shape: refusal('The token cannot be read.'),
  issuer: refusal('The issuer of the token is not trusted here.'),
  audience: refusal('The token is for another audience.'),
  signature: refusal('No published key of the issuer made the signature.'),
  claims: refusal('A claim of the token is missing or cannot be true.'),
  type: refusal('This is not an access token for a bearer.'),
} as const;

/** Checks JWT access tokens (RFC 9068) of the trusted issuers with their published keys. */
export function createAccessTokens(trust: OauthTrust, options: AccessTokenOptions) {
  const { now, onFault, fetchJson = fetchFromIssuer } = options;
  const known = new Map(
    trust.issuers.map((issuer): [string, { readonly issuer: TrustedIssuer; readonly keys: IssuerKeys }] => [
      issuer.issuer,
      { issuer, keys: createIssuerKeys(issuer.issuer, fetchJson, now, onFault) },
    ]),
  );

  /** Keys are imported once per published set: forged tokens must not cost more than good ones. */
  const openedKeys = new WeakMap<JSONWebKeySet, LocalKeys>();
  function opened(set: JSONWebKeySet, open: (set: JSONWebKeySet) => LocalKeys): LocalKeys {
    const keys = openedKeys.get(set) ?? open(set);
    openedKeys.set(set, keys);
    return keys;
  }

  return {
    /** Fetches each issuer's keys. */
    examine: (): Promise<readonly IssuerReport[]> =>
      Promise.all(
        [...known.values()].map(async ({ issuer: { name, issuer }, keys }) => {
          try {
            return { name, issuer, keys: (await keys.current()).keys.length };
          } catch (error) {
            return { name, issuer, keys: 0, problem: (error as Error).message };
          }
        }),
      ),
    async verify(token: string): Promise<TokenFinding> {
      if (token.length > maxTokenChars || !looksLikeJwt(token)) return bad.shape;
      const jose = await import('jose');
      const claims = orElse(() => jose.decodeJwt(token), undefined);
      // It only looked like a token.
      if (!claims) return bad.shape;
      const found = known.get(claims.iss ?? '');
      if (!found) return bad.issuer;
      const { issuer, keys } = found;
      const rules = {
        algorithms,
        issuer: issuer.issuer,
        audience: [...issuer.audience],
        requiredClaims: ['exp'],
        clockTolerance: leewaySeconds,
        currentDate: new Date(now()),
      };
      const check = async (set: JSONWebKeySet) => {
        try {
          return await jose.jwtVerify(token, opened(set, jose.createLocalJWKSet), rules);
        } catch (error) {
          if (!(error instanceof jose.errors.JWKSMultipleMatchingKeys)) throw error;
          // A token need not name its key: try all that match.
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
        if (!isAccessToken(protectedHeader.typ, payload)) return bad.type;
        if (typeof payload.iat === 'number' && payload.iat * 1000 > now() + leewaySeconds * 1000)
          return bad.claims;
        return { kind: 'good', issuer, claims: payload };
      } catch (error) {
        if (error instanceof IssuerDown)
          return { kind: 'unverifiable', problem: 'The issuer of the token does not answer.' };
        if (error instanceof jose.errors.JWTExpired)
          return { kind: 'expired', problem: 'The token is over.' };
        if (!(error instanceof jose.errors.JWTClaimValidationFailed)) return bad.signature;
        return error.claim === 'aud' ? bad.audience : bad.claims;
      }
    },
  };
}

function refusal(problem: string): { readonly kind: 'bad'; readonly problem: string } {
  return { kind: 'bad', problem };
}

export function looksLikeJwt(token: string): boolean {
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/.test(token);
}

/**
 * RFC 9068 marks access tokens. Without the mark, claims that distinguish access tokens from ID tokens must be present.
 * A token bound to a key (DPoP, mTLS) must not be accepted as a bearer token.
 */
function isAccessToken(typ: string | undefined, claims: JWTPayload): boolean {
  if (claims.cnf !== undefined) return false;
  const type = typ?.toLowerCase().replace(/^application\//, '');
  if (type === 'at+jwt') return true;
  if (type !== undefined && type !== 'jwt') return false;
  const isIdToken = ['nonce', 'at_hash', 'c_hash', 's_hash'].some((name) => claims[name] !== undefined);
  return !isIdToken && (claims.scope !== undefined || claims.scp !== undefined);
}
