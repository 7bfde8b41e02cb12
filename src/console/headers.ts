/** The headers of every answer: no foreign content, no inline code, no framing. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "manifest-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  // Nothing for other origins. `no-referrer` would also make browsers hide the Origin of our own forms.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'cache-control': 'no-store',
};

/** Whether the browser says that a page of this very origin sent the request. Another port is another origin. */
export function isOwnOrigin(request: Request): boolean {
  const { host } = new URL(request.url);
  const origin = request.headers.get('origin');
  if (origin !== null) return origin === `http://${host}` || origin === `https://${host}`;
  return request.headers.get('sec-fetch-site') === 'same-origin';
}

/** Whether another site's page began the request, other than by a link. */
export function isForeign(request: Request): boolean {
  const origin = request.headers.get('origin');
  if (origin !== null && !isOwnOrigin(request)) return true;
  const site = request.headers.get('sec-fetch-site');
  const isNavigation = request.headers.get('sec-fetch-mode') === 'navigate' && request.method === 'GET';
  return (site === 'cross-site' || site === 'same-site') && !isNavigation;
}
