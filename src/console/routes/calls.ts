import type { Hono } from 'hono';
import { ConfigError } from '../../contract/error.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { personOf } from '../entrance.ts';
import type { LiveFeed } from '../live.ts';
import { entryAt, queryOf, searchPage } from '../pages/audit-pages.ts';
import { callRow } from '../pages/call-row.ts';
import { callPage, callsPage } from '../pages/calls.ts';
import { chartsSection, overviewPage } from '../pages/overview.ts';
import { addPage, type PageContext } from '../pages/page-context.ts';
import { sessionsPage, taskPage } from '../pages/sessions.ts';
import { storyPage } from '../pages/story.ts';
import type { Verification } from '../pages/verification.ts';
import { maySee, scopeOf, type View } from '../pages/view.ts';
import type { RecentCalls } from '../recent-calls.ts';
import { questionsFor } from '../waiting.ts';

/** Read-only pages: overview, calls, sessions, and the stream that updates them. */
export function addCallRoutes(
  app: Hono<PageContext>,
  dependencies: ConsoleDependencies,
  recentCalls: RecentCalls,
  feed: LiveFeed,
  verification: Verification,
): void {
  async function callsFor(view: View) {
    return (await recentCalls.calls()).filter((call) => maySee(view.person, call));
  }

  addPage(app, '/', async (view, context) => {
    const log = await dependencies.audit();
    const [waiting, calls, nodes, newest] = await Promise.all([
      questionsFor(view, dependencies),
      callsFor(view),
      view.person.isOperator ? (await dependencies.nodes()).list() : [],
      searchPage(log, {}, scopeOf(view.person), dependencies.now()),
    ]);
    const chain = verification.state();
    const parts = { waiting, newest: newest.entries.slice(0, 20), calls, chain, nodes };
    return overviewPage({ ...parts, span: spanOf(context.req.query('span')) }, view);
  });

  addPage(app, '/charts', async (view, context) =>
    chartsSection({ calls: await callsFor(view), span: spanOf(context.req.query('span')) }, view),
  );

  app.get('/live', async (context) => {
    const view = context.get('view');
    const request = context.req.raw;
    // A request for the headers only opens no stream.
    if (request.method !== 'GET') return context.body(null, 405);
    const log = await dependencies.audit();
    const [newest] = await log.search({ limit: 1, newestFirst: true });
    const head = newest?.seq ?? 0;
    const given = Number(request.headers.get('last-event-id') ?? context.req.query('after') ?? head);
    const known = Number.isSafeInteger(given) ? given : head;
    // A client that was away for long gets the newest calls, not the whole log again.
    const afterSeq =
      context.req.query('only') === 'approvals'
        ? Number.MAX_SAFE_INTEGER
        : Math.min(head, Math.max(known, head - mostMissed));
    const stream = feed.watch({
      person: view.person,
      afterSeq,
      draw: (entry) => String(callRow(entry, view)),
      isStillIn: async () => (await personOf(dependencies, request)) !== undefined,
    });
    if (!stream) return context.body(null, 503, { 'retry-after': '30' });
    return context.body(stream, 200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    });
  });

  addPage(app, '/calls', async (view) => {
    const query = queryOf(view.here);
    const log = await dependencies.audit();
    const found = await searchPage(log, query, scopeOf(view.person), dependencies.now());
    return callsPage(query, found, verification.state(), view);
  });

  app.post('/calls/verify', async (context) => {
    if (!context.get('view').person.isOperator) return context.notFound();
    const walk = verification.verify();
    // A long log takes a while: the page says that it is being verified, and reloads.
    walk.catch((error: unknown) => dependencies.onFault(error));
    await Promise.race([walk.catch(() => {}), new Promise((resolve) => setTimeout(resolve, 5000).unref())]);
    return context.redirect('/calls', 303);
  });

  addPage(app, '/calls/:seq{[0-9]{1,15}}', async (view, context) => {
    const entry = await entryAt(await dependencies.audit(), Number(context.req.param('seq')));
    if (!entry || !maySee(view.person, entry)) return undefined;
    // Only operators see changes, as on the history page.
    const history = view.person.isOperator ? dependencies.history : undefined;
    const changes = await history?.list({ auditId: entry.id, limit: mostChanges });
    return callPage(entry, changes ?? [], view);
  });

  addSessionRoutes(app, dependencies, recentCalls);
}

function addSessionRoutes(
  app: Hono<PageContext>,
  dependencies: ConsoleDependencies,
  recentCalls: RecentCalls,
): void {
  addPage(app, '/sessions/:id', async (view, context) => {
    const story = await (await dependencies.operator()).story(context.req.param('id'));
    if (!story) return undefined;
    const real = story.changes.filter(({ change }) => change !== 'undone');
    const shown = await Promise.all(
      real.slice(0, mostDiffs).map(async (change) => ({
        ...change,
        diff: (await dependencies.history?.diff(change.entry, view.locale)) ?? '',
      })),
    );
    return storyPage({ story, changes: shown, unshown: Math.max(0, real.length - mostDiffs) }, view);
  });

  addPage(app, '/sessions', async (view) => {
    const team = await dependencies.team();
    const [shared, own, calls, agents, projects, tasks] = await Promise.all([
      dependencies.shared?.(),
      dependencies.published(),
      recentCalls.calls(),
      team.agents(),
      team.projects(),
      team.tasks({}),
    ]);
    const published = [...own, ...(shared ?? []).flatMap((server) => server.published)];
    return sessionsPage({ shared, published, calls, agents, projects, tasks }, view);
  });

  addPage(app, '/tasks/:id', async (view, context) => {
    const found = await (await dependencies.team()).task(context.req.param('id')).catch(unlessMissing);
    return found && taskPage(found.task, found.events, view);
  });
}

function spanOf(given: string | undefined): 'hour' | 'day' {
  return given === 'day' ? 'day' : 'hour';
}

const mostMissed = 100;
const mostChanges = 500;

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof ConfigError)) throw error;
}

/** Enough for a page; `sekisho story --diff` has all of them. */
const mostDiffs = 50;
