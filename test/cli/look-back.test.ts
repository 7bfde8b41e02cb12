import { expect, test } from 'vitest';
import type { Key } from '../../src/cli/approve/watch/screen.ts';
import { keysIn } from '../../src/cli/approve/watch/screen.ts';
import { pressed, type Watching, withQuestions } from '../../src/cli/approve/watch/state.ts';
import { linesOf } from '../../src/cli/approve/watch/view.ts';
import type { ApprovalRecord } from '../../src/contract/records.ts';
import { verbatim } from '../../src/contract/text/text.ts';
import { digestWords } from '../../src/ground/text/digest-words.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';

const rules = [{ id: 'live', path: 'live/**', decision: 'ask' as const, because: 'Customers see it.' }];

test('a session is told as a story, and a while as a digest: what was asked, run and changed, and by whom answered', async () => {
  await using world = await openTestCheckpoint({ config: { rules, approval: { waitMs: 20 } } });
  const arrival = { transport: 'ask', connectionId: 'one', said: 'Publish\u001b[2K the page' } as const;
  await world.call('file_write', { path: 'a.txt', content: 'one\n' }, { arrival });
  await world.call('file_write', { path: 'a.txt', content: 'two\n', overwrite: true }, { arrival });
  await world.call('file_write', { path: 'live/a', content: 'x' }, { arrival });
  const { approvals } = await world.checkpoint.store();
  const [question] = await approvals.list('pending', Date.now());
  const operator = await world.checkpoint.operator();
  const me = { name: 'cli:me', principal: 'local', isOperator: true, face: 'cli' } as const;
  await operator.as(me).answer(question?.id ?? '', { decision: 'declined', scope: 'once' });

  const digest = await operator.digest(Date.now() - 60_000);
  expect(digest).toMatchObject({
    calls: 3,
    counts: { changed: 2, asked: 1 },
    isCut: false,
    questions: { waiting: 0, answered: [{ by: 'cli:me', decision: 'declined', times: 1 }] },
    changes: [{ change: 'created', times: 2, entry: { path: 'a.txt' } }],
  });
  expect(digestWords(digest).en).toContain('"Publish the page"');
  const story = await operator.story(digest.sessions[0]?.sessionId ?? '');
  expect(story).toMatchObject({
    said: ['Publish the page'],
    steps: [
      { kind: 'changed', line: 'a.txt', times: 2 },
      { kind: 'asked', line: 'live/a', rule: 'live' },
    ],
    changes: [{ change: 'created', times: 2, entry: { before: { kind: 'absent' } } }],
  });
  expect(await operator.story('no such session')).toBeUndefined();
});

const question = (id: string): ApprovalRecord => ({
  id,
  principal: 'local',
  sessionId: 's',
  tool: 'bash',
  digest: id,
  rule: 'r',
  status: 'pending' as const,
  message: verbatim(`run ${id}`),
  createdAtMs: 0,
  expiresAtMs: 1,
});
const empty: Watching = {
  questions: [],
  calls: [],
  selected: undefined,
  movedAt: -1e6,
  scrolled: 0,
  note: '',
};

/** What these keys lead to, pressed at a time. */
function keys(sent: string, at: number, from: Watching) {
  let state = from;
  let wish: ReturnType<typeof pressed>['wish'];
  for (const key of keysIn(sent)) {
    const came = pressed(state, key as Key, ['a', 'b'], at);
    state = came.state;
    wish = came.wish ?? wish;
  }
  return wish;
}

test('the watching terminal answers the question under the keys, all alike, or says what to do instead', () => {
  const state = withQuestions(empty, [question('a'), question('b')], [], 0);
  const once = { decision: 'approved', scope: 'once' };
  expect(keys('y', 5000, state)).toMatchObject({ kind: 'answer', ids: ['a'], answer: once });
  expect(keys('\x1b[By', 5000, state)).toMatchObject({ ids: ['b'] });
  expect(keys('Y', 5000, state)).toMatchObject({ ids: ['a', 'b'], answer: once });
  expect(keys('iUse y\x7fn\r', 5000, state)).toMatchObject({
    ids: ['a'],
    answer: { decision: 'declined', instead: 'Use n' },
  });
  expect(keys('a', 5000, state)).toEqual({ kind: 'offer', scope: 'always', id: 'a' });
  expect(keys('q', 0, state)).toEqual({ kind: 'leave' });
});

test('a key that was meant for the question before answers none, and an empty list nothing', () => {
  const state = withQuestions(empty, [question('a')], [], 0);
  const next = withQuestions(state, [question('b')], [], 1000);
  expect(next.selected).toBe('b');
  expect(keys('y', 1600, next)).toBeUndefined();
  expect(keys('y', 1800, next)).toMatchObject({ ids: ['b'] });
  expect(keys('ynYNi\rhsfa', 5000, empty)).toBeUndefined();
});

test.each([
  [80, 24],
  [20, 8],
  [200, 60],
])('the screen fits %i columns and %i rows, and a hostile question stays in its lines', (columns, rows) => {
  const long = { ...question('a'), message: verbatim(`${'漢字'.repeat(400)}\n+ added\n- gone`) };
  const lines = linesOf(withQuestions(empty, [long], [], 0), { columns, rows }, ['a']);
  expect(lines.length).toBeLessThanOrEqual(rows);
});
