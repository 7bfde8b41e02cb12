import type { Insertable } from 'kysely';
import { ConfigError } from '../contract/error.ts';
import type { Engine } from './engine.ts';
import { findRow, listRows, selectRows } from './rows.ts';
import type { MemoryRow, Tables } from './tables/tables.ts';
import type { AgentRow } from './tables/team.ts';

/**
 * Copies all records into an empty store, on the same engine or the other; the servers must be stopped. The audit chain
 * is unchanged, so its key must be in the new store's state folder. Not copied: rate windows, bindings to connections,
 * leases of starts and counted guesses.
 */
export async function copyStore(
  from: Engine,
  to: Engine,
  progress: (table: string, rows: number) => void = () => {},
): Promise<void> {
  await assertEmpty(to);
  await copyAgents(from, to);
  for (const [table, keys] of Object.entries(tables)) {
    await copyTable(from, to, table as CopiedTable, keys, (rows) => progress(table, rows));
  }
  await copyMemories(from, to, (rows) => progress('memories', rows));
}

/** In the order of their references, with the columns that order a table's rows. */
const tables = {
  audit: ['seq'],
  audit_head: ['id'],
  audit_start: ['id'],
  audit_inbox: ['id'],
  audit_writers: ['writer'],
  tokens: ['id'],
  approvals: ['id'],
  memory_owners: ['owner'],
  history: ['id'],
  ask_sessions: ['id'],
  notices: ['id'],
  push_devices: ['id'],
  passkeys: ['id'],
  projects: ['id'],
  assignments: ['agent_id', 'project_id'],
  coordinator_tokens: ['hash'],
  agent_sessions: ['id'],
  tasks: ['seq'],
  task_dependencies: ['task_id', 'depends_on_id'],
  task_events: ['seq'],
  task_requests: ['id'],
  executions: ['id'],
  conversations: ['id'],
  messages: ['seq'],
  delegations: ['id'],
  notifications: ['seq'],
} as const satisfies Partial<Record<keyof Tables, readonly [string, string?]>>;

type CopiedTable = keyof typeof tables;

/** Their rows are numbered by the database, and get new numbers in the same order. */
const numberedAnew: readonly string[] = ['tasks', 'task_events', 'messages', 'notifications'];

async function assertEmpty({ db }: Engine): Promise<void> {
  for (const table of ['agents', ...Object.keys(tables)] as ('agents' | CopiedTable)[]) {
    if (!(await findRow(db, table, {}))) continue;
    throw new ConfigError(
      `The store to copy to must be empty, and its table ${table} is not. Name a new file or database.`,
      `コピー先のストアは空でなければなりませんが、テーブル ${table} にデータがあります。新しいファイルまたはデータベースを指定してください。`,
    );
  }
}

/** Parents first: an agent refers to its parent. */
async function copyAgents(from: Engine, to: Engine): Promise<void> {
  let left: readonly AgentRow[] = await listRows(from.db, 'agents', {}, { by: 'id' });
  const moved = new Set<string>();
  while (left.length > 0) {
    const next = left.filter(({ parent_id }) => parent_id === null || moved.has(parent_id));
    if (next.length === 0) throw new Error('The parents of agents form a circle.');
    await to.write((tx) => to.insertMany(tx, 'agents', next));
    for (const { id } of next) moved.add(id);
    left = left.filter(({ id }) => !moved.has(id));
  }
}

async function copyTable(
  from: Engine,
  to: Engine,
  table: CopiedTable,
  keys: readonly [string, string?],
  progress: (rows: number) => void,
): Promise<void> {
  let copied = 0;
  for (let last: Record<string, unknown> | undefined; ; ) {
    // One loop for tables of different columns, so the types of row and keys are only right at run time.
    const [key, second] = keys as readonly ['agent_id', 'project_id'?];
    let query = selectRows(from.db, table as 'assignments').orderBy(key);
    if (second) query = query.orderBy(second);
    if (last) {
      const [value, other] = [last[key], last[second ?? key]] as [string, string];
      query = query.where(({ eb, refTuple, tuple }) =>
        second ? eb(refTuple(key, second), '>', tuple(value, other)) : eb(key, '>', value),
      );
    }
    const rows = await query.limit(pageRows).execute();
    last = rows.at(-1) as Record<string, unknown> | undefined;
    if (!last) return;
    const isNumbered = numberedAnew.includes(table);
    const values = isNumbered ? (rows as readonly { seq?: number }[]).map(({ seq: _, ...row }) => row) : rows;
    await to.write((tx) => to.insertMany(tx, table, values as unknown as Insertable<Tables[CopiedTable]>[]));
    copied += rows.length;
    progress(copied);
  }
}

/** On PostgreSQL, a row includes its word index. */
type WithIndex = MemoryRow & { readonly word_index?: unknown };

/** Memories keep their order and vectors; the new database numbers and indexes them itself. */
async function copyMemories(from: Engine, to: Engine, progress: (rows: number) => void): Promise<void> {
  let copied = 0;
  for (let after = 0; ; ) {
    const rows = await listRows(from.db, 'memories', { 'seq >': after }, { by: 'seq', limit: pageRows });
    const last = rows.at(-1);
    if (!last) return;
    const vectors = await selectRows(from.db, 'memory_vectors', {
      seq: rows.map(({ seq }) => seq),
    }).execute();
    const vectorOf = new Map(vectors.map((vector) => [vector.seq, vector]));
    await to.write(async (tx) => {
      for (const { seq: before, word_index: __, ...row } of rows as readonly WithIndex[]) {
        const { seq } = await tx
          .insertInto('memories')
          .values(row)
          .returning('seq')
          .executeTakeFirstOrThrow();
        const words = row.words.split(' ').filter((word) => word !== '');
        await to.memoryIndex.put(tx, row.owner, seq, words);
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
