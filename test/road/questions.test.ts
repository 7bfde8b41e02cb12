import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rulePlaces } from '../../src/config/file/file.ts';
import type { Answer } from '../../src/contract/call.ts';
import type { Person } from '../../src/contract/people/person.ts';
import type { ApprovalRecord } from '../../src/contract/records.ts';
import { groupsOf } from '../../src/ground/questions/question-groups.ts';
import { errorOf, openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';

type World = Awaited<ReturnType<typeof openTestCheckpoint>>;

const me: Person = { name: 'cli:me', principal: 'local', isOperator: true, face: 'cli' };
const config = {
  rules: [
    { id: 'live', path: 'live/**', decision: 'ask' as const, because: 'Customers see it.' },
    {
      id: 'prod',
      path: 'prod/**',
      decision: 'ask' as const,
      answer: 'person' as const,
      because: 'Money moves.',
    },
  ],
  approval: { waitMs: 50 },
};
const write = (path: string, content = 'new') => ({ path, content, overwrite: true });

/** The question that a call was refused with. */
async function asked(world: World, path: string, content?: string): Promise<ApprovalRecord> {
  const { details } = errorOf(await world.call('file_write', write(path, content)));
  const { approval_id } = details as { approval_id: string };
  const record = await (await world.checkpoint.store()).approvals.get(approval_id);
  if (!record) throw new Error('nothing was asked');
  return record;
}

async function acts(world: World, person: Partial<Person> = {}) {
  return (await world.checkpoint.operator()).as({ ...me, ...person });
}

test('what only a person answers is not put to a client, and no wider yes fits it', async () => {
  await using world = await openTestCheckpoint({ config });
  const put: string[] = [];
  const accept = async (): Promise<Answer> => {
    put.push('asked');
    return { action: 'accept', scope: 'session' };
  };
  const arrival = { transport: 'stdio', connectionId: 'c' } as const;
  const reply = await world.call('file_write', write('prod/a'), { arrival, elicit: accept });
  expect(errorOf(reply)).toMatchObject({ code: 'approval_pending', details: { answer: 'person' } });
  const retried = await world.call('file_write', write('prod/a'), { arrival, canRetry: true });
  expect(errorOf(retried).code).toBe('approval_pending');
  expect(put).toEqual([]);

  const record = await asked(world, 'prod/b');
  expect(record).toMatchObject({ answer: 'person', grant: undefined });
  expect(record.message.en).toContain('Only a person can answer this, and only for this call.');
  for (const scope of ['session', 'folder', 'always', 'until'] as const) {
    const wide = await (await acts(world)).answer(record.id, {
      decision: 'approved',
      scope,
      untilMs: Date.now() + 9e5,
    });
    expect(wide.outcome).toBe('wide');
  }
  expect((await (await acts(world)).answer(record.id, { decision: 'approved', scope: 'once' })).outcome).toBe(
    'answered',
  );
  outputOf(await world.call('file_write', write('prod/b')));
  expect(errorOf(await world.call('file_write', write('prod/b'))).code).toBe('approval_pending');
});

test('a question of a person is answered by no face but ours, and by no token of its caller', async () => {
  await using world = await openTestCheckpoint({ config });
  const { id } = await asked(world, 'prod/a');
  const yes = { decision: 'approved', scope: 'once' } as const;
  const others = [{ face: 'webhook' as never }, { isOperator: false }];
  for (const person of others)
    expect((await (await acts(world, person)).answer(id, yes)).outcome).toBe('forbidden');
  expect(existsSync(join(world.root, 'prod/a'))).toBe(false);
});

test('a rule that only a person answers is not hidden by another that asks, nor answered by an allow', async () => {
  const rules = [
    { id: 'any', tool: 'file_write', decision: 'ask' as const, because: 'Look first.' },
    { id: 'all', tool: '*', decision: 'allow' as const, because: 'Trusted.' },
    ...config.rules,
  ];
  await using world = await openTestCheckpoint({ config: { ...config, rules } });
  expect(await asked(world, 'prod/a')).toMatchObject({ rule: 'prod', answer: 'person' });
  expect(await asked(world, 'x/a')).toMatchObject({ rule: 'any', answer: undefined });
});

test('a yes for a folder holds there and below, for no other folder, tool or caller, and until it is taken back', async () => {
  await using world = await openTestCheckpoint({ config });
  const record = await asked(world, 'live/one/a');
  expect(record.folder).toBe(join(world.root, 'live/one'));
  const operator = await world.checkpoint.operator();
  const offers = (await operator.offers([record])).get(record.id) ?? [];
  expect(offers.map(({ scope }) => scope)).toEqual(['session', 'until', 'folder', 'always']);
  expect(offers[2]?.rule).toContain(`"folder":"${join(world.root, 'live/one')}/**"`);

  await (await acts(world)).answer(record.id, { decision: 'approved', scope: 'folder' });
  for (const path of ['live/one/a', 'live/one/b', 'live/one/deep/c'])
    outputOf(await world.call('file_write', write(path)));
  for (const path of ['live/a', 'live/ones/a', 'live/two/a', 'live/one/../two/b'])
    expect(errorOf(await world.call('file_write', write(path))).code).toBe('approval_pending');

  const [grant] = await operator.grants();
  expect(grant).toMatchObject({ isUnused: false, record: { lastUsedAtMs: expect.any(Number) } });
  expect(await (await acts(world)).revokeGrant(record.id)).toBe(true);
  expect(errorOf(await world.call('file_write', write('live/one/e'))).code).toBe('approval_pending');
});

test('a yes until a time ends by itself; what nothing needed for two weeks is offered for removal', async () => {
  let nowMs = Date.now();
  const day = 24 * 3_600_000;
  await using world = await openTestCheckpoint({ config, options: { now: () => nowMs } });
  const record = await asked(world, 'live/a');
  const far = await (await acts(world)).answer(record.id, {
    decision: 'approved',
    scope: 'until',
    untilMs: nowMs + 400 * day,
  });
  expect(far.outcome).toBe('wide');
  await (await acts(world)).answer(record.id, {
    decision: 'approved',
    scope: 'until',
    untilMs: nowMs + 30 * day,
  });
  outputOf(await world.call('file_write', write('live/a')));
  nowMs += 15 * day;
  const operator = await world.checkpoint.operator();
  expect(await operator.grants()).toMatchObject([{ isUnused: true, endsAtMs: nowMs + 15 * day }]);
  outputOf(await world.call('file_write', write('live/a', 'newer')));
  expect(await operator.grants()).toMatchObject([{ isUnused: false }]);
  nowMs += 15 * day + 1;
  expect(await operator.grants()).toEqual([]);
  expect(errorOf(await world.call('file_write', write('live/a', 'newest'))).code).toBe('approval_pending');
});

test('a question says what a yes to all like it would have allowed of the last calls', async () => {
  await using world = await openTestCheckpoint({
    config: { ...config, process: { network: [{ host: 'github', tls: 'tunnel' }] } },
  });
  const push = (branch: string) => world.call('shell_exec', { command: `git push origin ${branch}` });
  await push('one');
  await push('two');
  await push('--force three');
  const { approvals } = await world.checkpoint.store();
  await push('four');
  const [record] = await approvals.list('pending', Date.now());
  expect(record?.message.en).toContain('would have allowed 2 calls of the last 3, among them');
  expect(record?.message.en).toContain('`git push origin two`');
  expect(record?.message.en).not.toContain('three');
});

test('a no with what to do instead reaches the model, cleaned, bounded and marked as the words of a person', async () => {
  let nowMs = Date.now();
  await using world = await openTestCheckpoint({ config, options: { now: () => nowMs } });
  const record = await asked(world, 'live/a');
  const instead = `Write it to\u001b[2K\u202e draft/a\nfirst ${'x'.repeat(900)}`;
  await (await acts(world)).answer(record.id, { decision: 'declined', scope: 'once', instead });
  const { approvals } = await world.checkpoint.store();
  expect((await approvals.get(record.id))?.instead?.length).toBeLessThanOrEqual(500);

  const said = await world.call('file_write', write('live/b'), {
    elicit: async () => {
      nowMs += 3000;
      return { action: 'decline', instead: ' Use draft/b. \u001b[2K' };
    },
  });
  expect(errorOf(said)).toMatchObject({
    code: 'denied',
    suggestion: 'The person says what to do instead: "Use draft/b."',
    details: { instead: 'Use draft/b.' },
  });
});

test('questions alike are one group; its answer is bound to each call, recorded for each, and to nothing newer', async () => {
  await using world = await openTestCheckpoint({ config });
  for (const name of ['a', 'b', 'c']) await asked(world, `live/${name}`);
  await asked(world, 'prod/a');
  const { approvals, audit } = await world.checkpoint.store();
  const groups = groupsOf(await approvals.list('pending', Date.now()));
  expect(groups.map(({ records }) => records.length).sort()).toEqual([1, 3]);
  const group = groups.find(({ records }) => records.length === 3);
  await asked(world, 'live/later');
  const now = groupsOf(await approvals.list('pending', Date.now()));
  expect(now.some(({ id }) => id === group?.id)).toBe(false);

  const ids = (group?.records ?? []).map(({ id }) => id);
  const answered = await (await acts(world)).answerAll(ids, { decision: 'approved', scope: 'once' });
  expect(answered.map(({ outcome }) => outcome)).toEqual(['answered', 'answered', 'answered']);
  for (const name of ['a', 'b', 'c']) outputOf(await world.call('file_write', write(`live/${name}`)));
  expect(errorOf(await world.call('file_write', write('live/a'))).code).toBe('approval_pending');
  expect(errorOf(await world.call('file_write', write('live/later'))).code).toBe('approval_pending');
  await audit.flush();
  expect(await audit.search({ limit: 20, tool: 'sekisho approve' })).toHaveLength(3);
});

test('every refusal and every question says where its rule is written', async () => {
  const rules = [
    ...config.rules,
    { id: 'keys', path: 'keys/**', decision: 'deny' as const, because: 'Keys stay.' },
  ];
  await using world = await openTestCheckpoint({ config: { ...config, rules } });
  expect(errorOf(await world.call('file_write', write('keys/a'))).message).toContain(
    'Denied by rule keys (sekisho.jsonc:1).',
  );
  const builtin = errorOf(await world.call('shell_exec', { command: 'rm -rf /' }));
  expect(builtin.message).toMatch(/Denied by rule [\w-]+ \(built in\)\.$/);
  const writtenAt = `${join(world.folder, 'sekisho.jsonc')}:1`;
  const record = await asked(world, 'live/a');
  expect(record).toMatchObject({ writtenAt });
  expect(record.message.en).toContain(`(live, ${writtenAt})`);
  const { audit } = await world.checkpoint.store();
  await audit.flush();
  const [last] = await audit.search({ limit: 1, newestFirst: true });
  expect(last?.facts?.policy).toMatchObject({
    decision: 'ask',
    writtenAt,
    because: { en: 'Customers see it.' },
  });
});

test('a rule is written at its own line, whatever stands between', () => {
  const words =
    '{\n  // one\n  "rules": [\n    { "a": 1 },\n\n    /* no */ { "b":\n2 }, { "c": 3 },\n  ],\n}\n';
  expect(rulePlaces('/c', words)).toEqual(['/c:4', '/c:6', '/c:7']);
  expect(rulePlaces('/c', '{}')).toEqual([]);
});

test('who answers can only be said of a question', async () => {
  const rule = { path: 'a', decision: 'deny' as const, answer: 'person' as const, because: 'No.' };
  await expect(openTestCheckpoint({ config: { rules: [rule] } })).rejects.toThrow(
    /"answer" says who answers a question, and needs "decision": "ask"/,
  );
});
