import type { Context, Hono } from 'hono';
import type { Person } from '../contract/people/person.ts';
import { cookieOf, endedCookie, sessionCookie, sessionCookieName } from './cookies.ts';
import type { ConsoleDependencies } from './dependencies.ts';
import { isOwnOrigin } from './headers.ts';
import { loginPage } from './login.ts';
import type { PageContext } from './pages/page-context.ts';
import { assertionOptions, proven } from './passkeys/ceremony.ts';

/** The logged-in person, by the cookie of the request. */
export async function personOf(
  dependencies: ConsoleDependencies,
  request: Request,
): Promise<{ readonly person: Person; readonly secret: string } | undefined> {
  const secret = cookieOf(request, sessionCookieName(request));
  if (secret === undefined) return undefined;
  const person = await (await dependencies.sessions()).find(secret, dependencies.now());
  return person && { person, secret };
}

/**
 * Logs in by a link or a token, and logs out. Failures are counted by address. The right secret is accepted after any
 * number of failures: behind a proxy all requests come from one address, and a stranger must not be able to lock
 * everyone out.
 */
export function addEntrance(app: Hono<PageContext>, dependencies: ConsoleDependencies): void {
  async function turnAway(context: Context<PageContext>): Promise<Response> {
    const key = `console-login:${context.env.address ?? 'unknown'}`;
    const { retryAfterMs } = await (await dependencies.rates()).hit(
      key,
      triesPerMinute,
      60_000,
      dependencies.now(),
    );
    if (retryAfterMs === 0) return context.html(await loginPage(context.get('outside'), 'bad'), 401);
    context.header('retry-after', String(Math.ceil(retryAfterMs / 1000)));
    return context.html(await loginPage(context.get('outside'), 'often'), 429);
  }

  /** Each login gets a new session: one that was planted in the browser before is not used, and ended. */
  async function enter(context: Context<PageContext>, secret: string | undefined): Promise<Response> {
    const request = context.req.raw;
    if (secret === undefined) return turnAway(context);
    const sessions = await dependencies.sessions();
    const before = cookieOf(request, sessionCookieName(request));
    if (before !== undefined) await sessions.end(before);
    const person = await sessions.find(secret, dependencies.now());
    if (!person) return turnAway(context);
    await (await dependencies.operator()).as(person).entered(context.env.address);
    context.header('set-cookie', sessionCookie(request, secret));
    return context.redirect('/', 303);
  }

  app.get('/login', async (context) => {
    const request = context.req.raw;
    const code = context.req.query('code');
    if (code === undefined) return context.html(await loginPage(context.get('outside')));
    // A prefetch, or a request for the headers only, must not use up the code.
    if (request.method !== 'GET' || request.headers.has('sec-purpose')) return context.body(null, 503);
    return enter(context, await (await dependencies.sessions()).enterByCode(code, dependencies.now()));
  });

  app.post('/login', async (context) => {
    const request = context.req.raw;
    // A foreign page must not log a person in under another name.
    if (!isOwnOrigin(request)) return context.html(await loginPage(context.get('outside'), 'bad'), 403);
    const { token } = await context.req.parseBody();
    const words = typeof token === 'string' ? token.trim() : '';
    return enter(context, await (await dependencies.sessions()).enterByToken(words, dependencies.now()));
  });

  app.post('/login/passkey/options', async (context) => {
    if (!isOwnOrigin(context.req.raw)) return context.body(null, 403);
    return context.json(await assertionOptions(context.req.raw, { kind: 'login' }, dependencies));
  });

  app.post('/login/passkey', async (context) => {
    const request = context.req.raw;
    if (!isOwnOrigin(request)) return context.html(await loginPage(context.get('outside'), 'bad'), 403);
    const { assertion } = await context.req.parseBody();
    const words = typeof assertion === 'string' ? assertion : '';
    const owner = await proven(request, words, { kind: 'login' }, dependencies);
    const sessions = await dependencies.sessions();
    return enter(context, owner && (await sessions.enterByPasskey(owner.passkey, dependencies.now())));
  });

  app.post('/logout', async (context) => {
    const request = context.req.raw;
    if (!isOwnOrigin(request)) return context.body(null, 403);
    const secret = cookieOf(request, sessionCookieName(request));
    if (secret !== undefined) await (await dependencies.sessions()).end(secret);
    context.header('set-cookie', endedCookie(request));
    return context.html(await loginPage(context.get('outside'), 'out'));
  });
}

const triesPerMinute = 10;
