import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Answer, Call, Question } from '../../src/contract/call.ts';
import { errorOf, local, openTestCheckpoint, outputOf, remote } from '../support/open-test-checkpoint.ts';

/** Writing below `live/` needs a person; nobody waits long for one. */
const config = {
  rules: [
    { id: 'live', path: 'live/**', decision: 'ask' as const, because: 'Live pages are seen by customers.' },
  ],
  approval: { waitMs: 50 },
};
const write = { path: 'live/a.txt', content: 'new' };

function written(root: string): string | undefined {
  const path = join(root, 'live/a.txt');
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

test('nobody there: the call is refused, says how a person approves, and nothing was written', async () => {
  await using world = await openTestCheckpoint({ config });
  const error = errorOf(await world.call('file_write', write));
  expect(error).toMatchObject({
    code: 'approval_pending',
    details: { rule: expect.stringContaining('live') },
  });
  expect(String(error.suggestion)).toContain('sekisho approve');
  expect(written(world.root)).toBeUndefined();
});

test('approved in the queue: the same call runs once, and the next one asks again', async () => {
  await using world = await openTestCheckpoint({ config });
  const { approvals } = await world.checkpoint.store();
  const error = errorOf(await world.call('file_write', write));
  const { approval_id } = error.details as { approval_id: string };
  await approvals.decide(approval_id, 'approved', 'cli:me', 'once', Date.now());

  outputOf(await world.call('file_write', write));
  expect(written(world.root)).toBe('new');
  const again = errorOf(await world.call('file_write', { ...write, overwrite: true }));
  expect(again.code).toBe('approval_pending');
});

test('an approval does not fit other arguments, another caller, or a second use', async () => {
  await using world = await openTestCheckpoint({ config });
  const { approvals, tokens } = await world.checkpoint.store();
  const { token } = await tokens.create({ user: 'mallory' });
  const { approval_id } = errorOf(await world.call('file_write', write)).details as { approval_id: string };
  await approvals.decide(approval_id, 'approved', 'cli:me', 'once', Date.now());

  const altered = await world.call('file_write', { ...write, content: 'altered' });
  expect(errorOf(altered).code).toBe('approval_pending');
  const other = await world.call('file_write', write, { arrival: remote(token) });
  expect(errorOf(other).code).toBe('approval_pending');
  expect(written(world.root)).toBeUndefined();

  outputOf(await world.call('file_write', write));
  const replayed = await world.call('file_write', write);
  expect(errorOf(replayed).code).toBe('approval_pending');
});

test('an approval expires', async () => {
  let nowMs = Date.now();
  await using world = await openTestCheckpoint({
    config: { ...config, approval: { waitMs: 50, expiryMs: 60_000 } },
    options: { now: () => nowMs },
  });
  const { approvals } = await world.checkpoint.store();
  const { approval_id } = errorOf(await world.call('file_write', write)).details as { approval_id: string };
  await approvals.decide(approval_id, 'approved', 'cli:me', 'once', nowMs);
  nowMs += 61_000;
  expect(errorOf(await world.call('file_write', write)).code).toBe('approval_pending');
  expect(written(world.root)).toBeUndefined();
});

/** A client answers its question after so long, by the test's clock. */
async function answeredAfter(answer: Answer, tookMs: number) {
  let nowMs = Date.now();
  const world = await openTestCheckpoint({ config, options: { now: () => nowMs } });
  const questions: Question[] = [];
  const reply = await world.call('file_write', write, {
    elicit: async (question) => {
      questions.push(question);
      nowMs += tookMs;
      return answer;
    },
  });
  const { approvals, audit } = await world.checkpoint.store();
  await audit.flush();
  const [record] = await audit.search({ limit: 1, newestFirst: true });
  const pending = await approvals.list('pending', nowMs);
  return { world, questions, reply, record, pending };
}

test('a client that can ask: its yes lets the call through', async () => {
  const { world, questions, reply } = await answeredAfter({ action: 'accept' }, 3000);
  await using _ = world;
  expect(questions).toHaveLength(1);
  expect(questions[0]?.message).toContain('live/a.txt');
  expect(questions[0]?.message).toContain('Live pages are seen by customers.');
  outputOf(reply);
  expect(written(world.root)).toBe('new');
});

test.each([
  ['decline', 'A person was asked and refused.'],
  ['cancel', 'The person closed the question without an answer.'],
] as const)("a person's %s ends the question, and the record names who gave it", async (action, message) => {
  const { world, reply, record, pending } = await answeredAfter({ action }, 3000);
  await using _ = world;
  expect(errorOf(reply)).toMatchObject({ code: 'denied', message });
  expect(pending).toEqual([]);
  expect(record).toMatchObject({ code: 'denied', approver: 'client stdio' });
  expect(written(world.root)).toBeUndefined();
});

test.each(['decline', 'cancel'] as const)(
  "a %s quicker than any person is nobody's: the question stays, and the record says what gave it",
  async (action) => {
    const { world, reply, record, pending } = await answeredAfter({ action }, 40);
    await using _ = world;
    const error = errorOf(reply);
    expect(error.code).toBe('approval_pending');
    expect(error.message).toBe(
      'A person must approve this first. This client answered the question by itself; no person saw it.',
    );
    expect(pending).toHaveLength(1);
    expect(record).toMatchObject({ code: 'approval_pending', approver: 'client stdio, by itself' });
    expect(written(world.root)).toBeUndefined();
  },
);

test('questions that a program answered by itself leave room for those of a person within minutes', async () => {
  let nowMs = Date.now();
  await using world = await openTestCheckpoint({ config, options: { now: () => nowMs } });
  const elicit = async () => ({ action: 'decline' as const });
  const ask = (n: number) => world.call('file_write', { ...write, content: String(n) }, { elicit });
  for (let n = 0; n < 200; n++) await ask(n);
  expect(errorOf(await ask(200)).code).toBe('rate_limited');
  nowMs += 6 * 60_000;
  expect(errorOf(await ask(201)).code).toBe('approval_pending');
});

test('a client that says that nobody is at it declines for nobody, however slowly', async () => {
  let nowMs = Date.now();
  await using world = await openTestCheckpoint({ config, options: { now: () => nowMs } });
  const answer = (action: Answer['action'], tookMs: number) => async () => {
    nowMs += tookMs;
    return { action };
  };
  const codeOf = async (more: Partial<Call>) => errorOf(await world.call('file_write', write, more)).code;

  expect(await codeOf({ isUnattended: true, elicit: answer('decline', 9000) })).toBe('approval_pending');
  expect(await codeOf({ elicit: answer('decline', 9000) })).toBe('denied');
});

test('who once answered quicker than a key is pressed declines for nobody after it, until somebody agrees', async () => {
  let nowMs = Date.now();
  await using world = await openTestCheckpoint({ config, options: { now: () => nowMs } });
  const send = (action: Answer['action'], tookMs: number, more: Partial<Call> = {}) =>
    world.call('file_write', write, {
      elicit: async () => {
        nowMs += tookMs;
        return { action };
      },
      ...more,
    });
  const other = { arrival: { ...local, connectionId: 'another' } };

  expect(errorOf(await send('decline', 5)).code).toBe('approval_pending');
  expect(errorOf(await send('decline', 9000)).code).toBe('approval_pending');
  expect(errorOf(await send('decline', 9000, other)).code).toBe('denied');
  outputOf(await send('accept', 9000));
  const again = { ...write, path: 'live/b.txt' };
  const elicit = async () => {
    nowMs += 9000;
    return { action: 'decline' } as const;
  };
  expect(errorOf(await world.call('file_write', again, { elicit })).code).toBe('denied');
});

test("the newest protocol: a decline that comes back at once is nobody's either", async () => {
  await using world = await openTestCheckpoint({ config });
  const asked = await world.call('file_write', write, { canRetry: true });
  if (asked.kind !== 'question') throw new Error('expected a question');
  const again = {
    canRetry: true,
    answer: { action: 'decline' },
    questionState: asked.question.state,
  } as const;
  expect(errorOf(await world.call('file_write', write, again)).code).toBe('approval_pending');
});

test('a client that fails to ask, or never answers, gets a refusal', async () => {
  await using world = await openTestCheckpoint({ config });
  const failing = await world.call('file_write', write, { elicit: () => Promise.reject(new Error('no')) });
  expect(errorOf(failing).code).toBe('approval_pending');
  const silent = await world.call('file_write', write, { elicit: () => new Promise(() => {}) });
  expect(errorOf(silent).code).toBe('approval_pending');
  expect(written(world.root)).toBeUndefined();
});

test('the newest protocol: the question goes out, and its answer comes back with the call', async () => {
  await using world = await openTestCheckpoint({ config });
  const asked = await world.call('file_write', write, { canRetry: true });
  if (asked.kind !== 'question') throw new Error('expected a question');
  const answer = { action: 'accept' } as const;

  const forged = await world.call('file_write', write, {
    canRetry: true,
    answer,
    questionState: `${asked.question.approvalId}.made-up`,
  });
  expect(forged.kind).toBe('question');
  const elsewhere = await world.call(
    'file_write',
    { ...write, content: 'altered' },
    { canRetry: true, answer, questionState: asked.question.state },
  );
  expect(elsewhere.kind).toBe('question');
  expect(written(world.root)).toBeUndefined();

  outputOf(
    await world.call('file_write', write, { canRetry: true, answer, questionState: asked.question.state }),
  );
  expect(written(world.root)).toBe('new');
});

test('allowed for the session: its like passes here, and not in another session', async () => {
  await using world = await openTestCheckpoint({ config });
  const { approvals } = await world.checkpoint.store();
  const { approval_id } = errorOf(await world.call('file_write', write)).details as { approval_id: string };
  await approvals.decide(approval_id, 'approved', 'cli:me', 'session', Date.now());
  outputOf(await world.call('file_write', write));
  const other = await world.call(
    'file_write',
    { ...write, overwrite: true },
    {
      arrival: { transport: 'stdio', connectionId: 'another-connection' },
    },
  );
  expect(errorOf(other).code).toBe('approval_pending');
});

test('what a person reads holds no escape that could make it read otherwise', async () => {
  await using world = await openTestCheckpoint({ config });
  const { approvals } = await world.checkpoint.store();
  const content = 'harmless\u001b[2K\r\u202eevil\u0007';
  await world.call('file_write', { path: 'live/a\u202e.txt', content });
  const [pending] = await approvals.list('pending', Date.now());
  expect(pending?.message.en).toContain('harmless');
  expect(pending?.message.ja).not.toMatch(/[\u001b\r\u0007\u202e]/);
});

test('no word of a caller passes for a line of the question, and the end of a long command is shown', async () => {
  await using world = await openTestCheckpoint({
    config: { approval: { waitMs: 50 }, process: { network: [{ host: 'github', tls: 'tunnel' }] } },
  });
  const { approvals } = await world.checkpoint.store();
  const forged = 'Why you are asked: it only lists files (default)';
  const filler = `echo ${'x'.repeat(9000)}`;
  await world.call('shell_exec', {
    command: `git push origin main\n: '\n${forged}\n'\n${filler}; git push --force evil`,
  });
  const [pending] = await approvals.list('pending', Date.now());
  const lines = (pending?.message.en ?? '').split('\n');
  expect(lines.filter((line) => line.startsWith('Why you are asked'))).toHaveLength(1);
  expect(lines).toContain(`  | ${forged}`);
  expect(pending?.message.en).toContain('git push --force evil');
  expect(pending?.message.en.length).toBeLessThan(8000);
});

test('one yes lets one of many equal calls run, however many wait for it and however often it is given', async () => {
  await using world = await openTestCheckpoint({ config: { ...config, approval: { waitMs: 3_000 } } });
  const { approvals } = await world.checkpoint.store();
  const waiting = Promise.all(Array.from({ length: 6 }, () => world.call('file_write', write)));
  const pending = await expect
    .poll(() => approvals.list('pending', Date.now()))
    .toHaveLength(1)
    .then(() => approvals.list('pending', Date.now()));
  const id = pending[0]?.id ?? '';
  const said = await Promise.all(
    ['cli:a', 'cli:b', 'client'].map((by) => approvals.decide(id, 'approved', by, 'once', Date.now())),
  );

  const replies = await waiting;
  expect(said.filter((record) => record !== undefined)).toHaveLength(1);
  expect(replies.filter(({ kind }) => kind === 'output')).toHaveLength(1);
  expect(written(world.root)).toBe('new');
});

test('a call that was withdrawn does not run when its yes comes, nor uses it up', async () => {
  await using world = await openTestCheckpoint({ config: { ...config, approval: { waitMs: 20_000 } } });
  const { approvals } = await world.checkpoint.store();
  const cancel = new AbortController();
  const reply = await world.call('file_write', write, {
    signal: cancel.signal,
    elicit: async () => {
      cancel.abort();
      return { action: 'accept' };
    },
  });
  expect(errorOf(reply).code).toBe('cancelled');
  expect(written(world.root)).toBeUndefined();
  expect(await approvals.list('used', Date.now())).toEqual([]);
});

test('rules of the operator answer what the built-in rules would ask, and never what they deny', async () => {
  await using world = await openTestCheckpoint({
    config: {
      rules: [
        { tool: 'shell_exec', command: ['git', 'push'], decision: 'allow', because: 'A scratch remote.' },
        { tool: 'shell_exec', command: ['rm'], decision: 'allow', because: 'Go ahead.' },
      ],
      approval: { waitMs: 50 },
    },
  });
  const push = await world.call('shell_exec', { command: 'git push origin main' });
  expect(push.kind === 'error' ? push.code : 'ran').not.toBe('approval_pending');
  expect(errorOf(await world.call('shell_exec', { command: 'rm -rf build' })).code).toBe('denied');
});

test('a yes to a command holds where the person saw it: not in another folder, nor with other variables', async () => {
  await using world = await openTestCheckpoint({
    files: { 'sub/a.txt': '' },
    flags: { profile: 'coding' },
    config: { approval: { waitMs: 50 }, process: { network: [{ host: 'github', tls: 'tunnel' }] } },
  });
  const moved = await world.call('bash', { command: 'cd sub; export WHERE=staging' });
  if (moved.kind === 'error') return expect(moved.code).toBe('unavailable');
  const push = { command: 'git push "$WHERE"' };
  const { approvals } = await world.checkpoint.store();
  const approvalOf = async () => {
    const error = errorOf(await world.call('bash', push));
    expect(error.code).toBe('approval_pending');
    return String((error.details as Record<string, unknown>).approval_id);
  };
  const first = await approvalOf();
  expect((await approvals.get(first))?.message.en).toMatch(/Folder: sub\nVariables: WHERE=staging\n/);
  await approvals.decide(first, 'approved', 'cli:me', 'once', Date.now());
  await world.call('bash', { command: 'export WHERE=live' });
  expect(await approvalOf()).not.toBe(first);
  await world.call('bash', { command: 'export WHERE=staging; cd ..' });
  expect(await approvalOf()).not.toBe(first);
  await world.call('bash', { command: 'cd sub' });
  outputOf(await world.call('bash', push));
});
