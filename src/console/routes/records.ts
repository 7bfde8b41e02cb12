import type { Context, Hono } from 'hono';
import { ToolError } from '../../contract/error.ts';
import type { Memories } from '../../contract/memory.ts';
import { recordAct } from '../acts.ts';
import type { ConsoleDesk } from '../desk.ts';
import { approvalsPage } from '../pages/approvals.ts';
import { changePage, historyPage } from '../pages/history.ts';
import { memoriesPage, memoryPage } from '../pages/memories.ts';
import { fieldOf, goBack, type PageContext } from '../pages/page-context.ts';
import { scopeOf, type View } from '../pages/view.ts';
import { mayAnswer, waitingFor } from '../waiting.ts';
import type { Words } from '../words/en.ts';

/** Pages that act on records: approvals, history, memories. Every act is in the log under the person's name. */
export function addRecordRoutes(app: Hono<PageContext>, desk: ConsoleDesk): void {
  addApprovals(app, desk);
  addHistory(app, desk);
  addMemories(app, desk);
}

function addApprovals(app: Hono<PageContext>, desk: ConsoleDesk): void {
  app.get('/approvals', async (context) => {
    const view = context.get('view');
    const own = scopeOf(view.person);
    const approvals = await desk.approvals();
    const [waiting, grants, past] = await Promise.all([
      waitingFor(view.person, desk),
      approvals.grants(desk.now()),
      approvals.list(undefined, desk.now()),
    ]);
    const isTheirs = ({ principal }: { readonly principal: string }) =>
      own === undefined || principal === own;
    const answered = past.filter((record) => record.status !== 'pending' && isTheirs(record)).slice(0, 50);
    return context.html(
      await approvalsPage({ waiting, grants: grants.filter(isTheirs), past: answered }, view),
    );
  });

  app.post('/approvals/:id', async (context) => {
    const { person } = context.get('view');
    const id = context.req.param('id');
    const answer = answers.get((await fieldOf(context, 'answer')) ?? '');
    const approvals = await desk.approvals();
    const record = await approvals.get(id);
    if (!record || !answer) return goBack(context, 'gone', '/approvals');
    const may = mayAnswer(person, record);
    const refusal = { tool: 'sekisho approve', arguments: { id, ...answer }, outcome: 'error' } as const;
    if (may !== 'yes') {
      await recordAct(desk, person, { ...refusal, code: 'forbidden' });
      return may === 'own' ? goBack(context, 'own', '/approvals') : context.notFound();
    }
    const decided = await approvals.decide(id, answer.decision, person.name, answer.scope, desk.now());
    await recordAct(desk, person, decided ? { ...refusal, outcome: 'ok' } : { ...refusal, code: 'conflict' });
    return goBack(context, decided ? answer.decision : 'gone', '/approvals');
  });

  app.post('/approvals/:id/revoke', async (context) => {
    const { person } = context.get('view');
    if (!person.isOperator) return context.notFound();
    const id = context.req.param('id');
    const revoked = await (await desk.approvals()).revoke(id, desk.now());
    await recordAct(desk, person, {
      tool: 'sekisho approve revoke',
      arguments: { id },
      outcome: revoked ? 'ok' : 'error',
    });
    return goBack(context, revoked ? 'revoked' : 'gone', '/approvals');
  });
}

const answers = new Map([
  ['once', { decision: 'approved', scope: 'once' }],
  ['session', { decision: 'approved', scope: 'session' }],
  ['always', { decision: 'approved', scope: 'always' }],
  ['deny', { decision: 'declined', scope: 'once' }],
] as const) as ReadonlyMap<
  string,
  { readonly decision: 'approved' | 'declined'; readonly scope: 'once' | 'session' | 'always' }
>;

