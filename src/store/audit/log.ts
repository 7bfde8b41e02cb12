import { limits } from '../../contract/limits.ts';
import type { AuditLog, AuditRecord } from '../../contract/records.ts';
import type { OpenEngine } from '../engine.ts';
import { appendRows } from './append.ts';
import { encodeRecord, type UnchainedRow } from './chain.ts';
import type { AuditKey } from './key.ts';
import { searchAudit } from './search.ts';
import { verifyChain } from './verify.ts';

/**
 * The chained log. Records queue in the order they came and one writer empties the queue, a batch a transaction:
 * at once when a call waits for its record to be durable, else within `limits.auditBatchMs`. A record leaves the
 * queue only when it is committed.
 */
export function createAuditLog(openEngine: OpenEngine, openKey: () => AuditKey): AuditLog & { stop(): void } {
  const queue: UnchainedRow[] = [];
  let durableUpTo = 0;
  let accepted = 0;
  let committed = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let key: AuditKey | undefined;
  let stopped = false;

  function enqueue(record: AuditRecord): void {
    queue.push(encodeRecord(record));
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
      const engine = await openEngine();
      key ??= openKey();
      await appendRows(engine, key, batch, { durable: durableUpTo > committed });
    } catch (error) {
      later(retryMs);
      throw error;
    }
    queue.splice(0, batch.length);
    committed = upTo;
    if (queue.length > 0) later();
  }

  function later(delayMs: number = limits.auditBatchMs): void {
    // A failure is told to the calls that wait; the batch stays queued, and writeBatch asks for another try.
    if (!stopped) timer ??= setTimeout(() => drain().catch(() => {}), delayMs);
  }

  /** For readers: a log that cannot be written now can still be read. */
  async function tryToDrain(): Promise<void> {
    await drainUntil(accepted).catch(() => {});
  }

  return {
    async write(record) {
      enqueue(record);
      durableUpTo = accepted;
      await drainUntil(accepted);
    },
    async note(record) {
      if (queue.length >= queuedRows) await drainUntil(accepted - queuedRows / 2);
      enqueue(record);
      later();
    },
    flush: () => drainUntil(accepted),
    backlog: () => queue.length,
    /** No more tries of what could not be written. */
    stop() {
      stopped = true;
      clearTimeout(timer);
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

/** Rows of one transaction: more would hold the write lock for longer than a reader of the clock likes. */
const batchRows = 500;
/** Reading calls wait once this many records are queued. */
const queuedRows = 2000;
const retryMs = 1000;
