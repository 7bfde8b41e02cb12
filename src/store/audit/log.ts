import { setImmediate as immediate } from 'node:timers/promises';
import { limits } from '../../contract/limits.ts';
import type { AuditEntry, AuditLog, AuditQuery, AuditRecord, StartNote } from '../../contract/records.ts';
import { once } from '../../ground/waiting/once.ts';
import { sharing } from '../../ground/waiting/sharing.ts';
import type { Engine, OpenEngine } from '../engine.ts';
import { findRow, given, selectRows } from '../rows.ts';
import type { AuditRow } from '../tables/tables.ts';
import { createChainEnd } from './append.ts';
import { encodeRecord, type UnchainedRow } from './chain.ts';
import { createInbox, isWaiting, joinInbox } from './inbox.ts';
import type { AuditKey } from './key.ts';
import type { UnderWayCalls } from './under-way-calls.ts';
import { verifyChain } from './verify.ts';

/**
 * The chained log. Records queue in order of arrival, and one writer empties the queue, one batch per transaction: at
 * once if a call waits for its record to be durable, else within `limits.auditBatchMs`. A record leaves the queue only
 * when it is committed: to the chain, or to the inbox if several servers write to the store.
 */
export class ChainedLog implements AuditLog {
  readonly #openEngine: OpenEngine;
  readonly #openKey: () => AuditKey;
  readonly #begun: UnderWayCalls | undefined;
  readonly #queue: { readonly id: string; readonly row: UnchainedRow }[] = [];
  #durableUpTo = 0;
  #accepted = 0;
  #committed = 0;
  #timer: NodeJS.Timeout | undefined;
  #key: AuditKey | undefined;
  #stopped = false;
  /** The last batch could not be written. */
  #isFailing = false;
  #joinTimer: NodeJS.Timeout | undefined;
  #joining: Promise<void> | undefined;
  /** Records in the inbox could not be joined to the chain. */
  #isUnjoined = false;
  /** Records of this server may be in the inbox. */
  #isWaitingHere = false;
  readonly #pass = sharing(() => Promise.resolve().then(() => this.#writeBatch()));
  readonly #inbox = createInbox(() => this.#openKey());
  readonly #openEnd = once(async () => createChainEnd(await this.#openEngine(), this.#openKey()));
  /** Records of dead servers are completed before anything is added or read. */
  readonly #recovered = once(async () => {
    const engine = await this.#openEngine();
    // Includes records of servers that are gone, or of a store copied from another engine.
    const end = await this.#openEnd();
    if (engine.commitsTogether || (await isWaiting(engine))) await joinInbox(engine, this.#openKey(), end);
    const left = await this.#begun?.left(engine);
    if (!left) return;
    if (left.records.length > 0) await end.append(left.records.map(encodeRecord), { durable: true });
    left.done();
  });

  constructor(openEngine: OpenEngine, openKey: () => AuditKey, begun: UnderWayCalls | undefined) {
    this.#openEngine = openEngine;
    this.#openKey = () => (this.#key ??= openKey());
    this.#begun = begun;
  }

  async begin(record: AuditRecord, { mayChange }: { readonly mayChange: boolean }): Promise<StartNote> {
    // If the last write failed, try again before anything runs.
    if (this.#isFailing) await this.#drainUntil(this.#accepted);
    // The same if records could not join the chain: its head may have been set back.
    if (this.#isUnjoined) await this.#joinAll();
    if (mayChange) await this.#openEngine();
    // Some stores have no notes of running calls.
    return (await this.#begun?.begin(record, mayChange)) ?? { durable: async () => {} };
  }

  async write(record: AuditRecord): Promise<void> {
    this.#enqueue(record);
    this.#durableUpTo = this.#accepted;
    await this.#drainUntil(this.#accepted);
  }

  async note(record: AuditRecord): Promise<void> {
    if (this.#queue.length >= queuedRows) await this.#drainUntil(this.#accepted - queuedRows / 2);
    this.#enqueue(record);
    if (this.#isFailing) await this.#drainUntil(this.#accepted);
    else this.#later();
  }

  async flush(): Promise<void> {
    await this.#drainUntil(this.#accepted);
    // A store that was never opened is closed without opening it.
    if (this.#isWaitingHere || this.#joining) await this.#joinAll();
  }

  backlog(): number {
    return this.#queue.length;
  }

  /** Stops retrying records that could not be written. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#joinTimer);
    this.#begun?.close();
  }

  async search(query: AuditQuery) {
    await this.#tryToDrain();
    return searchAudit(await this.#openEngine(), query);
  }

  async verify() {
    await this.#tryToDrain();
    const key = this.#openKey();
    return verifyChain(await this.#openEngine(), key);
  }

  #enqueue(record: AuditRecord): void {
    this.#queue.push({ id: record.id, row: encodeRecord(record) });
    this.#accepted += 1;
  }

  /** One pass over what is queued now. */
  #drain(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#pass();
  }

  async #drainUntil(target: number): Promise<void> {
    while (this.#committed < target) await this.#drain();
  }

  async #writeBatch(): Promise<void> {
    const batch = this.#queue.slice(0, batchRows);
    if (batch.length === 0) return;
    const upTo = this.#committed + batch.length;
    try {
      await this.#recovered();
      const engine = await this.#openEngine();
      const rows = batch.map(({ row }) => row);
      const options = { durable: this.#durableUpTo > this.#committed };
      if (engine.commitsTogether) {
        await this.#inbox.put(engine, rows, options);
        this.#isWaitingHere = true;
        this.#joinLater();
      } else await (await this.#openEnd()).append(rows, options);
    } catch (error) {
      this.#isFailing = true;
      this.#later(retryMs);
      throw error;
    }
    this.#isFailing = false;
    this.#queue.splice(0, batch.length);
    this.#committed = upTo;
    this.#begun?.written(batch.map(({ id }) => id));
    if (this.#queue.length > 0) this.#later();
  }

  /** Off the path of calls: records are as durable in the inbox. */
  #joinLater(): void {
    const join = () => this.#join({ lazily: true }).catch(() => this.#joinLater());
    if (!this.#stopped) this.#joinTimer ??= setTimeout(join, limits.auditJoinMs);
  }

  /** For readers: gives every record written before this call its place in the chain. */
  async #joinAll(): Promise<void> {
    // The running pass may have looked before the newest record was there.
    await this.#joining;
    if (await isWaiting(await this.#openEngine())) await this.#join();
  }

  #join(options?: { readonly lazily: boolean }): Promise<void> {
    clearTimeout(this.#joinTimer);
    this.#joinTimer = undefined;
    this.#isWaitingHere = false;
    this.#joining ??= Promise.all([this.#openEngine(), this.#openEnd()])
      .then(([engine, end]) => joinInbox(engine, this.#openKey(), end, options))
      .finally(() => {
        this.#joining = undefined;
      });
    this.#joining.then(
      () => {
        this.#isUnjoined = false;
      },
      () => {
        this.#isUnjoined = true;
        this.#isWaitingHere = true;
      },
    );
    return this.#joining;
  }

  #later(delayMs: number = limits.auditBatchMs): void {
    // The calls that wait get the error; the batch stays queued, and `writeBatch` schedules another try.
    if (!this.#stopped) this.#timer ??= setTimeout(() => this.#drain().catch(() => {}), delayMs);
  }

  /** For readers: a log that cannot be written now can still be read. */
  async #tryToDrain(): Promise<void> {
    await this.#recovered().catch(() => {});
    // Waiting records are written later.
    await this.#drainUntil(this.#accepted).catch(() => {});
    await this.#joinAll().catch(() => {});
  }
}

/** Rows of one transaction; more would hold the write lock for too long. */
const batchRows = 500;
/** Reading calls wait once this many records are queued. */
const queuedRows = 2000;
const retryMs = 1000;

/**
 * Entries that match every given part of the query; `afterSeq` is the cursor of a reader that follows. Searches the log
 * in sections, so that a long search never blocks other calls.
 */
async function searchAudit(engine: Engine, query: AuditQuery): Promise<readonly AuditEntry[]> {
  const head = await findRow(engine.db, 'audit_head', { id: 1 });
  const first = Math.max(query.afterSeq ?? 0, 0) + 1;
  const last = Math.min(head?.seq ?? 0, (query.beforeSeq ?? Infinity) - 1);
  const found: AuditEntry[] = [];
  for (let done = 0; first + done <= last && found.length < query.limit; done += stretchRows) {
    if (done > 0) await immediate();
    const [from, to] = query.newestFirst
      ? [Math.max(first, last - done - stretchRows + 1), last - done]
      : [first + done, Math.min(last, first + done + stretchRows - 1)];
    const rows = await searchStretch(engine, query, from, to, query.limit - found.length);
    found.push(...rows.map(entryOf).filter((entry) => isOf(entry, query)));
  }
  return found.slice(0, query.limit);
}

async function searchStretch(
  { db, positionFunction }: Engine,
  query: AuditQuery,
  from: number,
  to: number,
  limit: number,
): Promise<readonly AuditRow[]> {
  const { tool, principal, outcome, sinceMs, untilMs } = query;
  const like = given({ tool, principal, outcome, 'at_ms >=': sinceMs, 'at_ms <=': untilMs });
  let rows = selectRows(db, 'audit', { 'seq >=': from, 'seq <=': to, ...like })
    .orderBy('seq', query.newestFirst ? 'desc' : 'asc')
    // Rows of other sessions may be among these, so a limit could cut off the ones that count.
    .limit(query.sessionId === undefined ? limit : stretchRows);
  if (query.sessionId !== undefined) {
    const words = `"sessionId":${JSON.stringify(query.sessionId)}`;
    rows = rows.where((where) =>
      where(where.fn<number>(positionFunction, ['body', where.val(words)]), '>', 0),
    );
  }
  if (query.text !== undefined) {
    // The body is JSON, so search for the JSON encoding of the text.
    const words = JSON.stringify(query.text).slice(1, -1).toLowerCase();
    rows = rows.where((where) =>
      where(where.fn<number>(positionFunction, [where.fn('lower', ['body']), where.val(words)]), '>', 0),
    );
  }
  return rows.execute();
}

/** A caller's arguments may have a key of that name, too. */
function isOf(entry: AuditEntry, { sessionId }: AuditQuery): boolean {
  return sessionId === undefined || entry.sessionId === sessionId;
}

function entryOf(row: AuditRow): AuditEntry {
  return { ...(JSON.parse(row.body) as AuditRecord), seq: row.seq, hash: row.hash };
}

const stretchRows = 5000;
