import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * The cookie of a session: for this host alone, unreadable by scripts, and not sent with requests that another site
 * began. Browsers keep cookies by host without the port, so the port is in the name: two servers on one machine do not
 * log each other out. Behind TLS the name binds it to the host and to TLS.
 */
export function sessionCookieName(request: Request): string {
  if (isOverTls(request)) return '__Host-sekisho';
  return `sekisho-${new URL(request.url).port || '80'}`;
}

export function sessionCookie(request: Request, secret: string): string {
  return `${sessionCookieName(request)}=${secret}; ${attributes(request)}`;
}

export function endedCookie(request: Request): string {
  return `${sessionCookieName(request)}=; ${attributes(request)}; Max-Age=0`;
}

export function languageCookie(request: Request, locale: string): string {
  return `sekisho-lang=${locale}; ${attributes(request)}; Max-Age=31536000`;
}

/** The value of a cookie; undefined if several have the name, since one of them must be foreign. */
export function cookieOf(request: Request, name: string): string | undefined {
  const values = (request.headers.get('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 ? values[0] : undefined;
}

/** A token for the forms of a session: known only to readers of its pages. */
export function csrfOf(secret: string): string {
  return createHash('sha256').update(`csrf ${secret}`).digest('base64url');
}

export function isCsrf(given: unknown, secret: string): boolean {
  const expected = Buffer.from(csrfOf(secret));
  const words = Buffer.from(typeof given === 'string' ? given : '');
  return words.length === expected.length && timingSafeEqual(words, expected);
}

function attributes(request: Request): string {
  return `Path=/; HttpOnly; SameSite=Strict${isOverTls(request) ? '; Secure' : ''}`;
}

/** By the first value of the proxy's report, which the browser used. A lie only makes the client's cookie stricter. */
export function isOverTls(request: Request): boolean {
  return request.headers.get('x-forwarded-proto')?.split(',', 1)[0]?.trim().toLowerCase() === 'https';
}
