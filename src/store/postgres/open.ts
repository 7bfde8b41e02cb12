import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Engine } from '../engine.ts';
import { storageError } from '../errors.ts';
import { schemaVersion, statementsSince } from '../migrate.ts';
import type { Tables } from '../tables/tables.ts';
import { createPostgresChanges } from './changes.ts';
import { createPostgresMemoryIndex } from './memory-index.ts';
import { isStalePlan, openPool } from './pool.ts';

/** Opens a PostgreSQL database that any number of servers share. */
export async function openPostgres(url: string): Promise<Engine> {
  const pool = openPool(url);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await migrate(db);
  } catch (error) {
    await db.destroy();
    throw storageError(error);
  }
  const { changes, close } = createPostgresChanges(
    url,
    (topics) => sql`select pg_notify('sekisho', ${topics})`.execute(db).then(() => {}),
    async () => {
      const { rows } = await sql<{ now: string }>`select pg_current_snapshot()::text as now`.execute(db);
      return rows[0]?.now ?? '';
    },
  );

  return {
    kind: 'postgres',
    commitsTogether: true,
    db,
    changes,
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
    async insertMany(tx, table, rows) {
      await tx.insertInto(table).values(rows).execute();
    },
    positionFunction: 'strpos',
    async close() {
      await close();
      await db.destroy();
    },
  };
}

async function migrate(db: Kysely<Tables>): Promise<void> {
  if ((await versionOf(db)) === schemaVersion) return;
  await db.transaction().execute(async (tx) => {
    // Servers that start together take turns.
    await sql`select pg_advisory_xact_lock(7226317095)`.execute(tx);
    await sql`create table if not exists schema_version (version integer not null)`.execute(tx);
    const version = await versionOf(tx);
    for (const statements of statementsSince(version, 'postgres')) {
      for (const statement of statements.split(';')) {
        if (statement.trim() !== '') await sql.raw(statement).execute(tx);
      }
    }
    await sql`delete from schema_version`.execute(tx);
    await sql`insert into schema_version values (${schemaVersion})`.execute(tx);
  });
}

async function versionOf(db: Kysely<Tables>): Promise<number> {
  const table = await sql<{
    name: string | null;
  }>`select to_regclass('schema_version')::text as name`.execute(db);
  if (!table.rows[0]?.name) return 0;
  const found = await sql<{ version: number }>`select version from schema_version`.execute(db);
  return found.rows[0]?.version ?? 0;
}

/** Runs a transaction again where nothing but its moment was wrong. */
async function repeated<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt >= attempts || !mayRepeat((error as Error | null)?.cause)) throw storageError(error);
    }
  }
}

/** Two transactions got into each other's way, or the tables have changed: one may simply begin again. */
function mayRepeat(cause: unknown): boolean {
  const { code } = (cause ?? {}) as { code?: string };
  return code === '40001' || code === '40P01' || isStalePlan(cause);
}

const attempts = 10;
