import type { FetchedPage } from '../contract/capabilities/network.ts';

/** Checks whether a site's robots.txt lets us read a page. Caches each site's rules for an hour. */
export interface Robots {
  allows(url: URL, signal: AbortSignal): Promise<boolean>;
}

/** `fetch` gets the file like any page, so that its address is checked too. */
export function createRobots(
  userAgent: string,
  fetch: (url: URL, signal: AbortSignal) => Promise<FetchedPage>,
  now: () => number,
): Robots {
  const sites = new Map<string, { readonly rules: string; readonly untilMs: number }>();

  async function rulesOf(url: URL, signal: AbortSignal): Promise<string> {
    const known = sites.get(url.origin);
    if (known && known.untilMs > now()) return known.rules;
    const page = await fetch(new URL('/robots.txt', url), signal);
    // RFC 9309: a missing file allows everything; a temporarily unavailable one forbids everything.
    const rules =
      page.status >= 500
        ? 'User-agent: *\nDisallow: /'
        : page.status >= 400
          ? ''
          : page.body.subarray(0, maxRobotsBytes).toString('utf8');
    sites.delete(url.origin);
    sites.set(url.origin, { rules, untilMs: now() + rememberMs });
    for (const oldest of sites.keys()) {
      if (sites.size <= maxSites) break;
      sites.delete(oldest);
    }
    return rules;
  }

  return {
    async allows(url, signal) {
      const rules = await rulesOf(url, signal);
      if (rules === '') return true;
      const { default: parser } = await import('robots-parser');
      // Its types wrongly describe an ES module.
      const parse = parser as unknown as (
        url: string,
        rules: string,
      ) => { isAllowed(url: string, agent: string): boolean | undefined };
      return parse(new URL('/robots.txt', url).href, rules).isAllowed(url.href, userAgent) !== false;
    },
  };
}

const maxRobotsBytes = 500 * 1024;
const rememberMs = 60 * 60 * 1000;
const maxSites = 200;
