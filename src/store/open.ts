import type { AskSessionStore } from '../contract/ask.ts';
import type { HistoryStore } from '../contract/capabilities/history.ts';
import type { Memories } from '../contract/capabilities/memory.ts';
import type { ConsoleSessions } from '../contract/console.ts';
import { ConfigError } from '../contract/error.ts';
import type { MemoryBrowser } from '../contract/memory-browser.ts';
import type { EndedSessions, NodeStore, Relay } from '../contract/nodes.ts';
import type { NoticeStore } from '../contract/notice.ts';
import type { PasskeyStore } from '../contract/passkey.ts';
import type { ApprovalStore, AuditLog, RateStore, TokenStore, UnderWayNotes } from '../contract/records.ts';
import { once } from '../ground/once.ts';
import { createApprovalStore } from './approvals/approvals.ts';
import { createAskSessionStore } from './ask-sessions.ts';
import { openAuditKey } from './audit/key.ts';
import { ChainedLog } from './audit/log.ts';
import { createUnderWayCalls } from './audit/under-way-calls.ts';
import { tryWakeups, type Wakeups } from './changes.ts';
import { createConsoleSessions } from './console-sessions.ts';
import { deriveKey } from './derived-key.ts';
import type { EmbeddingOptions, Meaning } from './embeddings/meaning.ts';
import type { Clock, Engine, OpenEngine } from './engine.ts';
import { createHistoryStore } from './history/history.ts';
import { createMemoryBrowser } from './memory/browse.ts';
import { createMemories } from './memory/memories.ts';
import { createNodeStore } from './nodes.ts';
import { createNoticeStore } from './notices/notices.ts';
import { createPasskeyStore } from './passkeys.ts';
import { createRateStore } from './rates.ts';
import { StoreRelay } from './relay/relay.ts';
import { type Forgotten, forgetOld, type RetentionRule } from './retention/retention.ts';
import { insertNew, selectRows } from './rows.ts';
import { keyFolderOf, type Target, targetOf } from './target.ts';
import { createTokenStore } from './tokens.ts';
import { makeFolder, makeStateFolder, openingProblem } from './usable.ts';

export interface StoreOptions {
  /** `sqlite:PATH`, or `postgres://…` if several servers share their records. */
  readonly url: string;
  /** The folder of the audit key; default: beside the SQLite file, else `~/.local/state/sekisho`. */
  readonly stateFolder?: string | undefined;
  readonly clock?: Clock | undefined;
  /** How to embed memories. Undefined: they are found by words alone. */
  readonly embeddings?: EmbeddingOptions | undefined;
  /** How long to keep records that grow with every call. Undefined: forever. */
  readonly retention?: RetentionRule | undefined;
  /** `s3://BUCKET/PREFIX` for former contents of files. Undefined: beside the records. */
  readonly contentsUrl?: string | undefined;
  /** Notes of calls before they run. Undefined: a call leaves no record if its server dies. */
  readonly underWay?: UnderWayNotes | undefined;
}

export interface Store {
  readonly audit: AuditLog;
  readonly tokens: TokenStore;
  readonly approvals: ApprovalStore;
  readonly rates: RateStore;
  readonly history: HistoryStore;
  readonly askSessions: AskSessionStore;
  memoriesFor(principal: string): Memories;
  /** Memories of all owners, for a person to browse. */
  readonly memoryBrowser: MemoryBrowser;
  /** Search by meaning; undefined if memories are not embedded. */
  readonly meaning: (() => Promise<Meaning>) | undefined;
  /** Removes records that are older than the retention rule allows; does nothing without one. */
  forgetOld(): Promise<Forgotten>;
  /** Checks the bucket of former contents, if there is one. Throws the reason if it cannot be reached. */
  readonly probeBucket?: (() => Promise<void>) | undefined;
  /** The servers that use this store. */
  readonly nodes: NodeStore;
  readonly consoleSessions: ConsoleSessions;
  /** Notices to people, and their delivery. */
  readonly notices: NoticeStore;
  readonly passkeys: PasskeyStore;
  /** Messages to the other servers. */
  readonly relay: Relay;
  readonly endedSessions: EndedSessions;
  /** The database itself, for further kinds of records. Opens at the first call. */
  readonly engine: OpenEngine;
  /** Opens the database now instead of at the first record; an error names the file, the reason and the remedy. */
  ready(): Promise<void>;
  /** Describes damage to the pages of the database file; undefined if there is none. Reads all of it. */
  damage(): Promise<string | undefined>;
  /** Whether this server hears of other servers' changes; undefined if a file beside the database carries them. */
  wakeups(): Promise<Wakeups | undefined>;
  /** Writes queued records and closes. */
  close(): Promise<void>;
}

