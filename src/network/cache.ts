import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { FetchedPage } from '../contract/capabilities/network.ts';

/** A fetched page with its caching headers. */
export interface CachedPage {
  readonly page: FetchedPage;
  /** Until then it is served without a request. */
  readonly freshUntilMs: number;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

/** Limited in bytes and number; evicts the least recently used. */
export function createPageCache(maxBytes: number) {
  // The sizes of the library are positive.
  return new LRUCache<string, CachedPage>({
    max: 256,
    maxSize: maxBytes + 1,
    sizeCalculation: ({ page }) => page.body.length + 1,
  });
}

/**
 * How long a response may be served without a request (RFC 9111, for a shared cache). One that must not be stored gets
 * 0 and no validators: it is kept only so that its reader can continue with the same page.
 */
export function freshness(headers: IncomingHttpHeaders, nowMs: number): Omit<CachedPage, 'page'> {
  const directives = new Map(
    (headers['cache-control'] ?? '').split(',').map((part) => {
      const [name = '', value = ''] = part.trim().toLowerCase().split('=');
      return [name, value.replaceAll('"', '')] as const;
    }),
  );
  if (directives.has('no-store') || directives.has('private') || headers.vary === '*')
    return { freshUntilMs: 0 };
  const validators = { etag: headers.etag, lastModified: headers['last-modified'] };
  if (directives.has('no-cache')) return { freshUntilMs: 0, ...validators };
  const maxAge = directives.get('s-maxage') ?? directives.get('max-age');
  const ageMs = seconds(headers.age) * 1000;
  const lifeMs =
    maxAge === undefined ? Date.parse(headers.expires ?? '') - nowMs : seconds(maxAge) * 1000 - ageMs;
  return { freshUntilMs: lifeMs > 0 ? nowMs + Math.min(lifeMs, maxLifeMs) : 0, ...validators };
}

const maxLifeMs = 24 * 60 * 60 * 1000;

function seconds(value: string | undefined): number {
  return value !== undefined && /^\d{1,10}$/.test(value) ? Number(value) : 0;
}
