import type { Hono } from 'hono';
import type { UndoSelection } from '../../contract/capabilities/history.ts';
import { ToolError } from '../../contract/error.ts';
import type { Acts } from '../../contract/people/operator.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { changePage, historyPage } from '../pages/history.ts';
import { memoriesPage, memoryPage } from '../pages/memories.ts';
import { addAct, addPage, fieldOf, goBack, type PageContext } from '../pages/page-context.ts';
import type { View } from '../pages/view.ts';
import type { RecentCalls } from '../recent-calls.ts';

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
  addPage(app, '/history', async (view, context) => {
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
    return historyPage({ entries, next, session, call, calls }, view);
  });

  addPage(app, '/history/:id', async (view, context) => {
    const entry = await history?.get(context.req.param('id'));
    return history && entry && changePage(entry, await history.diff(entry, view.locale), view);
  });

  addAct(app, '/history/undo-session', '/history', async (acts, context) => {
    const sessionId = await fieldOf(context, 'session');
    return history && sessionId ? undo(acts, { sessionId }, false) : undefined;
  });

  app.post('/history/undo-call', async (context) => {
    const auditId = await fieldOf(context, 'call');
    if (!history || !auditId) return context.notFound();
    const note = await undo(context.get('acts'), { auditId }, (await fieldOf(context, 'force')) === 'yes');
    return context.redirect(`/history?call=${encodeURIComponent(auditId)}&note=${note}`, 303);
  });

  app.post('/history/:id/undo', async (context) => {
    if (!history) return context.notFound();
    const id = context.req.param('id');
    const force = (await fieldOf(context, 'force')) === 'yes';
    return goBack(
      context,
      await undo(context.get('acts'), { id }, force),
      `/history/${encodeURIComponent(id)}`,
    );
  });

  /** `partly`: some changes of a session were undone before one failed. */
  async function undo(acts: Acts, order: UndoSelection, force: boolean) {
    const { steps, outside } = await acts.undo(order, { force });
    const last = steps.at(-1)?.outcome ?? 'nothing';
    if (!steps.some(({ outcome }) => outcome === 'undone')) return last;
    if (last === 'conflict' || last === 'lost') return 'partly';
    return outside.length > 0 ? 'undoneInside' : 'undone';
  }
}

function addMemories(app: Hono<PageContext>, dependencies: ConsoleDependencies): void {
  async function ownerOf({ person }: View, wanted: string | undefined): Promise<string | undefined> {
    return (await dependencies.operator()).memoryOwner(person, wanted);
  }

  addPage(app, '/memories', async (view, context) => {
    const owner = await ownerOf(view, context.req.query('owner'));
    if (owner === undefined) return undefined;
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
    return memoriesPage({ owner, owners, query, ...found }, view);
  });

  addPage(app, '/memories/:owner/:id', async (view, context) => {
    const owner = await ownerOf(view, context.req.param('owner'));
    if (owner === undefined) return undefined;
    const memory = await (await dependencies.memoryBrowser()).get(owner, context.req.param('id'));
    return memory && memoryPage(memory, owner, view);
  });

  addAct(app, '/memories/:owner/:id', '/memories', async (acts, context) => {
    const owner = await ownerOf(context.get('view'), context.req.param('owner'));
    const content = (await fieldOf(context, 'content'))?.trim();
    if (owner === undefined || !content) return undefined;
    const tags = (await fieldOf(context, 'tags'))?.split(/[,、，]/).map((tag) => tag.trim());
    const category = (await fieldOf(context, 'category'))?.trim();
    try {
      const saved = await acts.changeMemory(owner, context.req.param('id'), {
        content,
        category: category || undefined,
        tags: tags?.filter((tag) => tag !== ''),
      });
      return saved && 'saved';
    } catch (error) {
      if (error instanceof ToolError && error.code === 'conflict') return 'same';
      throw error;
    }
  });

  app.post('/memories/:owner/:id/forget', async (context) => {
    const owner = await ownerOf(context.get('view'), context.req.param('owner'));
    const acts = context.get('acts');
    if (owner === undefined || !(await acts.forgetMemory(owner, context.req.param('id'))))
      return context.notFound();
    return context.redirect(`/memories?owner=${encodeURIComponent(owner)}&note=forgotten`, 303);
  });
}

const pageEntries = 50;
/** A call may have changed hundreds of files; they fold into one line. */
const pageChanges = 500;
const mostOwners = 500;
