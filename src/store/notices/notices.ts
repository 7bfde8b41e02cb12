import type {
  Bound,
  NoticeLink,
  NoticeRecord,
  NoticeStore,
  PushDevice,
} from '../../contract/people/notice.ts';
import type { Engine, OpenEngine } from '../engine.ts';
import { randomId } from '../random-id.ts';
import {
  deleteRows,
  findRow,
  insertNew,
  insertRow,
  listRows,
  matching,
  selectRows,
  takeRow,
  updateRows,
  writeTo,
} from '../rows.ts';
import { hashOf, isSecret, newSecret } from '../secret.ts';
import type { NoticeRow, NoticeTables, PushDeviceRow } from '../tables/notices.ts';
import { readText, writeText } from '../text-column.ts';

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
        return taken.length === 0 ? undefined : add(tx, { channel, kind, questions: taken }, nowMs);
      });
    },

    async alreadyNotified(channel, questions) {
      if (questions.length === 0) return new Set();
      const { db } = await openEngine();
      const rows = await selectRows(db, 'notice_told', { channel, question: questions }).execute();
      return new Set(rows.map(({ question }) => question));
    },

    async lastAtMs(channel) {
      return lastOf((await openEngine()).db, channel);
    },

    async test(channel, nowMs) {
      // Its creator delivers it; others must not take it.
      return writeTo(openEngine, (tx) =>
        add(tx, { channel, kind: 'test', questions: [] }, nowMs, { nextAtMs: nowMs + testMs, attempts: 1 }),
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
      const outcome = {
        status,
        problem: problem ? writeText(problem) : null,
        next_at_ms: status === 'waiting' ? (nextAtMs ?? nowMs) : null,
        ended_at_ms: status === 'waiting' ? null : nowMs,
      };
      await writeTo(openEngine, (tx) => updateRows(tx, 'notices', { id }, outcome));
    },

    async list(limit) {
      const { db } = await openEngine();
      return (await listRows(db, 'notices', {}, { by: ['at_ms desc', 'id'], limit })).map(recordOf);
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
  const now = { status: 'waiting', channel: channels, 'next_at_ms <=': nowMs };
  const due = await selectRows(db, 'notices', now).limit(mostAtOnce).execute();
  return due.map(({ id }) => id);
}

/** The questions that this channel was not notified of; from now on it counts as notified. */
async function notYetNotified(tx: Tx, channel: string, questions: readonly string[], nowMs: number) {
  const taken: string[] = [];
  for (const question of questions) {
    if (await insertNew(tx, 'notice_told', { channel, question, at_ms: nowMs })) taken.push(question);
  }
  return taken;
}

/** No row for a notice that another server has just taken. */
function leaseDue(tx: Tx, ids: readonly string[], nowMs: number, leaseMs: number): Promise<NoticeRow[]> {
  const due = { id: ids, status: 'waiting', 'next_at_ms <=': nowMs };
  return matching(tx.updateTable('notices'), due)
    .set((set) => ({ next_at_ms: nowMs + leaseMs, attempts: set('attempts', '+', 1) }))
    .returningAll()
    .execute();
}

async function add(
  tx: Tx,
  { channel, kind, questions }: Pick<NoticeRecord, 'channel' | 'kind' | 'questions'>,
  nowMs: number,
  started?: { readonly nextAtMs: number; readonly attempts: number },
): Promise<NoticeRecord> {
  const row: NoticeRow = {
    id: randomId('ntc_', 12),
    at_ms: nowMs,
    channel,
    kind,
    questions: JSON.stringify(questions),
    status: 'waiting',
    attempts: started?.attempts ?? 0,
    next_at_ms: started?.nextAtMs ?? nowMs,
    ended_at_ms: null,
    problem: null,
  };
  await insertRow(tx, 'notices', row);
  return recordOf(row);
}

async function lastOf(db: Engine['db'] | Tx, channel: string): Promise<number | undefined> {
  const ofQuestions = { channel, 'kind <>': ['test', 'digest'] };
  const [row] = await listRows(db, 'notices', ofQuestions, { by: 'at_ms desc', limit: 1 });
  return row?.at_ms;
}

async function forgetBefore(tx: Tx, beforeMs: number): Promise<void> {
  await deleteRows(tx, 'notices', { 'at_ms <': beforeMs });
  await deleteRows(tx, 'notice_told', { 'at_ms <': beforeMs });
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

/** Browsers that receive web push. One that subscribes again replaces its old entry. */
function createDevices(openEngine: OpenEngine): Pick<NoticeStore, 'addDevice' | 'devices' | 'removeDevice'> {
  return {
    async addDevice({ keys, createdAtMs, ...device }) {
      const row: PushDeviceRow = { ...device, ...keys, id: randomId('dev_', 8), created_at_ms: createdAtMs };
      await writeTo(openEngine, async (tx) => {
        await deleteRows(tx, 'push_devices', { endpoint: row.endpoint });
        await insertRow(tx, 'push_devices', row);
      });
      return deviceOf(row);
    },

    async devices() {
      const { db } = await openEngine();
      return (await listRows(db, 'push_devices', {}, { by: 'created_at_ms', limit: 200 })).map(deviceOf);
    },

    async removeDevice(id) {
      return (await writeTo(openEngine, (tx) => deleteRows(tx, 'push_devices', { id }))) > 0;
    },
  };
}

function deviceOf({ p256dh, auth, created_at_ms: createdAtMs, ...row }: PushDeviceRow): PushDevice {
  return { ...row, keys: { p256dh, auth }, createdAtMs };
}

/** The links in notices. A single statement takes one that answers, so it works only once. */
function createLinks(openEngine: OpenEngine): Pick<NoticeStore, 'createLink' | 'findLink' | 'takeLink'> {
  return {
    async createLink({ questions, expiresAtMs, ...link }) {
      const secret = newSecret();
      const row = {
        ...link,
        hash: hashOf(secret),
        expires_at_ms: expiresAtMs,
        questions: JSON.stringify(questions),
      };
      await writeTo(openEngine, async (tx) => {
        // Links end with their questions; delete expired ones.
        await deleteRows(tx, 'notice_links', { 'expires_at_ms <=': Date.now() - dayMs });
        await insertRow(tx, 'notice_links', row);
      });
      return secret;
    },

    async findLink(secret, nowMs) {
      if (!isSecret(secret)) return undefined;
      const { db } = await openEngine();
      const row = await findRow(db, 'notice_links', { hash: hashOf(secret) });
      return row && linkOf(row, nowMs);
    },

    async takeLink(secret, nowMs) {
      if (!isSecret(secret)) return undefined;
      const one = { hash: hashOf(secret), 'kind <>': 'view' };
      const row = await writeTo(openEngine, (tx) => takeRow(tx, 'notice_links', one));
      return row && linkOf(row, nowMs);
    },
  };
}

function linkOf(row: NoticeTables['notice_links'], nowMs: number): NoticeLink | undefined {
  if (row.expires_at_ms <= nowMs) return undefined;
  return {
    kind: row.kind as NoticeLink['kind'],
    channel: row.channel,
    questions: JSON.parse(row.questions) as Bound[],
    expiresAtMs: row.expires_at_ms,
  };
}

const dayMs = 24 * 60 * 60_000;
