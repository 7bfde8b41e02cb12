import type { NoticeRecord, NoticeStore } from '../../contract/notice.ts';
import type { Engine, OpenEngine } from '../engine.ts';
import { randomId } from '../random-id.ts';
import { insertRow, updateRows } from '../rows.ts';
import type { NoticeRow } from '../tables/notices.ts';
import { readText, writeText } from '../text-column.ts';
import { createDevices } from './devices.ts';
import { createLinks } from './links.ts';

type Tx = Parameters<Parameters<Engine['write']>[0]>[0];

/** Notices and their delivery. By a unique key, a channel is notified of a question once, whichever server does it. */
export function createNoticeStore(openEngine: OpenEngine): NoticeStore {
  let untilSweep = 0;

  return {
    async claim({ channel, kind, questions, quietSinceMs, nowMs }) {
      if (questions.length === 0) return undefined;
      const engine = await openEngine();
      const sweep = --untilSweep < 0;
      if (sweep) untilSweep = claimsBetweenSweeps;
      return engine.write(async (tx) => {
        if (sweep) await forgetBefore(tx, nowMs - keepMs);
        const last = kind === 'digest' ? undefined : await lastOf(tx, channel);
        if (last !== undefined && last > quietSinceMs && last <= nowMs) return undefined;
        const taken = await notYetNotified(tx, channel, questions, nowMs);
        return taken.length === 0 ? undefined : add(tx, { channel, kind, questions: taken, nowMs });
      });
    },

    async alreadyNotified(channel, questions) {
      if (questions.length === 0) return new Set();
      const { db } = await openEngine();
      const rows = await db
        .selectFrom('notice_told')
        .select('question')
        .where('channel', '=', channel)
        .where('question', 'in', questions)
        .execute();
      return new Set(rows.map(({ question }) => question));
    },

    async lastAtMs(channel) {
      return lastOf((await openEngine()).db, channel);
    },

    async test(channel, nowMs) {
      // Its creator delivers it; others must not take it.
      const engine = await openEngine();
      return engine.write((tx) =>
        add(tx, { channel, kind: 'test', questions: [], nowMs, nextAtMs: nowMs + testMs, attempts: 1 }),
      );
    },

    async take(channels, nowMs, leaseMs) {
      if (channels.length === 0) return [];
      const engine = await openEngine();
      const due = await dueOf(engine.db, channels, nowMs);
      if (due.length === 0) return [];
      const rows = await engine.write((tx) => leaseDue(tx, due, nowMs, leaseMs));
      return rows.map(recordOf);
    },

    async nextAtMs(channels) {
      if (channels.length === 0) return undefined;
      const { db } = await openEngine();
      const row = await db
        .selectFrom('notices')
        .select((select) => select.fn.min('next_at_ms').as('next'))
        .where('status', '=', 'waiting')
        .where('channel', 'in', channels)
        .executeTakeFirst();
      return row?.next === null || row?.next === undefined ? undefined : Number(row.next);
    },

    async settle(id, { status, problem, nextAtMs, nowMs }) {
      const engine = await openEngine();
      const outcome = {
        status,
        problem: problem ? writeText(problem) : null,
        next_at_ms: status === 'waiting' ? (nextAtMs ?? nowMs) : null,
        ended_at_ms: status === 'waiting' ? null : nowMs,
      };
      await engine.write((tx) => updateRows(tx, 'notices', { id }, outcome));
    },

    async list(limit) {
      const { db } = await openEngine();
      const rows = await db
        .selectFrom('notices')
        .selectAll()
        .orderBy('at_ms', 'desc')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(recordOf);
    },

    async changed(timeoutMs, signal) {
      const { changes } = await openEngine();
      await changes.next('approvals', timeoutMs, signal);
    },

    ...createLinks(openEngine),
    ...createDevices(openEngine),
  };
}

/** The ids of notices to deliver now, which another server may take first. */
async function dueOf(db: Engine['db'], channels: readonly string[], nowMs: number): Promise<string[]> {
  const due = await db
    .selectFrom('notices')
    .select('id')
    .where('status', '=', 'waiting')
    .where('channel', 'in', channels)
    .where('next_at_ms', '<=', nowMs)
    .limit(mostAtOnce)
    .execute();
  return due.map(({ id }) => id);
}

/** The questions that this channel was not notified of; from now on it counts as notified. */
async function notYetNotified(tx: Tx, channel: string, questions: readonly string[], nowMs: number) {
  const taken: string[] = [];
  for (const question of questions) {
    const row = await tx
      .insertInto('notice_told')
      .values({ channel, question, at_ms: nowMs })
      .onConflict((conflict) => conflict.doNothing())
      .returning('question')
      .executeTakeFirst();
    if (row) taken.push(question);
  }
  return taken;
}

/** No row for a notice that another server has just taken. */
function leaseDue(tx: Tx, ids: readonly string[], nowMs: number, leaseMs: number): Promise<NoticeRow[]> {
  return tx
    .updateTable('notices')
    .set((set) => ({ next_at_ms: nowMs + leaseMs, attempts: set('attempts', '+', 1) }))
    .where('id', 'in', ids)
    .where('status', '=', 'waiting')
    .where('next_at_ms', '<=', nowMs)
    .returningAll()
    .execute();
}

async function add(
  tx: Tx,
  {
    channel,
    kind,
    questions,
    nowMs,
    nextAtMs = nowMs,
    attempts = 0,
  }: Pick<NoticeRecord, 'channel' | 'kind' | 'questions'> & {
    readonly nowMs: number;
    readonly nextAtMs?: number;
    readonly attempts?: number;
  },
): Promise<NoticeRecord> {
  const row: NoticeRow = {
    id: randomId('ntc_', 12),
    at_ms: nowMs,
    channel,
    kind,
    questions: JSON.stringify(questions),
    status: 'waiting',
    attempts,
    next_at_ms: nextAtMs,
    ended_at_ms: null,
    problem: null,
  };
  await insertRow(tx, 'notices', row);
  return recordOf(row);
}

async function lastOf(db: Engine['db'] | Tx, channel: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('notices')
    .select('at_ms')
    .where('channel', '=', channel)
    .where('kind', 'not in', ['test', 'digest'])
    .orderBy('at_ms', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.at_ms;
}

async function forgetBefore(tx: Tx, beforeMs: number): Promise<void> {
  await tx.deleteFrom('notices').where('at_ms', '<', beforeMs).execute();
  await tx.deleteFrom('notice_told').where('at_ms', '<', beforeMs).execute();
}

function recordOf(row: NoticeRow): NoticeRecord {
  return {
    id: row.id,
    atMs: row.at_ms,
    channel: row.channel,
    kind: row.kind as NoticeRecord['kind'],
    questions: JSON.parse(row.questions) as string[],
    status: row.status as NoticeRecord['status'],
    attempts: row.attempts,
    nextAtMs: row.next_at_ms ?? undefined,
    endedAtMs: row.ended_at_ms ?? undefined,
    problem: row.problem === null ? undefined : readText(row.problem),
  };
}

const claimsBetweenSweeps = 200;
/** As long as questions are kept. */
const keepMs = 30 * 24 * 60 * 60 * 1000;
const mostAtOnce = 50;
/** Longer than any attempt takes. */
const testMs = 5 * 60_000;
