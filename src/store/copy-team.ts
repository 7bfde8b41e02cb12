import type { Insertable } from 'kysely';
import type { Engine } from './engine.ts';
import type { Tables } from './tables/tables.ts';
import type { AgentRow } from './tables/team.ts';

/**
 * Copies agents, their work and their sessions. Rows numbered by the database get new numbers in the same order. Not
 * copied: bindings to connections, leases of starts and counted guesses.
 */
export async function copyTeam(
  from: Engine,
  to: Engine,
  progress: (table: string, rows: number) => void,
): Promise<void> {
  await copyAgents(from, to);
  for (const { table, keys } of teamTables) {
    await copyPages(from, to, table, keys, (rows) => progress(table, rows));
  }
}

/** In the order of their references, with the columns that order a table's rows. */
const teamTables = [
  { table: 'projects', keys: ['id'] },
  { table: 'assignments', keys: ['agent_id', 'project_id'] },
  { table: 'coordinator_tokens', keys: ['hash'] },
  { table: 'agent_sessions', keys: ['id'] },
  { table: 'tasks', keys: ['seq'] },
  { table: 'task_dependencies', keys: ['task_id', 'depends_on_id'] },
  { table: 'task_events', keys: ['seq'] },
  { table: 'task_requests', keys: ['id'] },
  { table: 'executions', keys: ['id'] },
  { table: 'conversations', keys: ['id'] },
  { table: 'messages', keys: ['seq'] },
  { table: 'delegations', keys: ['id'] },
  { table: 'notifications', keys: ['seq'] },
] as const satisfies readonly { table: keyof Tables; keys: readonly string[] }[];

type TeamTable = (typeof teamTables)[number]['table'];

/** Parents first: an agent refers to its parent. */
async function copyAgents(from: Engine, to: Engine): Promise<void> {
  let left: readonly AgentRow[] = await from.db.selectFrom('agents').selectAll().orderBy('id').execute();
  const moved = new Set<string>();
  while (left.length > 0) {
    const next = left.filter(({ parent_id }) => parent_id === null || moved.has(parent_id));
    if (next.length === 0) throw new Error('The parents of agents form a circle.');
    await to.write((tx) => to.insertMany(tx, 'agents', next));
    for (const { id } of next) moved.add(id);
    left = left.filter(({ id }) => !moved.has(id));
  }
}

async function copyPages(
  from: Engine,
  to: Engine,
  table: TeamTable,
  keys: readonly string[],
  progress: (rows: number) => void,
): Promise<void> {
  let copied = 0;
  for (let last: Record<string, unknown> | undefined; ; ) {
    // One loop for tables of different columns, so the types of row and keys are only right at run time.
    let query = from.db.selectFrom(table as 'assignments').selectAll();
    const [key = '', second] = keys as readonly ('agent_id' | 'project_id')[];
    if (last) {
      const { [key]: value, [second ?? key]: other } = last as Record<string, string>;
      query = query.where(({ or, and, eb }) =>
        second === undefined
          ? eb(key as 'agent_id', '>', value ?? '')
          : or([
              eb(key as 'agent_id', '>', value ?? ''),
              and([eb(key as 'agent_id', '=', value ?? ''), eb(second, '>', other ?? '')]),
            ]),
      );
    }
    for (const column of keys) query = query.orderBy(column as 'agent_id');
    const rows: readonly Record<string, unknown>[] = await query.limit(pageRows).execute();
    if (rows.length === 0) return;
    const values = rows.map(({ seq: _, ...row }) => row);
    await to.write((tx) => to.insertMany(tx, table, values as unknown as Insertable<Tables[TeamTable]>[]));
    copied += rows.length;
    progress(copied);
    last = rows.at(-1);
  }
}

const pageRows = 500;
