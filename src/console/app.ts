import { createHash } from 'node:crypto';
import { type Context, Hono, type Next } from 'hono';
import { isLocale, type Locale, readSaid, text } from '../contract/text/text.ts';
import { isLoopbackHost } from '../ground/secure-url.ts';
import { cookieOf, csrfOf, isCsrf, languageCookie } from './cookies.ts';
import type { ConsoleDependencies } from './dependencies.ts';
import { addEntrance, personOf } from './entrance.ts';
import { isForeign, isOwnOrigin, securityHeaders } from './headers.ts';
import { LiveFeed } from './live.ts';
import { loginPage, onwardsPage } from './login.ts';
import { ownAddress, type PageContext, problem } from './pages/page-context.ts';
import { createVerification } from './pages/verification.ts';
import type { AssetPaths } from './pages/view.ts';
import { needsUnlock } from './passkeys/needs-unlock.ts';
import { createRecentCalls } from './recent-calls.ts';
import { addAnswersFromNotices, slackPath } from './routes/answers.ts';
import { addApprovals } from './routes/approvals.ts';
import { addCallRoutes } from './routes/calls.ts';
import { addLinkRoutes } from './routes/links.ts';
import { addNoticeRoutes } from './routes/notices.ts';
import { addOperatorRoutes } from './routes/operator.ts';
import { addPasskeyRoutes } from './routes/passkeys.ts';
import { addRecordRoutes } from './routes/records.ts';
import { waitingFor } from './waiting.ts';

/** The web console, top to bottom: headers, no foreign pages, the login, the person, a proof on forms, the pages. */
export async function createConsole(dependencies: ConsoleDependencies) {
  const { ownHost } = dependencies;
  const assets = await assetPaths(dependencies);
  const app = new Hono<PageContext>();

  app.use(async (context, next) => {
    const locale = localeOf(context.req.raw, dependencies.locale);
    context.set('outside', { locale, say: (...said) => readSaid(said).text[locale], assets });
    return next();
  });
  const isElsewhere = ({ url }: Request) => {
    const { hostname } = new URL(url);
    return ownHost !== undefined && isLoopbackHost(hostname) && hostname !== ownHost;
  };
  app.use((context, next) => withHeaders(context, next, isElsewhere(context.req.raw)));
  addAssets(app, dependencies);
  app.get('/manifest.webmanifest', (context) =>
    context.body(JSON.stringify(manifestOf(context.get('outside').locale)), 200, {
      'content-type': 'application/manifest+json',
    }),
  );
  addAnswersFromNotices(app, dependencies);

  // All that follows needs a cookie, or leads to pages that do. Any program can listen at another port of these names.
  app.use(async (context, next) => (isElsewhere(context.req.raw) ? problem(context, 'elsewhere') : next()));

  addEntrance(app, dependencies);
  addLinkRoutes(app, dependencies);

  app.use(async (context, next) => {
    const request = context.req.raw;
    const entered = await personOf(dependencies, request);
    if (!entered) {
      const here = new URL(request.url);
      if (request.headers.get('sec-fetch-site') === 'cross-site' && request.method === 'GET')
        return context.html(await onwardsPage(context.get('outside'), ownAddress(here)));
      return context.html(await loginPage(context.get('outside')), 401);
    }
    const { person, secret } = entered;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const { csrf } = await context.req.parseBody();
      if (!isOwnOrigin(request) || !isCsrf(csrf, secret)) return problem(context, 'stale');
    }
    const waiting = await waitingFor(person, dependencies);
    const operator = await dependencies.operator();
    context.set('view', {
      ...context.get('outside'),
      dependencies,
      person,
      csrf: csrfOf(secret),
      here: pageOf(request),
      waiting: waiting.length,
      needsUnlock: await needsUnlock(person, dependencies),
      halt: await operator.halted(),
    });
    context.set('acts', operator.as(person));
    return next();
  });

  app.use(async (context, next) => {
    const isForAll = /^\/($|charts$|live$|calls|approvals|memories)/.test(context.req.path);
    const mayEnter = isForAll || context.get('view').person.isOperator;
    return mayEnter ? next() : problem(context, 'forbidden');
  });

  const feed = new LiveFeed(dependencies);
  const recentCalls = createRecentCalls(() => dependencies.audit());
  const verification = createVerification(() => dependencies.audit(), dependencies.now);
  addPasskeyRoutes(app, dependencies);
  addCallRoutes(app, dependencies, recentCalls, feed, verification);
  addApprovals(app, dependencies);
  addRecordRoutes(app, dependencies, recentCalls);
  addOperatorRoutes(app, dependencies);
  addNoticeRoutes(app, dependencies);

  app.notFound((context) => problem(context, 'missing'));
  app.onError((error, context) => {
    dependencies.onFault(error);
    return problem(context, 'failed');
  });

  return {
    answer: async (request: Request, from: { readonly address?: string | undefined }): Promise<Response> =>
      app.fetch(request, from),
    close: () => feed.close(),
  };
}

