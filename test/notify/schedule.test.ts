import { expect, onTestFinished, test } from 'vitest';
import type { NotifySettings } from '../../src/contract/people/notice.ts';
import type { Digest } from '../../src/contract/people/story.ts';
import { verbatim } from '../../src/contract/text/text.ts';
import { Notifier } from '../../src/notify/notifier.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';
import { openReceiver } from './receivers.ts';

const empty: Digest = {
  sinceMs: 0,
  untilMs: 0,
  calls: 0,
  isCut: false,
  sessions: [],
  refusals: [],
  changes: [],
  counts: { read: 0, ran: 0, changed: 0, sent: 0, did: 0, asked: 0, refused: 0, failed: 0 },
  questions: { answered: [], waiting: 0 },
  ending: [],
  unused: [],
};

/** A whole minute; the records go by the real clock for what expires. */
const startMs = Math.floor(Date.now() / 60_000) * 60_000;

/** Servers on real records, whose clock the test moves. */
async function open(
  settings: Partial<NotifySettings>,
  channels: Readonly<Record<string, string>>,
  digest = empty,
) {
  const sinces: number[] = [];
  const world = await openTestCheckpoint();
  const store = await world.checkpoint.store();
  let nowMs = startMs;
  let asked = 0;
  const serve = () => {
    const notifier = new Notifier({
      settings: {
        detail: 'summary',
        everyMs: 60_000,
        quiet: undefined,
        escalate: undefined,
        pushServices: [],
        digest: undefined,
        channels: Object.entries(channels).map(([name, url]) => ({
          name,
          kind: 'webhook',
          url,
          secret: undefined,
        })),
        ...settings,
      },
      locale: 'en',
      notices: async () => store.notices,
      approvals: async () => store.approvals,
      async digest(sinceMs) {
        sinces.push(sinceMs);
        return { ...digest, sinceMs };
      },
      hasPasskey: async () => false,
      base: () => undefined,
      vapid: async () => ({ publicKey: '', privateKey: '' }),
      terminal: { write: () => {} },
      environment: {},
      now: () => nowMs,
      onFault: (error) => {
        throw error;
      },
    });
    notifier.begin();
    return notifier;
  };
  const serving: ReturnType<typeof serve>[] = [];
  onTestFinished(async () => {
    for (const each of serving) await each.close();
    await world.close();
  });
  return {
    store,
    sinces,
    serve: () => serving.push(serve()),
    async ask(digest = `d${asked}`) {
      asked += 1;
      return store.approvals.request(
        {
          principal: 'user:a',
          sessionId: 's',
          tool: `tool_${asked}`,
          digest,
          rule: 'r',
          message: verbatim('m'),
          createdAtMs: nowMs,
          expiresAtMs: nowMs + 86_400_000,
        },
        nowMs,
      );
    },
    answer: (id: string) => store.approvals.decide(id, 'declined', 'cli:a', 'once', nowMs),
    /** Time passes, and whoever waits looks. */
    async pass(ms: number) {
      nowMs += ms;
      (await store.engine()).changes.tell('approvals');
      await new Promise((resolve) => setTimeout(resolve, 500));
    },
  };
}

function idsIn({ body }: { readonly body: Buffer }): number {
  return JSON.parse(body.toString()).questions.length;
}

test('ten questions together are one notice; those of the next minute are one more, without what was answered', async () => {
  const hook = await openReceiver();
  const world = await open({}, { hook: hook.url });
  for (let each = 0; each < 10; each++) await world.ask();
  world.serve();
  expect(idsIn(await hook.nth(1))).toBe(10);
  const answered = await world.ask();
  for (let each = 0; each < 4; each++) {
    await world.pass(12_000);
    await world.ask();
  }
  expect(hook.received).toHaveLength(1);
  await world.answer(answered.id);
  await world.pass(13_000);
  expect(idsIn(await hook.nth(2))).toBe(4);
  await world.pass(120_000);
  expect(hook.received).toHaveLength(2);
});

test('in quiet hours nothing comes, and what still waits comes when they end', async () => {
  const hook = await openReceiver();
  const minute = (startMs / 60_000) % 1440;
  const quiet = { fromMinute: (minute + 1380) % 1440, toMinute: (minute + 60) % 1440, timeZone: 'UTC' };
  const world = await open({ quiet }, { hook: hook.url });
  world.serve();
  await world.ask();
  const answered = await world.ask();
  await world.answer(answered.id);
  await world.pass(59 * 60_000);
  expect(hook.received).toEqual([]);
  await world.pass(60_000);
  expect(idsIn(await hook.nth(1))).toBe(1);
});