/**
 * Opens the records. The folder is created at once; the database, its driver and the query builder are loaded at the
 * first record or by `ready()`, so that a server can answer its first `tools/list` before.
 */
export async function openStore({
  url,
  stateFolder,
  clock = Date.now,
  embeddings,
  underWay,
  contentsUrl,
  retention = {},
}: StoreOptions): Promise<Store> {
  const target = targetOf(url);
  const folder = keyFolderOf(target, stateFolder);
  (stateFolder === undefined ? makeFolder : makeStateFolder)(folder);

  const bucket =
    contentsUrl === undefined ? undefined : (await import('./history/bucket.ts')).openBucket(contentsUrl);
  const engine = once(() => openEngine(target));
  const meaning =
    embeddings &&
    once(async () => (await import('./embeddings/meaning.ts')).createMeaning(engine, clock, embeddings));
  const embedding = embeddings && meaning && { model: embeddings.model, meaning };
  const audit = new ChainedLog(engine, () => openAuditKey(folder), underWay && createUnderWayCalls(underWay));

  const tokens = createTokenStore(engine, clock);
  let keyOfWords: Uint8Array | undefined;
  const relay = new StoreRelay(engine, () => (keyOfWords ??= deriveKey(folder, 'words between servers')));

  return {
    audit,
    tokens,
    approvals: createApprovalStore(engine, clock),
    rates: createRateStore(engine),
    history: createHistoryStore(engine, { isShared: target.kind === 'postgres', bucket }),
    askSessions: createAskSessionStore(engine),
    memoriesFor: (principal) => createMemories(engine, clock, principal, embedding),
    memoryBrowser: createMemoryBrowser(engine),
    meaning,
    forgetOld: async () => forgetOld(await engine(), audit, openAuditKey(folder), retention),
    probeBucket: bucket?.probe,
    nodes: createNodeStore(engine),
    consoleSessions: createConsoleSessions(engine, tokens),
    notices: createNoticeStore(engine),
    passkeys: createPasskeyStore(engine),
    relay,
    endedSessions: createEndedSessions(engine),
    engine,
    async ready() {
      await engine().catch((error) => {
        throw error instanceof ConfigError ? error : openingProblem(target, error.cause ?? error);
      });
    },
    damage: () => findDamage(engine),
    wakeups: async () => tryWakeups(await engine()),
    async close() {
      relay.close();
      try {
        await audit.flush();
      } finally {
        audit.stop();
        await (await meaning?.opened())?.close();
        await (await engine.opened())?.close();
      }
    },
  };
}

async function openEngine(target: Target): Promise<Engine> {
  if (target.kind === 'sqlite') return (await import('./sqlite/open.ts')).openSqlite(target.path);
  return (await import('./postgres/open.ts')).openPostgres(target.url);
}

/** Entries are kept as long as a client could return to a session. */
function createEndedSessions(openEngine: OpenEngine): EndedSessions {
  return {
    async add(id) {
      const { write, clockMs } = await openEngine();
      await write((tx) => insertNew(tx, 'ended_sessions', { id, at_ms: clockMs }));
      await write((tx) =>
        tx
          .deleteFrom('ended_sessions')
          .where(({ eb }) => eb('at_ms', '<', eb(clockMs, '-', keptMs)))
          .execute(),
      );
    },
    async among(ids) {
      if (ids.length === 0) return new Set();
      const { db } = await openEngine();
      const rows = await selectRows(db, 'ended_sessions', { id: [...ids] }).execute();
      return new Set(rows.map(({ id }) => id));
    },
  };
}

const keptMs = 25 * 60 * 60 * 1000;

/** Describes damage to the pages of the SQLite file; undefined if there is none. PostgreSQL checks its own. */
async function findDamage(openEngine: OpenEngine): Promise<string | undefined> {
  const { kind, db } = await openEngine();
  const { sql } = await import('kysely');
  if (kind !== 'sqlite') return undefined;
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db);
  // A heading may come first.
  const found = rows[0]?.quick_check.split('\n').at(-1) ?? '';
  return found === 'ok' ? undefined : found;
}
