import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { errnoCode } from '../../ground/errors/errno-code.ts';
import { createSteadyClock } from '../clock/steady-clock.ts';
import type { Engine } from '../engine.ts';
import { storageError } from '../errors.ts';
import { schemaVersion, statementsSince } from '../migrate.ts';
import type { Tables } from '../tables/tables.ts';
import { createSqliteChanges } from './changes.ts';
import { beginImmediate, createSqliteDialect, whileBusy } from './dialect.ts';
import { createSqliteMemoryIndex } from './memory-index.ts';
import { createSqliteSnapshots } from './snapshots.ts';
import { createStatements } from './statements.ts';
import { createWalSync } from './wal-sync.ts';
import { createSqliteWriter } from './writer.ts';

/** Opens the database file. Creates it and its folder, unreadable for others, if missing. */
export async function openSqlite(path: string): Promise<Engine> {
  const database = await openDatabase(path);
  const statements = createStatements(database);
  const db = new Kysely<Tables>({ dialect: createSqliteDialect(database, statements) });
  const wal = createWalSync(path);
  const snapshots = createSqliteSnapshots(path);
  const { changes, close: stopListening } = createSqliteChanges(database);
  /** By table and columns; the code uses few combinations. */
  const inserts = new Map<string, string>();

  return {
    kind: 'sqlite',
    commitsTogether: false,
    db,
    changes,
    memoryIndex: createSqliteMemoryIndex(db),
    write: createSqliteWriter(database, db, wal),
    read: snapshots.read,
    // The write lock of the whole file is already held.
    lock: (query) => query,
    async insertMany(tx, table, rows, { unlessThere = false } = {}) {
      const [first] = rows;
      if (!first) return;
      const columns = Object.keys(first) as (keyof typeof first)[];
      const shape = `${table} ${unlessThere} ${columns}`;
      let text = inserts.get(shape);
      if (text === undefined) {
        // One small statement per row: a statement for each number of rows would fill the memory.
        const insert = tx.insertInto(table).values(first);
        text = (unlessThere ? insert.onConflict((conflict) => conflict.doNothing()) : insert).compile().sql;
        inserts.set(shape, text);
      }
      for (const row of rows)
        statements.run(
          text,
          columns.map((column) => row[column]),
        );
    },
    anyOf: (numbers) => sql<number>`(select value from json_each(${JSON.stringify(numbers)}))`,
    clockMs: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
    now: createSteadyClock(),
    positionFunction: 'instr',
    async close() {
      stopListening();
      await snapshots.close();
      await db.destroy();
      await wal.close();
      database.close();
    },
  };
}

async function openDatabase(path: string): Promise<DatabaseSync> {
  let database: DatabaseSync | undefined;
  try {
    createPrivateFile(path);
    const opened = new DatabaseSync(path, { timeout: lockPatienceMs });
    database = opened;
    const version = await whileBusy(() => versionOf(opened));
    // A database that we may not write is refused before anything is changed in it.
    if (version > schemaVersion) statementsSince(version, 'sqlite');
    // See wal-sync.ts for durability. Several processes may open a new file at once, and changing its mode needs
    // exclusive access.
    await whileBusy(() =>
      opened.exec('pragma journal_mode=wal; pragma synchronous=normal; pragma foreign_keys=on'),
    );
    if (version < schemaVersion) await migrate(opened);
    return opened;
  } catch (error) {
    database?.close();
    throw storageError(error);
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.user_version);
}

async function migrate(database: DatabaseSync): Promise<void> {
  await beginImmediate(database);
  try {
    // Another process may have migrated it first.
    for (const statements of statementsSince(versionOf(database), 'sqlite')) database.exec(statements);
    database.exec(`pragma user_version=${schemaVersion}`);
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

function createPrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (errnoCode(error) !== 'EEXIST') throw error;
  }
}

/** How long a statement may block the event loop for another process's lock before we yield. */
const lockPatienceMs = 2;
