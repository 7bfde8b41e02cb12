import type { Context, Hono } from 'hono';
import type { NoticeLink } from '../../contract/people/notice.ts';
import type { ApprovalRecord } from '../../contract/records.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { isOwnOrigin } from '../headers.ts';
import { linkPage } from '../pages/link.ts';
import { fieldOf, type PageContext, problem } from '../pages/page-context.ts';
import { assertionOptions, proven, relyingPartyOf } from '../passkeys/ceremony.ts';
import { noteOf } from './approvals.ts';

/**
 * The page that a push opens: the questions of that notice, in full, for the one device that could read its address.
 * The address alone answers nothing: both answers need a passkey, whose device signs the question's digest and the
 * answer.
 */
export function addLinkRoutes(app: Hono<PageContext>, dependencies: ConsoleDependencies): void {
  app.get('/q/:secret', async (context) => {
    const link = await linkOf(context);
    if (!link) return problem(context, 'linkGone');
    return context.html(await shown(context, link));
  });

  app.post('/q/:secret/unlock', async (context) => {
    if (!isOwnOrigin(context.req.raw)) return context.body(null, 403);
    const record = await boundTo(context, await linkOf(context));
    const answer = await fieldOf(context, 'answer');
    if (record?.status !== 'pending' || !isAnswer(answer)) return context.body(null, 410);
    const purpose = { kind: 'answer', question: record.id, digest: record.digest, answer } as const;
    return context.json(await assertionOptions(context.req.raw, purpose, dependencies));
  });

  app.post('/q/:secret', async (context) => {
    if (!isOwnOrigin(context.req.raw)) return context.body(null, 403);
    const link = await linkOf(context);
    const record = await boundTo(context, link);
    const answer = await fieldOf(context, 'answer');
    if (!link || !record || !isAnswer(answer)) return problem(context, 'linkGone');
    const purpose = { kind: 'answer', question: record.id, digest: record.digest, answer } as const;
    const assertion = (await fieldOf(context, 'assertion')) ?? '';
    const owner = await proven(context.req.raw, assertion, purpose, dependencies);
    if (!owner) return problem(context, 'locked');
    const acts = (await dependencies.operator()).as(owner.person);
    const decision = answer === 'once' ? 'approved' : 'declined';
    const answered = await acts.answer(record.id, { decision, scope: 'once' });
    const note = noteOf(answered);
    return context.html(await shown(context, link, note === 'forbidden' || note === 'wide' ? 'gone' : note));
  });

  app.post('/q/:secret/halt/unlock', async (context) => {
    if (!isOwnOrigin(context.req.raw)) return context.body(null, 403);
    if (!(await linkOf(context))) return context.body(null, 410);
    return context.json(await assertionOptions(context.req.raw, { kind: 'halt' }, dependencies));
  });

  app.post('/q/:secret/halt', async (context) => {
    if (!isOwnOrigin(context.req.raw)) return context.body(null, 403);
    const link = await linkOf(context);
    if (!link) return problem(context, 'linkGone');
    const assertion = (await fieldOf(context, 'assertion')) ?? '';
    const owner = await proven(context.req.raw, assertion, { kind: 'halt' }, dependencies);
    if (!owner) return problem(context, 'locked');
    await (await dependencies.operator()).as(owner.person).halt();
    return context.html(await shown(context, link, 'halted'));
  });

  async function linkOf(context: Context<PageContext>): Promise<NoticeLink | undefined> {
    const secret = context.req.param('secret') ?? '';
    const link = await (await dependencies.notices()).findLink(secret, dependencies.now());
    return link?.kind === 'view' ? link : undefined;
  }

  async function boundTo(context: Context<PageContext>, link: NoticeLink | undefined) {
    const id = await fieldOf(context, 'id');
    const bound = link?.questions.find((each) => each.id === id);
    const record = bound && (await (await dependencies.approvals()).get(bound.id));
    return record?.digest === bound?.digest ? record : undefined;
  }

  async function shown(
    context: Context<PageContext>,
    link: NoticeLink,
    note?: 'approved' | 'kept' | 'declined' | 'gone' | 'own' | 'halted',
  ) {
    const approvals = await dependencies.approvals();
    const records = await Promise.all(link.questions.map(({ id }) => approvals.get(id)));
    const { host } = relyingPartyOf(context.req.raw);
    const passkeys = await (await dependencies.passkeys()).list();
    return linkPage(
      {
        action: `/q/${context.req.param('secret')}`,
        records: records.filter((record): record is ApprovalRecord => record !== undefined),
        canAnswer: passkeys.some((passkey) => passkey.host === host),
        note,
      },
      { ...context.get('outside'), dependencies },
    );
  }
}

function isAnswer(words: string | undefined): words is 'once' | 'deny' {
  return words === 'once' || words === 'deny';
}
