import type { Context, Hono } from 'hono';
import type { UndoSelection } from '../../contract/capabilities/history.ts';
import { ToolError } from '../../contract/error.ts';
import type { Acts } from '../../contract/operator.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { changePage, historyPage } from '../pages/history.ts';
import { memoriesPage, memoryPage } from '../pages/memories.ts';
import { fieldOf, goBack, type PageContext } from '../pages/page-context.ts';
import type { View } from '../pages/view.ts';
import type { RecentCalls } from '../recent-calls.ts';
import type { Words } from '../words/words.ts';

/** Pages that act on records: history, memories. Every act is in the log under the person's name. */
export function addRecordRoutes(
  app: Hono<PageContext>,
  dependencies: ConsoleDependencies,
  recentCalls: RecentCalls,
): void {
  addHistory(app, dependencies, recentCalls);
  addMemories(app, dependencies);
}

function addHistory(
  app: Hono<PageContext>,
  dependencies: ConsoleDependencies,
  recentCalls: RecentCalls,
): void {
  const { history } = dependencies;
  app.get('/history', async (context) => {
    const view = context.get('view');
    const { session, call } = context.req.query();
    const before = Number(context.req.query('before'));
    const found = await history?.list({
      sessionId: session,
      auditId: call,
      beforeSeq: Number.isSafeInteger(before) && before > 0 ? before : undefined,
      limit: pageChanges + 1,
    });
    const entries = found?.slice(0, pageChanges);
    const next = (found?.length ?? 0) > pageChanges ? entries?.at(-1)?.seq : undefined;
    const calls = new Map((await recentCalls.calls()).map((each) => [each.id, each]));
    return context.html(await historyPage({ entries, next, session, call, calls }, view));
  });

  app.get('/history/:id', async (context) => {
    const entry = await history?.get(context.req.param('id'));
    if (!history || !entry) return context.notFound();
    return context.html(
      await changePage(entry, await history.diff(entry, context.get('view').locale), context.get('view')),
    );
  });

  app.post('/history/undo-session', async (context) => {
    const sessionId = await fieldOf(context, 'session');
    if (!history || !sessionId) return context.notFound();
    return goBack(context, await undo(context, { sessionId }, false), '/history');
  });

  app.post('/history/undo-call', async (context) => {
    const auditId = await fieldOf(context, 'call');
    if (!history || !auditId) return context.notFound();
    const note = await undo(context, { auditId }, (await fieldOf(context, 'force')) === 'yes');
    return context.redirect(`/history?call=${encodeURIComponent(auditId)}&note=${note}`, 303);
  });

  app.post('/history/:id/undo', async (context) => {
    if (!history) return context.notFound();
    const id = context.req.param('id');
    const force = (await fieldOf(context, 'force')) === 'yes';
    return goBack(context, await undo(context, { id }, force), `/history/${encodeURIComponent(id)}`);
  });

  /** `partly`: some changes of a session were undone before one failed. */
  async function undo(context: Context<PageContext>, order: UndoSelection, force: boolean) {
    const { steps } = await context.get('acts').undo(order, { force });
    const last = steps.at(-1)?.outcome ?? 'nothing';
    if (!steps.some(({ outcome }) => outcome === 'undone')) return last;
    return last === 'conflict' || last === 'lost' ? 'partly' : 'undone';
  }
}

function addMemories(app: Hono<PageContext>, dependencies: ConsoleDependencies): void {
  async function ownerOf({ person }: View, wanted: string | undefined): Promise<string | undefined> {
    return (await dependencies.operator()).memoryOwner(person, wanted);
  }

  app.get('/memories', async (context) => {
    const view = context.get('view');
    const owner = await ownerOf(view, context.req.query('owner'));
    if (owner === undefined) return context.notFound();
    const browser = await dependencies.memoryBrowser();
    const query = context.req.query('query')?.trim().slice(0, 200) || undefined;
    const before = Number(context.req.query('before'));
    const found =
      query === undefined
        ? await browser.page(owner, {
            before: Number.isSafeInteger(before) && before > 0 ? before : undefined,
            limit: pageEntries,
          })
        : { memories: await (await dependencies.memories(owner)).recall({ query, limit: pageEntries }) };
    const others = view.person.isOperator ? await browser.owners(mostOwners) : [];
    const owners = others.some((each) => each.owner === owner) ? others : [{ owner, memories: 0 }, ...others];
    return context.html(await memoriesPage({ owner, owners, query, ...found }, view));
  });

  app.get('/memories/:owner/:id', async (context) => {
    const view = context.get('view');
    const owner = await ownerOf(view, context.req.param('owner'));
    const memory =
      owner === undefined
        ? undefined
        : await (await dependencies.memoryBrowser()).get(owner, context.req.param('id'));
    if (owner === undefined || !memory) return context.notFound();
    return context.html(await memoryPage(memory, owner, view));
  });

  async function change(
    context: Context<PageContext>,
    work: (acts: Acts, owner: string, id: string) => Promise<keyof Words['notes'] | undefined>,
  ): Promise<Response> {
    const owner = await ownerOf(context.get('view'), context.req.param('owner'));
    if (owner === undefined) return context.notFound();
    const note = await work(context.get('acts'), owner, context.req.param('id') ?? '');
    if (note === undefined) return context.notFound();
    const back =
      note === 'forgotten' ? `/memories?owner=${encodeURIComponent(owner)}&note=forgotten` : undefined;
    return back === undefined ? goBack(context, note, '/memories') : context.redirect(back, 303);
  }

  app.post('/memories/:owner/:id', (context) =>
    change(context, async (acts, owner, id) => {
      const content = (await fieldOf(context, 'content'))?.trim();
      if (!content) return undefined;
      const tags = (await fieldOf(context, 'tags'))?.split(/[,、，]/).map((tag) => tag.trim());
      const category = (await fieldOf(context, 'category'))?.trim();
      try {
        const saved = await acts.changeMemory(owner, id, {
          content,
          category: category || undefined,
          tags: tags?.filter((tag) => tag !== ''),
        });
        return saved && 'saved';
      } catch (error) {
        if (error instanceof ToolError && error.code === 'conflict') return 'same';
        throw error;
      }
    }),
  );

  app.post('/memories/:owner/:id/forget', (context) =>
    change(context, async (acts, owner, id) =>
      (await acts.forgetMemory(owner, id)) ? 'forgotten' : undefined,
    ),
  );
}

const pageEntries = 50;
/** A call may have changed hundreds of files; they fold into one line. */
const pageChanges = 500;
const mostOwners = 500;
