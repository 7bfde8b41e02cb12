import { Kysely, PostgresDialect, sql } from 'kysely';
import { createSharedClock } from '../clock/shared-clock.ts';
import type { Engine } from '../engine.ts';
import { storageError } from '../errors.ts';
import { oldestUsable, schemaVersion, statementsSince } from '../migrate.ts';
import type { Tables } from '../tables/tables.ts';
import { createPostgresChanges } from './changes.ts';
import { isStalePlan } from './failure.ts';
import { createInsertRows } from './insert-rows.ts';
import { openLane } from './lane.ts';
import { createPostgresMemoryIndex } from './memory-index.ts';
import { numbers, openPool } from './pool.ts';
import { createQuickTeam, quickTeamStatements } from './quick-team.ts';
import { createStatementNames } from './statement-names.ts';

/** Opens a PostgreSQL database that any number of servers share. */
export async function openPostgres(url: string): Promise<Engine> {
  const names = createStatementNames();
  const pool = openPool(url, names);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const clock = createSharedClock(async () => {
    const { rows } = await sql<{ now: number }>`select ${clockMs} as now`.execute(db);
    return rows[0]?.now ?? Date.now();
  });
  try {
    await migrate(db);
    await clock.ask();
  } catch (error) {
    await db.destroy();
    throw storageError(error);
  }
  const { changes, wakeups, close } = createPostgresChanges(
    url,
    (topics) => sql`select pg_notify('sekisho', ${topics})`.execute(db).then(() => {}),
    async () => {
      const { rows } = await sql<{ now: string }>`select pg_current_snapshot()::text as now`.execute(db);
      return rows[0]?.now ?? '';
    },
  );
  const insertRows = createInsertRows();
  // A pooler assigns each transaction any free connection, so we cannot set one up and keep it.
  const lane = pool.isDirect() ? openLane(url, numbers, quickTeamStatements) : undefined;

  return {
    kind: 'postgres',
    commitsTogether: true,
    quickTeam: lane && createQuickTeam(lane),
    db,
    changes,
    wakeups,
    memoryIndex: createPostgresMemoryIndex(db),
    write: (work, { durable = true } = {}) =>
      repeated(() =>
        db.transaction().execute(async (tx) => {
          if (!durable) await sql`set local synchronous_commit = off`.execute(tx);
          return work(tx);
        }),
      ),
    read: (work) =>
      repeated(() =>
        db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work),
      ),
    lock: (query, { skip = false } = {}) => (skip ? query.forUpdate().skipLocked() : query.forUpdate()),
    insertMany: (tx, table, rows, { unlessThere = false } = {}) =>
      insertRows(tx, table, rows as readonly Readonly<Record<string, unknown>>[], unlessThere),
    anyOf: (numbers) => sql<number>`(select unnest(${[...numbers]}::bigint[]))`,
    clockMs,
    now: clock.now,
    positionFunction: 'strpos',
    async close() {
      clock.close();
      await Promise.all([close(), lane?.close()]);
      await db.destroy();
    },
  };
}

const clockMs = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Migrates the tables to our version. Those of a newer server are used unchanged if it permits that. */
async function migrate(db: Kysely<Tables>): Promise<void> {
  const found = await versionOf(db);
  if (found.version === schemaVersion) return;
  if (statementsSince(found.version, 'postgres', found.oldest).length === 0) return;
  await db.transaction().execute(async (tx) => {
    // Servers that start together take turns.
    await sql`select pg_advisory_xact_lock(7226317095)`.execute(tx);
    await sql`create table if not exists schema_version (version integer not null)`.execute(tx);
    await sql`alter table schema_version add column if not exists oldest integer`.execute(tx);
    const { version, oldest } = await versionOf(tx);
    const steps = statementsSince(version, 'postgres', oldest);
    if (steps.length === 0) return;
    for (const statements of steps) {
      for (const statement of statements.split(';')) {
        if (statement.trim() !== '') await sql.raw(statement).execute(tx);
      }
    }
    await sql`delete from schema_version`.execute(tx);
    await sql`insert into schema_version (version, oldest) values (${schemaVersion}, ${oldestUsable})`.execute(
      tx,
    );
  });
}

async function versionOf(
  db: Kysely<Tables>,
): Promise<{ readonly version: number; readonly oldest?: number | undefined }> {
  const table = await sql<{
    name: string | null;
  }>`select to_regclass('schema_version')::text as name`.execute(db);
  if (!table.rows[0]?.name) return { version: 0 };
  // Older tables lack this column; to_jsonb returns the existing ones.
  const found = await sql<{
    row: { version: number; oldest?: number | null };
  }>`select to_jsonb(schema_version) as row from schema_version`.execute(db);
  const { version = 0, oldest } = found.rows[0]?.row ?? {};
  return { version, oldest: oldest ?? undefined };
}

/** Repeats a transaction that failed only because of its timing. */
async function repeated<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt >= attempts || !mayRepeat((error as Error | null)?.cause)) throw storageError(error);
    }
  }
}

/** Two transactions conflicted, or the tables have changed: the transaction can be repeated. */
function mayRepeat(cause: unknown): boolean {
  const { code } = (cause ?? {}) as { code?: string };
  return code === '40001' || code === '40P01' || isStalePlan(cause);
}

const attempts = 10;