test('a second person hears of what nobody answered, and of nothing else', async () => {
  const first = await openReceiver();
  const second = await openReceiver();
  const escalate = { afterMs: 600_000, to: ['boss'] };
  const world = await open({ escalate }, { me: first.url, boss: second.url });
  world.serve();
  const answered = await world.ask();
  await world.ask();
  await first.nth(1);
  await world.answer(answered.id);
  await world.pass(599_000);
  expect(second.received).toEqual([]);
  await world.pass(2000);
  const message = JSON.parse((await second.nth(1)).body.toString());
  expect(message).toMatchObject({
    type: 'escalation',
    title: 'Nobody has answered: tool_2 waits for your answer',
  });
  expect(first.received).toHaveLength(1);
});

test('of three servers on the same records one tells of a question, and a restarted one does not tell again', async () => {
  const hook = await openReceiver();
  const world = await open({ everyMs: 1000 }, { hook: hook.url });
  world.serve();
  world.serve();
  world.serve();
  for (let each = 0; each < 5; each++) {
    await world.ask();
    await world.pass(1500);
  }
  world.serve();
  await world.pass(1500);
  expect(hook.received.map(idsIn).reduce((sum, count) => sum + count, 0)).toBe(5);
});

test('what was answered before it could be delivered is dropped', async () => {
  const hook = await openReceiver(503, 503, 503, 503, 503, 503, 503);
  const world = await open({}, { hook: hook.url });
  world.serve();
  const { id } = await world.ask();
  await hook.nth(1);
  await world.answer(id);
  await world.pass(5000);
  expect(await world.store.notices.list(5)).toMatchObject([{ status: 'dropped', questions: [id] }]);
  expect(hook.received).toHaveLength(1);
});

test('a digest comes once at each of its times, by one server, and does not hold up a question', async () => {
  const hook = await openReceiver();
  const other = await openReceiver();
  const minute = (startMs / 60_000) % 1440;
  const digest = {
    atMinutes: [minute, (minute + 60) % 1440].sort((a, b) => a - b),
    timeZone: 'UTC',
    to: ['hook'],
  };
  const busy = { ...empty, calls: 3, counts: { ...empty.counts, ran: 3 } };
  const world = await open({ digest }, { hook: hook.url, other: other.url }, busy);
  world.serve();
  world.serve();
  const first = JSON.parse((await hook.nth(1)).body.toString());
  expect(first).toMatchObject({
    type: 'digest',
    title: 'Digest: 3 calls',
    questions: [],
    body: '0 sessions, 0 paths changed: ran 3',
  });
  await world.ask();
  await world.pass(1000);
  expect(idsIn(await hook.nth(2))).toBe(1);
  await world.pass(58 * 60_000);
  expect(hook.received).toHaveLength(2);
  await world.pass(120_000);
  expect(JSON.parse((await hook.nth(3)).body.toString())).toMatchObject({ type: 'digest' });
  expect(world.sinces).toEqual([startMs - 23 * 3_600_000, startMs]);
  expect(other.received.map(idsIn)).toEqual([1]);
});

test('a digest of nothing is not sent, and one that is half a day late neither', async () => {
  const hook = await openReceiver();
  const minute = (startMs / 60_000) % 1440;
  const quiet = await open(
    { digest: { atMinutes: [minute], timeZone: 'UTC', to: ['hook'] } },
    { hook: hook.url },
  );
  quiet.serve();
  await quiet.pass(1000);
  expect(await quiet.store.notices.list(5)).toMatchObject([{ kind: 'digest', status: 'dropped' }]);
  const busy = { ...empty, calls: 3 };
  const late = (minute + 1440 - 13 * 60) % 1440;
  const world = await open(
    { digest: { atMinutes: [late], timeZone: 'UTC', to: ['hook'] } },
    { hook: hook.url },
    busy,
  );
  world.serve();
  await world.pass(1000);
  expect(await world.store.notices.list(5)).toEqual([]);
  expect(hook.received).toEqual([]);
});
