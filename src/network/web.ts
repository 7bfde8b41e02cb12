import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { FetchedPage, FetchOptions, ReadablePage, Web } from '../contract/capabilities/network.ts';
import { cancelled } from '../ground/errors/cancelled.ts';
import { retryAfterMs } from '../ground/retry-after.ts';
import { unlessAborted } from '../ground/waiting/abort.ts';
import { defer } from '../ground/waiting/defer.ts';
import { createSemaphore } from '../ground/waiting/semaphore.ts';
import { acceptedCodings, collectBody } from './body.ts';
import { createPageCache, freshness } from './cache.ts';
import { openConverter } from './convert/converter.ts';
import { readableImage } from './convert/image.ts';
import { createCookies } from './cookies.ts';
import { type Lent, type OutwardKeys, withoutValues } from './edge/keys/outward.ts';
import type { Replacement } from './edge/keys/replacement.ts';
import { asToolError, refusedByRobots, tooManyRedirects } from './errors.ts';
import { isChallenge, refreshIn } from './in-markup.ts';
import { resolveBySystem } from './proxy/road.ts';
import { request } from './request.ts';
import { createRobots } from './robots.ts';
import { createWebRules, hostOf, type WebRuleOptions } from './rules.ts';

export interface WebOptions extends WebRuleOptions {
  /** Returns all addresses of a host name. Default: the system's resolver. */
  readonly resolve?: ((host: string) => Promise<readonly string[]>) | undefined;
  readonly userAgent?: string | undefined;
  /** Whether to obey robots.txt. Default: no, since each page is fetched on request. */
  readonly robots?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxBytes?: number | undefined;
  /** The most bytes of cached pages; 0 disables the cache. */
  readonly cacheBytes?: number | undefined;
  readonly now?: (() => number) | undefined;
  /** Credentials that go with pages of their hosts. */
  readonly keys?: OutwardKeys | undefined;
}

const innerNames = /^[^.]+$|\.(localhost|local|localdomain|internal|intranet|lan|home|corp|private|arpa)$/i;

/** Opens the capability `web`. Throws `ConfigError` for a bad list. `close` ends its process. */
export function openWeb(options: WebOptions): Web & { close(): Promise<void> } {
  const rules = createWebRules(options);
  const { resolve = resolveBySystem, userAgent = 'Sekisho', now = Date.now, timeoutMs = 30_000 } = options;
  const { maxBytes = 5 * 1024 * 1024, cacheBytes = 32 * 1024 * 1024 } = options;
  const cache = createPageCache(cacheBytes);
  const places = createSemaphore(maxFetches);
  const converter = openConverter();
  const hiders = new WeakMap<FetchedPage['body'], Replacement>();
  const robots = options.robots && createRobots(userAgent, (url, signal) => follow(url, signal, false), now);

  /** One request, without redirects and cache. */
  async function ask(
    url: URL,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    lent: Lent | undefined,
  ) {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const addresses = isIP(host) ? [host] : await unlessAborted(resolve(host), signal);
    rules.assertMayConnect(url, addresses);
    const fields = Object.fromEntries(lent?.fields ?? []);
    const all = { ...baseHeaders, 'user-agent': userAgent, ...headers, ...fields };
    const response = await request(url, addresses, all, signal);
    if (lent) hideIn(response, lent.hider);
    return response;
  }

  async function follow(first: URL, signal: AbortSignal, isPage: boolean): Promise<FetchedPage> {
    let url = first;
    const lend = isPage ? options.keys?.forPage() : undefined;
    const cookies = createCookies();
    for (let redirects = 0; ; redirects++) {
      if (isPage && robots && !(await robots.allows(url, signal))) throw refusedByRobots(url.hostname);
      const lent = await lend?.(url);
      const known = lent ? undefined : cache.get(url.href);
      if (known && known.freshUntilMs > now()) return { ...known.page, fromCache: true };
      const response = await ask(url, { ...validatorsOf(known), ...cookies.headerFor(url) }, signal, lent);
      const status = response.statusCode ?? 0;
      cookies.take(url, response.headers['set-cookie']);

      if (redirectStatuses.has(status) && response.headers.location !== undefined) {
        response.destroy();
        if (redirects === maxRedirects) throw tooManyRedirects(maxRedirects);
        // A redirect's address is untrusted, so it gets all checks of a caller's URL.
        url = rules.check(addressOf(response.headers.location, url));
        continue;
      }
      if (status === 304 && known) {
        response.destroy();
        cache.set(url.href, { ...known, ...freshness(response.headers, now()), page: known.page });
        return { ...known.page, fromCache: true };
      }
      const collected = await collectBody(response, maxBytes, signal);
      const { truncated } = collected;
      const body = lent ? withoutValues(collected.body, lent.hider, truncated) : collected.body;
      if (lent) hiders.set(body, lent.hider);
      const page: FetchedPage = {
        url: url.href,
        status,
        contentType: response.headers['content-type'] ?? '',
        body,
        truncated,
        fetchedAtMs: now(),
        fromCache: false,
        retryAfterMs: retryAfterMs(response.headers['retry-after'], now()),
        isChallenge: isChallenge(String(response.headers['cf-mitigated'] ?? ''), body),
      };
      const next = refreshOf(page, url);
      if (next !== undefined) {
        if (redirects === maxRedirects) throw tooManyRedirects(maxRedirects);
        url = rules.check(next);
        continue;
      }
      // A response to a cookie or a credential must not be shared with readers without one.
      const life = cookies.any || lent ? { freshUntilMs: 0 } : freshness(response.headers, now());
      if (status === 200) cache.set(url.href, { page, ...life });
      return page;
    }
  }

  return {
    check(input) {
      const url = rules.check(input);
      const host = hostOf(url);
      if (isIP(host)) rules.assertMayConnect(url, [host]);
      // Names that always lead to this machine or its own network.
      else if (innerNames.test(host)) rules.assertMayConnect(url, ['127.0.0.1']);
    },

    async fetch(input, signal, { reuseMs = 0 }: FetchOptions = {}) {
      const url = rules.check(input);
      const recent = cache.get(url.href);
      if (recent && recent.page.fetchedAtMs + reuseMs > now()) return { ...recent.page, fromCache: true };
      const deadline = AbortSignal.timeout(timeoutMs);
      try {
        const within = AbortSignal.any([signal, deadline]);
        const leave = await places.acquire(within);
        using _ = defer(() => leave());
        const page = await follow(url, within, true);
        // Stored under the requested address too, so that `reuseMs` finds it behind a redirect.
        if (page.url !== url.href && page.status === 200) cache.set(url.href, { page, freshUntilMs: 0 });
        return page;
      } catch (error) {
        const { aborted: timedOut } = deadline;
        throw asToolError(error, { host: url.hostname, cancelled: signal.aborted, timedOut, timeoutMs });
      }
    },

    read: createReader(converter, hiders),
    close: () => converter.close(),
  };
}