async function withHeaders(context: Context<PageContext>, next: Next, isElsewhere: boolean): Promise<void> {
  const request = context.req.raw;
  // None of our texts contains a NUL, and databases disagree on it.
  const isOdd = request.url.includes('%00') || !(await isReadable(context));
  const status = isForeign(request) ? 403 : isOdd ? 400 : undefined;
  if (status === undefined) await next();
  else context.res = new Response(null, { status });
  for (const [name, value] of Object.entries(securityHeaders)) {
    if (!context.res.headers.has(name)) context.res.headers.set(name, value);
  }
  const language = context.req.query('lang');
  // A program that listens at another port of that name would get the cookie.
  if (isLocale(language) && !isElsewhere) {
    context.res.headers.append('set-cookie', languageCookie(request, language));
  }
}

function addAssets(app: Hono<PageContext>, dependencies: ConsoleDependencies): void {
  app.get('/console-assets/:version/:name', async (context) => {
    const asset = await dependencies.asset(context.req.param('name'));
    if (!asset) return context.notFound();
    // The address contains a digest of the content, so it may be cached for good.
    return context.body(asset.bytes, 200, {
      'content-type': asset.type,
      'cache-control': 'public, max-age=31536000, immutable',
    });
  });

  app.get('/sw.js', async (context) => {
    const asset = await dependencies.asset('sw.js');
    return context.body(asset?.bytes ?? '', 200, {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
    });
  });
}

/** A malformed form is its sender's fault, and does not belong in the operator's log. */
async function isReadable({ req }: Context<PageContext>): Promise<boolean> {
  // This request is signed over its bytes, and its route reads them itself.
  if (req.method === 'GET' || req.method === 'HEAD' || req.path === slackPath) return true;
  return req.parseBody().then(
    () => true,
    () => false,
  );
}

/** The page that a part belongs to; its forms lead back there. */
function pageOf(request: Request): URL {
  const own = new URL(request.url);
  const named = request.headers.get('hx-current-url');
  const page = named !== null && URL.canParse(named) ? new URL(named) : own;
  return page.host === own.host ? page : own;
}

async function assetPaths(dependencies: ConsoleDependencies): Promise<AssetPaths> {
  const pathOf = async (name: string) => {
    const asset = await dependencies.asset(name);
    const version = createHash('sha256')
      .update(asset?.bytes ?? '')
      .digest('hex')
      .slice(0, 12);
    return `/console-assets/${version}/${name}`;
  };
  return {
    css: await pathOf('console.css'),
    icon: await pathOf('icon.svg'),
    scripts: await Promise.all(['htmx.js', 'console.js', 'device.js'].map(pathOf)),
  };
}

/** The language of a page: the one chosen on it, else the browser's preference, else the server's. */
function localeOf(request: Request, fallback: Locale): Locale {
  const chosen = new URL(request.url).searchParams.get('lang') ?? cookieOf(request, 'sekisho-lang');
  if (isLocale(chosen)) return chosen;
  const preferred = (request.headers.get('accept-language') ?? '')
    .slice(0, 200)
    .split(',')
    .map((part) => {
      const [tag = '', quality] = part.trim().split(';q=');
      return {
        tag: tag.toLowerCase().slice(0, 2),
        quality: quality === undefined ? 1 : Number(quality) || 0,
      };
    })
    .filter(({ tag, quality }) => isLocale(tag) && quality > 0)
    .sort((one, other) => other.quality - one.quality)[0];
  return (preferred?.tag as Locale | undefined) ?? fallback;
}

/** The data with which a phone installs the console as an app (W3C Web Application Manifest). */
function manifestOf(locale: Locale): object {
  const icon = (size: number) => ({
    src: `/console-assets/0/icon-${size}.png`,
    sizes: `${size}x${size}`,
    type: 'image/png',
    purpose: 'any maskable',
  });
  return {
    id: '/',
    name: names[locale],
    short_name: 'Sekisho',
    lang: locale,
    start_url: '/approvals',
    scope: '/',
    display: 'standalone',
    background_color: '#fbfaf8',
    theme_color: '#b23a2e',
    icons: [icon(192), icon(512)],
  };
}

const names = text('Sekisho', 'Sekisho 関所');