function addHistory(app: Hono<PageContext>, desk: ConsoleDesk): void {
  const { history } = desk;
  app.get('/history', async (context) => {
    const view = context.get('view');
    const session = context.req.query('session');
    const before = Number(context.req.query('before'));
    const entries = await history?.list({
      sessionId: session,
      beforeSeq: Number.isSafeInteger(before) && before > 0 ? before : undefined,
      limit: pageEntries + 1,
    });
    const page = entries?.slice(0, pageEntries) ?? [];
    const next = (entries?.length ?? 0) > pageEntries ? page.at(-1)?.seq : undefined;
    return context.html(await historyPage(history ? page : undefined, next, session, view));
  });

  app.get('/history/:id', async (context) => {
    const entry = await history?.get(context.req.param('id'));
    if (!history || !entry) return context.notFound();
    return context.html(await changePage(entry, await history.diff(entry), context.get('view')));
  });

  app.post('/history/undo-session', async (context) => {
    const sessionId = await fieldOf(context, 'session');
    if (!history || !sessionId) return context.notFound();
    const outcome = await history.undo({ sessionId }, context.get('view').person, false);
    return goBack(context, outcome, '/history');
  });

  app.post('/history/:id/undo', async (context) => {
    if (!history) return context.notFound();
    const id = context.req.param('id');
    const force = (await fieldOf(context, 'force')) === 'yes';
    // The act is written down where it is done, with what came of it.
    const outcome = await history.undo({ id }, context.get('view').person, force);
    return goBack(context, outcome, `/history/${encodeURIComponent(id)}`);
  });
}

function addMemories(app: Hono<PageContext>, desk: ConsoleDesk): void {
  /** Whose memories a request may touch: an operator's choice, everybody else their own, if their token covers them. */
  function ownerOf({ person }: View, given: string | undefined): string | undefined {
    if (person.isOperator) return given ?? person.principal;
    if (person.toolsets && !person.toolsets.includes('assistant')) return undefined;
    return given === undefined || given === person.principal ? person.principal : undefined;
  }

  app.get('/memories', async (context) => {
    const view = context.get('view');
    const owner = ownerOf(view, context.req.query('owner'));
    if (owner === undefined) return context.notFound();
    const browser = await desk.memoryBrowser();
    const query = context.req.query('query')?.trim().slice(0, 200) || undefined;
    const before = Number(context.req.query('before'));
    const found =
      query === undefined
        ? await browser.page(owner, {
            before: Number.isSafeInteger(before) && before > 0 ? before : undefined,
            limit: pageEntries,
          })
        : { memories: await (await desk.memories(owner)).recall({ query, limit: pageEntries }) };
    const others = view.person.isOperator ? await browser.owners(mostOwners) : [];
    const owners = others.some((each) => each.owner === owner) ? others : [{ owner, memories: 0 }, ...others];
    return context.html(await memoriesPage({ owner, owners, query, ...found }, view));
  });

  app.get('/memories/:owner/:id', async (context) => {
    const view = context.get('view');
    const owner = ownerOf(view, context.req.param('owner'));
    const memory =
      owner === undefined
        ? undefined
        : await (await desk.memoryBrowser()).get(owner, context.req.param('id'));
    if (owner === undefined || !memory) return context.notFound();
    return context.html(await memoryPage(memory, owner, view));
  });

  async function change(
    context: Context<PageContext>,
    act: string,
    work: (memories: Memories, id: string) => Promise<keyof Words['notes'] | undefined>,
  ): Promise<Response> {
    const view = context.get('view');
    const id = context.req.param('id') ?? '';
    const owner = ownerOf(view, context.req.param('owner'));
    if (owner === undefined) return context.notFound();
    const note = await work(await desk.memories(owner), id);
    const outcome = note === undefined || note === 'same' ? 'error' : 'ok';
    await recordAct(desk, view.person, { tool: 'sekisho memory', arguments: { act, owner, id }, outcome });
    if (note === undefined) return context.notFound();
    const back =
      note === 'forgotten' ? `/memories?owner=${encodeURIComponent(owner)}&note=forgotten` : undefined;
    return back === undefined ? goBack(context, note, '/memories') : context.redirect(back, 303);
  }

  app.post('/memories/:owner/:id', (context) =>
    change(context, 'edit', async (memories, id) => {
      const content = (await fieldOf(context, 'content'))?.trim();
      if (!content) return undefined;
      const tags = (await fieldOf(context, 'tags'))?.split(/[,、，]/).map((tag) => tag.trim());
      const category = (await fieldOf(context, 'category'))?.trim();
      try {
        const saved = await memories.update(id, {
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
    change(context, 'forget', async (memories, id) =>
      (await memories.forget(id)) ? 'forgotten' : undefined,
    ),
  );
}

const pageEntries = 50;
const mostOwners = 500;
