import type { Flags } from '../../../config/settings.ts';
import { ConfigError } from '../../../contract/error.ts';
import type { Answered } from '../../../contract/people/operator.ts';
import { text } from '../../../contract/text/text.ts';
import { groupsOf } from '../../../ground/questions/question-groups.ts';
import { inLocale } from '../../common/say.ts';
import { type AtWork, withOperator } from '../../common/with-operator.ts';
import { openScreen } from './screen.ts';
import { pressed, type Watching, type Wish, withQuestions } from './state.ts';
import { linesOf } from './view.ts';

/** Shows questions and calls on the whole screen, until the person leaves. */
export function watchQuestions(flags: Flags): Promise<number> {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY)
    throw new ConfigError(
      '--watch needs a terminal; `sekisho approve` lists the questions anywhere.',
      '--watch にはターミナルが必要です。質問の一覧は `sekisho approve` でどこからでも確認できます。',
    );
  return withOperator(flags, async (at) => {
    await watching(at);
    return 0;
  });
}

async function watching(at: AtWork): Promise<void> {
  const { approvals, audit } = await at.checkpoint.store();
  let state: Watching = {
    questions: [],
    calls: [],
    selected: undefined,
    movedAt: 0,
    scrolled: 0,
    note: '',
  };
  const left = Promise.withResolvers<void>();
  const group = () =>
    groupsOf(state.questions)
      .find(({ records }) => records.some(({ id }) => id === state.selected))
      ?.records.map(({ id }) => id) ?? [];
  const draw = () => screen.draw(linesOf(state, screen.size(), group()));
  const look = async (): Promise<void> => {
    const [waiting, calls] = await Promise.all([
      approvals.list('pending', Date.now()),
      audit.search({ limit: 20, newestFirst: true }),
    ]);
    const real = calls.filter(({ tool }) => !tool.startsWith('sekisho '));
    state = withQuestions(state, waiting.toReversed(), real, performance.now());
    draw();
  };
  // In order: a key's action is done before the next key is read.
  let work: Promise<unknown> = Promise.resolve();
  const after = (next: () => Promise<void>) => {
    work = work.then(next).catch(left.reject);
  };
  const screen = openScreen(process.stdin, process.stdout, {
    key: (key) =>
      after(async () => {
        const came = pressed(state, key, group(), performance.now());
        state = came.state;
        if (came.wish?.kind === 'leave') return left.resolve();
        if (came.wish) state = await fulfilled(came.wish, state, at);
        if (came.wish?.kind === 'answer') await look();
        draw();
      }),
    resize: draw,
  });
  const timer = setInterval(() => after(look), lookEveryMs);
  const stop = () => left.resolve();
  process.once('SIGTERM', stop);
  process.once('SIGHUP', stop);
  try {
    after(look);
    await left.promise;
  } finally {
    clearInterval(timer);
    process.off('SIGTERM', stop);
    process.off('SIGHUP', stop);
    screen.close();
    await work;
  }
}

async function fulfilled(
  wish: Exclude<Wish, { readonly kind: 'leave' }>,
  state: Watching,
  { acts, operator }: AtWork,
): Promise<Watching> {
  if (wish.kind === 'offer') {
    const record = state.questions.find(({ id }) => id === wish.id);
    const offers = record ? (await operator.offers([record])).get(wish.id) : undefined;
    const offer = offers?.find(({ scope }) => scope === wish.scope);
    return { ...state, offer, note: offer ? '' : inLocale(labels.notSoFar) };
  }
  const answered = await acts.answerAll(wish.ids, wish.answer);
  return { ...state, note: noteOf(answered), scrolled: 0 };
}

function noteOf(answered: readonly Answered[]): string {
  const done = answered.filter(({ outcome }) => outcome === 'answered').length;
  return inLocale(done === answered.length ? labels.done : labels.gone);
}

const labels = {
  done: text('Answered.', '回答しました。'),
  gone: text('It was answered already, or has expired.', 'すでに回答されたか、期限が切れています。'),
  notSoFar: text('This question cannot be allowed that widely.', 'この質問はそこまで広くは許可できません。'),
} as const;

const lookEveryMs = 500;