/** Reads a page once for all who want it. */
function createReader(
  converter: ReturnType<typeof openConverter>,
  hiders: WeakMap<FetchedPage['body'], Replacement>,
): Web['read'] {
  const mainReadings = new WeakMap<FetchedPage['body'], Promise<ReadablePage>>();
  const fullReadings: typeof mainReadings = new WeakMap();
  return async (page, signal, { full = false } = {}) => {
    const image = readableImage(page);
    if (image) return image;
    const readings = full ? fullReadings : mainReadings;
    let reading = readings.get(page.body);
    if (!reading) {
      const { url, contentType, body } = page;
      const hider = hiders.get(body);
      reading = converter.convert({ url, contentType, body, full });
      // Its markup may have taken a credential apart.
      if (hider) reading = reading.then((readable) => hidden(readable, hider));
      readings.set(page.body, reading);
      // A failure affects only this reader; the next one tries again.
      reading.catch(() => readings.delete(page.body));
    }
    if (!signal) return reading;
    return unlessAborted(reading, signal).catch((error: unknown) => {
      throw signal.aborted ? cancelled('fetch', error) : error;
    });
  };
}

function hidden(readable: ReadablePage, hider: Replacement): ReadablePage {
  const clean = (words: string) => withoutValues(Buffer.from(words), hider).toString();
  const pairs = Object.entries(readable).map(([key, value]) => [
    key,
    typeof value === 'string' ? clean(value) : value,
  ]);
  return Object.fromEntries(pairs);
}

function hideIn({ headers }: IncomingMessage, hider: Replacement): void {
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    headers[name] = Array.isArray(value) ? value.map((each) => hider.text(each)) : hider.text(value);
  }
}

const maxRedirects = 5;
/** Each may hold a body of the maximum size. */
const maxFetches = 16;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const baseHeaders = {
  accept:
    'text/html,application/xhtml+xml,application/json;q=0.9,text/*;q=0.9,application/pdf;q=0.8,*/*;q=0.5',
  'accept-language': 'en,ja;q=0.9,*;q=0.5',
  'accept-encoding': acceptedCodings,
} as const;

/** Headers are read as Latin-1, but servers send unencoded addresses in UTF-8. */
function addressOf(location: string, base: URL): string {
  const address = Buffer.from(location, 'latin1').toString('utf8');
  return URL.canParse(address, base.href) ? new URL(address, base).href : address;
}

/** The other address that a page leads to by itself, if any. */
function refreshOf({ status, contentType, body }: FetchedPage, url: URL): string | undefined {
  const refresh = status === 200 ? refreshIn(contentType, body) : undefined;
  const next = refresh === undefined ? url.href : addressOf(refresh, url);
  return withoutFragment(next) === withoutFragment(url.href) ? undefined : next;
}

function withoutFragment(address: string): string {
  return address.replace(/#.*$/s, '');
}

function validatorsOf(
  known: { readonly etag?: string | undefined; readonly lastModified?: string | undefined } | undefined,
) {
  return {
    ...(known?.etag !== undefined && { 'if-none-match': known.etag }),
    ...(known?.lastModified !== undefined && { 'if-modified-since': known.lastModified }),
  };
}
