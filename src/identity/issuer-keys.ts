import type { JSONWebKeySet } from 'jose';
import * as z from 'zod';
import { isSecureUrl } from '../ground/secure-url.ts';
import { wholeOf } from '../ground/waiting/bounded-stream.ts';
import { sharing } from '../ground/waiting/sharing.ts';

/** The keys with which an issuer signs, as currently published. */
export type IssuerKeys = ReturnType<typeof createIssuerKeys>;

export class IssuerDown extends Error {}

/** Keys are fetched again after this long, so that a revoked one expires. */
const maxAgeMs = 10 * 60_000;
/** How long keys stay valid while the issuer does not answer. */
const maxStaleMs = 60 * 60_000;
/** The pause between requests: a flood of invented key names must not reach the issuer. */
const cooldownMs = 30_000;

const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.string() });
const keysSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(20) });

export function createIssuerKeys(
  issuer: string,
  fetchJson: (url: string) => Promise<unknown>,
  now: () => number,
  onFault?: (error: unknown) => void,
) {
  let cached: { readonly keys: JSONWebKeySet; readonly atMs: number } | undefined;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let failure: unknown;

  const fetching = sharing(async (): Promise<JSONWebKeySet> => {
    try {
      const keys = await load(issuer, fetchJson);
      cached = { keys, atMs: now() };
      failure = undefined;
      return keys;
    } catch (error) {
      failure = error;
      onFault?.(new Error(`The keys of ${issuer} cannot be had: ${errorText(error)}`));
      throw error;
    }
  });
  const ask = () => {
    askedAtMs = now();
    return fetching();
  };

  return {
    /** Returns the cached keys, fetched again if they are old. Throws `IssuerDown` if none are recent enough. */
    async current(): Promise<JSONWebKeySet> {
      if (cached && now() - cached.atMs < maxAgeMs) return cached.keys;
      if (fetching.running() || now() - askedAtMs >= cooldownMs) {
        try {
          return await ask();
        } catch {
          // The cached keys may still be recent enough.
        }
      }
      if (cached && now() - cached.atMs < maxStaleMs) return cached.keys;
      throw new IssuerDown(`The keys of ${issuer} cannot be had: ${errorText(failure)}`, { cause: failure });
    },
    /** Fetches the keys again for a token with an unknown key; undefined if that was just done. */
    async renewed(): Promise<JSONWebKeySet | undefined> {
      if (!fetching.running() && now() - askedAtMs < cooldownMs) return undefined;
      // On failure, the token is checked with the known keys.
      return await ask().catch(() => undefined);
    },
  };
}

/** Finds the keys through the issuer's metadata, which must name exactly this issuer. */
async function load(issuer: string, fetchJson: (url: string) => Promise<unknown>): Promise<JSONWebKeySet> {
  let last: unknown;
  for (const url of metadataUrls(issuer)) {
    let found: unknown;
    try {
      found = await fetchJson(url);
    } catch (error) {
      last = error;
      continue;
    }
    const metadata = metadataSchema.parse(found);
    if (metadata.issuer !== issuer) throw new Error(`${url} speaks for ${metadata.issuer.slice(0, 200)}`);
    const { keys } = keysSchema.parse(await fetchJson(metadata.jwks_uri));
    // A secret key published by mistake would let anyone sign.
    return { keys: keys.filter(({ kty, use }) => kty !== 'oct' && (use === undefined || use === 'sig')) };
  }
  throw last;
}

/** fetch() puts the reason of a failure into its cause. */
function errorText(error: unknown): string {
  const { message, cause } = error as { readonly message?: unknown; readonly cause?: unknown };
  return [message, (cause as { readonly message?: unknown } | undefined)?.message]
    .filter((words) => typeof words === 'string')
    .join(': ')
    .slice(0, 500);
}

/** RFC 8414 puts its part before the issuer's path, OpenID after it. */
function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname === '/' ? '' : pathname.replace(/\/$/, '');
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
}

/** Metadata and keys are small; larger responses are wrong. */
const maxBytes = 512 * 1024;
const timeoutMs = 10_000;

/** A JSON document of an issuer. No redirects: an issuer must publish under its own address. */
export async function fetchJson(url: string): Promise<unknown> {
  if (!isSecureUrl(new URL(url))) throw new Error(`${url} is not https`);
  const response = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/json, application/jwk-set+json' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    throw new Error(`${url} answered ${response.status}`);
  }
  const body = await wholeOf(response.body, maxBytes);
  if (!body) throw new Error(`${url} answered with too much`);
  return JSON.parse(body.toString('utf8'));
}
