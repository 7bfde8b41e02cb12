import type { Context, Hono } from 'hono';
import type { Answer, Answered } from '../../contract/people/operator.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { approvalUpdate } from '../pages/approval-cards.ts';
import { approvalsPage, questionPage } from '../pages/approvals.ts';
import { addAct, addPage, fieldOf, type PageContext } from '../pages/page-context.ts';
import { maySee } from '../pages/view.ts';
import { questionsFor } from '../waiting.ts';

/** Questions, their answers, and standing approvals. Every answer is in the log under the person's name. */
export function addApprovals(app: Hono<PageContext>, dependencies: ConsoleDependencies): void {
  addPage(app, '/approvals', async (view) => {
    const approvals = await dependencies.approvals();
    const [waiting, grants, past] = await Promise.all([
      questionsFor(view, dependencies),
      (await dependencies.operator()).grants(),
      approvals.list(undefined, dependencies.now()),
    ]);
    const answered = past.filter((record) => record.status !== 'pending' && maySee(view.person, record));
    const theirs = grants.filter(({ record }) => maySee(view.person, record));
    return approvalsPage({ waiting, grants: theirs, past: answered.slice(0, 50) }, view);
  });

  addPage(app, '/approvals/waiting', async (view) =>
    approvalUpdate(await questionsFor(view, dependencies), view),
  );

  addPage(app, '/approvals/:id', async (view, context) => {
    const record = await (await dependencies.approvals()).get(context.req.param('id'));
    if (!record || !maySee(view.person, record)) return undefined;
    const isOpen = record.status === 'pending' && view.person.isOperator;
    const offers = isOpen ? await (await dependencies.operator()).offers([record]) : new Map();
    return questionPage(record, { records: [record], offers }, view);
  });

  /** Answers exactly the questions that the form showed. */
  addAct(app, '/approvals/answer', '/approvals', async (acts, context) => {
    const answer = await answerOf(context, dependencies.now());
    const ids = questionsIn(await fieldOf(context, 'ids'));
    if (answer?.scope !== 'once' || ids.length === 0) return 'gone';
    const notes = (await acts.answerAll(ids, answer)).map(noteOf);
    if (notes.includes('forbidden')) return undefined;
    const isWhole = notes.every((note) => note === notes[0] || note === 'kept');
    return (isWhole && shownNote(notes[0])) || 'some';
  });

  addAct(app, '/approvals/:id', '/approvals', async (acts, context) => {
    const answer = await answerOf(context, dependencies.now());
    const id = context.req.param('id');
    if (!answer || !(await (await dependencies.approvals()).get(id))) return 'gone';
    return shownNote(noteOf(await acts.answer(id, answer)));
  });

  addAct(app, '/approvals/:id/revoke', '/approvals', async (acts, context) => {
    if (!context.get('view').person.isOperator) return undefined;
    return (await acts.revokeGrant(context.req.param('id'))) ? 'revoked' : 'gone';
  });
}

/** The ids in the form of a group. */
export function questionsIn(ids: string | undefined): readonly string[] {
  return (ids ?? '').split(' ').filter(Boolean).slice(0, mostAtOnce);
}

export function noteOf(answered: Answered) {
  if (answered.outcome !== 'answered') return answered.outcome;
  if (answered.record.status === 'declined') return 'declined';
  return answered.isTaken ? 'approved' : 'kept';
}

function shownNote(note: ReturnType<typeof noteOf> | undefined) {
  return note === 'forbidden' ? undefined : note;
}

async function answerOf(context: Context<PageContext>, nowMs: number): Promise<Answer | undefined> {
  const answer = await fieldOf(context, 'answer');
  if (answer === 'deny') {
    const instead = await fieldOf(context, 'instead');
    return { decision: 'declined', scope: 'once', instead };
  }
  const decision = 'approved';
  if (answer === 'hour') return { decision, scope: 'until', untilMs: nowMs + 3_600_000 };
  if (answer === 'until') {
    // The whole of that day, by the clock of this machine.
    const untilMs = Date.parse(`${await fieldOf(context, 'until')}T23:59:59`);
    return Number.isFinite(untilMs) ? { decision, scope: 'until', untilMs } : undefined;
  }
  const scope = (['once', 'session', 'folder', 'always'] as const).find((each) => each === answer);
  return scope && { decision, scope };
}

const mostAtOnce = 200;
