import type { JSONWebKeySet } from 'jose';
import * as z from 'zod';

/** The keys that an issuer signs with, as it publishes them now. */
export interface IssuerKeys {
  /** Those at hand; asked for where they are old. Throws `IssuerDown` where there are none that can be believed. */
  current(): Promise<JSONWebKeySet>;
  /** Asks again because a token names a key that is not among them; nothing where that was done a moment ago. */
  renewed(): Promise<JSONWebKeySet | undefined>;
}

export class IssuerDown extends Error {}

/** Keys are asked for again after this long: one that was taken back stops counting. */
const maxAgeMs = 10 * 60_000;
/** How long keys go on counting while the issuer does not answer. */
const maxStaleMs = 60 * 60_000;
/** Between two requests, whatever strangers send: a flood of made-up key names must not reach the issuer. */
const cooldownMs = 30_000;

const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.string() });
const keysSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(20) });

export function createIssuerKeys(
  issuer: string,
  fetchJson: (url: string) => Promise<unknown>,
  now: () => number,
  onFault?: (error: unknown) => void,
): IssuerKeys {
  let held: { readonly keys: JSONWebKeySet; readonly atMs: number } | undefined;
  let asking: Promise<JSONWebKeySet> | undefined;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let failure: unknown;

  function ask(): Promise<JSONWebKeySet> {
    askedAtMs = now();
    asking ??= load(issuer, fetchJson)
      .then((keys) => {
        held = { keys, atMs: now() };
        failure = undefined;
        return keys;
      })
      .catch((error: unknown) => {
        failure = error;
        onFault?.(new Error(`The keys of ${issuer} cannot be had: ${wordsOf(error)}`));
        throw error;
      })
      .finally(() => {
        asking = undefined;
      });
    return asking;
  }

  return {
    async current() {
      if (held && now() - held.atMs < maxAgeMs) return held.keys;
      if (asking || now() - askedAtMs >= cooldownMs) {
        try {
          return await ask();
        } catch {
          // What is at hand may still do.
        }
      }
      if (held && now() - held.atMs < maxStaleMs) return held.keys;
      throw new IssuerDown(`The keys of ${issuer} cannot be had: ${wordsOf(failure)}`, { cause: failure });
    },
    async renewed() {
      if (!asking && now() - askedAtMs < cooldownMs) return undefined;
      // The token is then held against the keys that are known.
      return await ask().catch(() => undefined);
    },
  };
}

/** From the issuer's metadata to its keys. The metadata must speak for the issuer that it was asked of. */
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
    // A secret that was published by mistake would let anybody sign.
    return { keys: keys.filter(({ kty, use }) => kty !== 'oct' && (use === undefined || use === 'sig')) };
  }
  throw last;
}

/** Of a failed fetch the reason is its cause. */
function wordsOf(error: unknown): string {
  const { message, cause } = error as { readonly message?: unknown; readonly cause?: unknown };
  return [message, (cause as { readonly message?: unknown } | undefined)?.message]
    .filter((words) => typeof words === 'string')
    .join(': ')
    .slice(0, 500);
}

/** RFC 8414 puts its part before the issuer's path, OpenID behind it. */
function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname === '/' ? '' : pathname.replace(/\/$/, '');
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
}
