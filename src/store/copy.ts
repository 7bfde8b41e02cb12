import type { Insertable } from 'kysely';
import { ConfigError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';
import { copyTeam } from './copy-team.ts';
import type { Engine } from './engine.ts';
import type { MemoryRow, Tables } from './tables/tables.ts';

/**
 * Copies all records into an empty store, on the same engine or the other; the servers must be stopped. The audit chain
 * is unchanged, so its key must be in the new store's state folder. Rate windows are not copied.
 */
export async function copyStore(
  from: Engine,
  to: Engine,
  progress: (table: string, rows: number) => void = () => {},
): Promise<void> {
  await assertEmpty(to);
  for (const { table, key } of plainTables) {
    await copyTable(from, to, table, key, (rows) => progress(table, rows));
  }
  await copyTeam(from, to, progress);
  await copyMemories(from, to, (rows) => progress('memories', rows));
}

/** Tables whose rows are the same in every database, with the column that orders them. */
const plainTables = [
  { table: 'audit', key: 'seq' },
  { table: 'audit_head', key: 'id' },
  { table: 'audit_start', key: 'id' },
  { table: 'audit_inbox', key: 'id' },
  { table: 'audit_writers', key: 'writer' },
  { table: 'tokens', key: 'id' },
  { table: 'approvals', key: 'id' },
  { table: 'memory_owners', key: 'owner' },
  { table: 'history', key: 'id' },
  { table: 'ask_sessions', key: 'id' },
  { table: 'notices', key: 'id' },
  { table: 'push_devices', key: 'id' },
  { table: 'passkeys', key: 'id' },
] as const satisfies readonly { table: keyof Tables; key: string }[];

async function assertEmpty({ db }: Engine): Promise<void> {
  const teamTables = ['agents', 'projects'] as const;
  for (const table of [...plainTables.map((plain) => plain.table), ...teamTables]) {
    if (await db.selectFrom(table).selectAll().limit(1).executeTakeFirst()) {
      throw new ConfigError(
        text(
          `The store to copy to must be empty, and its table ${table} is not. Name a new file or database.`,
          `コピー先のストアは空でなければなりませんが、テーブル ${table} にデータがあります。新しいファイルまたはデータベースを指定してください。`,
        ),
      );
    }
  }
}

async function copyTable(
  from: Engine,
  to: Engine,
  table: (typeof plainTables)[number]['table'],
  key: string,
  progress: (rows: number) => void,
): Promise<void> {
  let copied = 0;
  for (let after: unknown; ; ) {
    // One loop for tables of different columns, so the types of row and key are only right at run time.
    let query = from.db.selectFrom(table as 'audit').selectAll();
    if (after !== undefined) query = query.where(key as 'seq', '>', after as number);
    const rows = await query
      .orderBy(key as 'seq')
      .limit(pageRows)
      .execute();
    if (rows.length === 0) return;
    await to.write((tx) => to.insertMany(tx, table, rows as Insertable<Tables[typeof table]>[]));
    copied += rows.length;
    progress(copied);
    after = (rows.at(-1) as Record<string, unknown> | undefined)?.[key];
  }
}

/** On PostgreSQL, a row includes its word index. */
type WithIndex = MemoryRow & { readonly word_index?: unknown };

/** Memories keep their order and vectors; the new database numbers and indexes them itself. */
async function copyMemories(from: Engine, to: Engine, progress: (rows: number) => void): Promise<void> {
  let copied = 0;
  for (let after = 0; ; ) {
    const rows = await from.db
      .selectFrom('memories')
      .selectAll()
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(pageRows)
      .execute();
    const last = rows.at(-1);
    if (!last) return;
    const seqs = rows.map(({ seq }) => seq);
    const vectors = await from.db.selectFrom('memory_vectors').selectAll().where('seq', 'in', seqs).execute();
    const vectorOf = new Map(vectors.map((vector) => [vector.seq, vector]));
    await to.write(async (tx) => {
      for (const { seq: before, word_index: __, ...row } of rows as readonly WithIndex[]) {
        const { seq } = await tx
          .insertInto('memories')
          .values(row)
          .returning('seq')
          .executeTakeFirstOrThrow();
        await to.memoryIndex.put(
          tx,
          row.owner,
          seq,
          row.words.split(' ').filter((word) => word !== ''),
        );
        const vector = vectorOf.get(before);
        if (vector) await to.insertMany(tx, 'memory_vectors', [{ ...vector, seq }]);
      }
    });
    copied += rows.length;
    progress(copied);
    after = last.seq;
  }
}

const pageRows = 500;
