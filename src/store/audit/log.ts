import { limits } from '../../contract/limits.ts';
import type { AuditLog, AuditRecord, StartNote } from '../../contract/records.ts';
import { once } from '../../ground/once.ts';
import type { OpenEngine } from '../engine.ts';
import { createChainEnd } from './append.ts';
import { encodeRecord, type UnchainedRow } from './chain.ts';
import { createInbox, isWaiting, joinInbox } from './inbox.ts';
import type { AuditKey } from './key.ts';
import { searchAudit } from './search.ts';
import type { UnderWayCalls } from './under-way-calls.ts';
import { verifyChain } from './verify.ts';

/**
 * The chained log. Records queue in order of arrival, and one writer empties the queue, one batch per transaction: at
 * once if a call waits for its record to be durable, else within `limits.auditBatchMs`. A record leaves the queue only
 * when it is committed: to the chain, or to the inbox if several servers write to the store.
 */
export function createAuditLog(
  openEngine: OpenEngine,
  openKey: () => AuditKey,
  begun: UnderWayCalls | undefined,
): AuditLog & { stop(): void } {
  const queue: { readonly id: string; readonly row: UnchainedRow }[] = [];
  let durableUpTo = 0;
  let accepted = 0;
  let committed = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let key: AuditKey | undefined;
  let stopped = false;
  /** The last batch could not be written. */
  let isFailing = false;
  let joinTimer: NodeJS.Timeout | undefined;
  let joining: Promise<void> | undefined;
  /** Records in the inbox could not be joined to the chain. */
  let isUnjoined = false;
  /** Records of this server may be in the inbox. */
  let isWaitingHere = false;
  const inbox = createInbox(() => {
    key ??= openKey();
    return key;
  });

  const openEnd = once(async () => {
    const engine = await openEngine();
    key ??= openKey();
    return createChainEnd(engine, key);
  });

  /** Records of dead servers are completed before anything is added or read. */
  const recovered = once(async () => {
    const engine = await openEngine();
    key ??= openKey();
    // Includes records of servers that are gone, or of a store copied from another engine.
    const end = await openEnd();
    if (engine.commitsTogether || (await isWaiting(engine))) await joinInbox(engine, key, end);
    const left = await begun?.left(engine);
    if (!left) return;
    if (left.records.length > 0) await end.append(left.records.map(encodeRecord), { durable: true });
    left.done();
  });

  function enqueue(record: AuditRecord): void {
    queue.push({ id: record.id, row: encodeRecord(record) });
    accepted += 1;
  }

  /** One pass over what is queued now; concurrent callers share it. */
  function drain(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    running ??= Promise.resolve()
      .then(writeBatch)
      .finally(() => {
        running = undefined;
      });
    return running;
  }

  async function drainUntil(target: number): Promise<void> {
    while (committed < target) await drain();
  }

  async function writeBatch(): Promise<void> {
    const batch = queue.slice(0, batchRows);
    if (batch.length === 0) return;
    const upTo = committed + batch.length;
    try {
      await recovered();
      const engine = await openEngine();
      const rows = batch.map(({ row }) => row);
      const options = { durable: durableUpTo > committed };
      if (engine.commitsTogether) {
        await inbox.put(engine, rows, options);
        isWaitingHere = true;
        joinLater();
      } else await (await openEnd()).append(rows, options);
    } catch (error) {
      isFailing = true;
      later(retryMs);
      throw error;
    }
    isFailing = false;
    queue.splice(0, batch.length);
    committed = upTo;
    begun?.written(batch.map(({ id }) => id));
    if (queue.length > 0) later();
  }

  /** Off the path of calls: records are as durable in the inbox. */
  function joinLater(): void {
    if (!stopped) joinTimer ??= setTimeout(() => join({ lazily: true }).catch(joinLater), limits.auditJoinMs);
  }

  /** For readers: gives every record written before this call its place in the chain. */
  async function joinAll(): Promise<void> {
    // The running pass may have looked before the newest record was there.
    await joining;
    if (await isWaiting(await openEngine())) await join();
  }

  function join(options?: { readonly lazily: boolean }): Promise<void> {
    clearTimeout(joinTimer);
    joinTimer = undefined;
    isWaitingHere = false;
    joining ??= Promise.all([openEngine(), openEnd()])
      .then(([engine, end]) => {
        key ??= openKey();
        return joinInbox(engine, key, end, options);
      })
      .finally(() => {
        joining = undefined;
      });
    joining.then(
      () => {
        isUnjoined = false;
      },
      () => {
        isUnjoined = true;
        isWaitingHere = true;
      },
    );
    return joining;
  }

  function later(delayMs: number = limits.auditBatchMs): void {
    // The calls that wait get the error; the batch stays queued, and `writeBatch` schedules another try.
    if (!stopped) timer ??= setTimeout(() => drain().catch(() => {}), delayMs);
  }

  /** For readers: a log that cannot be written now can still be read. */
  async function tryToDrain(): Promise<void> {
    await recovered().catch(() => {});
    // Waiting records are written later.
    await drainUntil(accepted).catch(() => {});
    await joinAll().catch(() => {});
  }

  return {
    async begin(record, { mayChange }) {
      // If the last write failed, try again before anything runs.
      if (isFailing) await drainUntil(accepted);
      // The same if records could not join the chain: its head may have been set back.
      if (isUnjoined) await joinAll();
      if (mayChange) await openEngine();
      return (await begun?.begin(record, mayChange)) ?? unnoted;
    },
    async write(record) {
      enqueue(record);
      durableUpTo = accepted;
      await drainUntil(accepted);
    },
    async note(record) {
      if (queue.length >= queuedRows) await drainUntil(accepted - queuedRows / 2);
      enqueue(record);
      if (isFailing) await drainUntil(accepted);
      else later();
    },
    async flush() {
      await drainUntil(accepted);
      // A store that was never opened is closed without opening it.
      if (isWaitingHere || joining) await joinAll();
    },
    backlog: () => queue.length,
    /** Stops retrying records that could not be written. */
    stop() {
      stopped = true;
      clearTimeout(timer);
      clearTimeout(joinTimer);
      begun?.close();
    },
    async search(query) {
      await tryToDrain();
      return searchAudit(await openEngine(), query);
    },
    async verify() {
      await tryToDrain();
      key ??= openKey();
      return verifyChain(await openEngine(), key);
    },
  };
}

/** For stores without notes of running calls. */
const unnoted: StartNote = { durable: async () => {} };
/** Rows of one transaction; more would hold the write lock for too long. */
const batchRows = 500;
/** Reading calls wait once this many records are queued. */
const queuedRows = 2000;
const retryMs = 1000;
