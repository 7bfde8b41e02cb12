/** The target of a page's refresh within a few seconds (`<meta http-equiv=refresh>`), as written. */
export function refreshIn(contentType: string, body: Buffer): string | undefined {
  if (!/html/i.test(contentType)) return undefined;
  const head = body.toString('latin1', 0, headBytes).replace(/<!--.{0,20000}?-->/gs, '');
  for (const [tag] of head.matchAll(/<meta\b[^>]{0,3000}>/gi)) {
    if (!/\bhttp-equiv\s*=\s*["']?refresh\b/i.test(tag)) continue;
    const [, double, single, bare] = /\bcontent\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(tag) ?? [];
    const [, seconds, address] =
      /^\s*(\d{1,3})(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?["']?\s*([^"'\s]+)/i.exec(
        double ?? single ?? bare ?? '',
      ) ?? [];
    if (address !== undefined && Number(seconds) <= longestSeconds) return address.replaceAll('&amp;', '&');
  }
  return undefined;
}

/** Whether the response asks for proof that a browser is reading, instead of the page. */
export function isChallenge(mitigated: string | undefined, body: Buffer): boolean {
  return mitigated === 'challenge' || (body.length < headBytes * 4 && signs.test(body.toString('latin1')));
}

/** Signs of Cloudflare, AWS WAF, DataDome, PerimeterX, Anubis and SiteGround. */
const signs =
  /_cf_chl_opt|window\.gokuProps|captcha-delivery\.com|id=["']?px-captcha|anubis_challenge|\/\.well-known\/sgcaptcha/;

const headBytes = 64 * 1024;
/** Longer delays reload a page, or give time to read it. */
const longestSeconds = 10;
