import { ConfigError } from '../contract/error.ts';
import type { EndedSessions } from '../contract/nodes.ts';
import type { UnderWayNotes } from '../contract/records.ts';
import { once } from '../ground/waiting/once.ts';
import { createApprovalStore } from './approvals/approvals.ts';
import { createAskSessionStore } from './ask-sessions.ts';
import { openAuditKey } from './audit/key.ts';
import { ChainedLog } from './audit/log.ts';
import { createUnderWayCalls } from './audit/under-way-calls.ts';
import { tryWakeups } from './changes.ts';
import { deriveKey } from './derived-key.ts';
import type { EmbeddingOptions } from './embeddings/meaning.ts';
import type { Clock, Engine, OpenEngine } from './engine.ts';
import { createHistoryStore } from './history/history.ts';
import { createMemoryBrowser } from './memory/browse.ts';
import { createMemories } from './memory/memories.ts';
import { createNodeStore } from './nodes.ts';
import { createNoticeStore } from './notices/notices.ts';
import { createConsoleSessions } from './people/console-sessions.ts';
import { createPasskeyStore } from './people/passkeys.ts';
import { createTokenStore } from './people/tokens.ts';
import { createRateStore } from './rates.ts';
import { StoreRelay } from './relay/relay.ts';
import { forgetOld, type RetentionRule } from './retention/retention.ts';
import { insertNew, selectRows } from './rows.ts';
import { keyFolderOf, type Target, targetOf } from './target.ts';
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

export type Store = Awaited<ReturnType<typeof openStore>>;

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
}: StoreOptions) {
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
    memoriesFor: (principal: string) => createMemories(engine, clock, principal, embedding),
    /** Memories of all owners, for a person to browse. */
    memoryBrowser: createMemoryBrowser(engine),
    /** Search by meaning; undefined if memories are not embedded. */
    meaning,
    /** Removes records that are older than the retention rule allows; does nothing without one. */
    forgetOld: async () => forgetOld(await engine(), audit, openAuditKey(folder), retention),
    /** Checks the bucket of former contents, if there is one. Throws the reason if it cannot be reached. */
    probeBucket: bucket?.probe,
    /** The servers that use this store. */
    nodes: createNodeStore(engine),
    consoleSessions: createConsoleSessions(engine, tokens),
    /** Notices to people, and their delivery. */
    notices: createNoticeStore(engine),
    passkeys: createPasskeyStore(engine),
    /** Messages to the other servers. */
    relay,
    endedSessions: createEndedSessions(engine),
    /** The database itself, for further kinds of records. Opens at the first call. */
    engine,
    /** Opens the database now instead of at the first record; an error names the file, the reason and the remedy. */
    async ready() {
      await engine().catch((error) => {
        throw error instanceof ConfigError ? error : openingProblem(target, error.cause ?? error);
      });
    },
    /** Describes damage to the pages of the database file; undefined if there is none. Reads all of it. */
    damage: () => findDamage(engine),
    /** Whether this server hears of other servers' changes; undefined if a file beside the database carries them. */
    wakeups: async () => tryWakeups(await engine()),
    /** Writes queued records and closes. */
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
  if (target.kind === 'sqlite') return (await import('./sqlite/open-sqlite.ts')).openSqlite(target.path);
  return (await import('./postgres/open-postgres.ts')).openPostgres(target.url);
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
