import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { PostgresServer } from '../../test/store/postgres-server.ts';
import { makeFolder, sekisho } from '../world.ts';
import { arrivalsFor, thinkMsFor, work } from './agents.ts';
import { check, type Findings } from './check.ts';
import { createClient } from './client.ts';
import { failures, finishedPerSecond, type Logged, latencies } from './log.ts';
import { type MemoryAt, watchMemory } from './memory.ts';
import { type FleetNode, startNode } from './nodes.ts';
import { addTasks, seed } from './seed.ts';

export interface FleetOptions {
  readonly database: PostgresServer;
  readonly nodes: number;
  readonly agents: number;
  readonly seconds: number;
  /** How many all agents ask for together, whatever their number; absent: as many as they can. */
  readonly callsPerSecond?: number | undefined;
  /** Random numbers begin here, so that a run can be had again. */
  readonly seed?: number;
  /** What goes wrong meanwhile. */
  readonly trouble?: Trouble | undefined;
  /** How each server reaches the database, where that is not directly. */
  readonly through?: ((url: string, n: number) => Promise<string>) | undefined;
}

/** Does harm to a fleet at work, and ends when it is over. */
export type Trouble = (fleet: RunningFleet) => Promise<void>;

export interface RunningFleet {
  readonly nodes: FleetNode[];
  readonly database: PostgresServer;
  /** Another server in the place of this one. */
  restart(n: number, more?: { readonly preload?: string }): Promise<void>;
}

export interface FleetReport {
  readonly calls: number;
  readonly lost: number;
  readonly finished: number;
  readonly finishedPerSecond: readonly number[];
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly p999: number };
  /** Of the servers, and what the database was asked; absent where something was to go wrong: its counts go with it. */
  readonly cost?: { readonly cpuMsPerCall: number; readonly statementsPerCall: number };
  /** Calls without an answer, by the reason, and errors, by their code. */
  readonly failures: Readonly<Record<string, number>>;
  /** Of the servers, all the time; of none where some may end. */
  readonly memory: readonly MemoryAt[];
  readonly findings: Findings;
}

/** Has agents work at real servers on a real database, and checks what they were told. */
export async function runFleet(options: FleetOptions): Promise<FleetReport> {
  const { database, trouble, callsPerSecond } = options;
  const { folder, remove } = makeFolder();
  const root = join(folder, 'root');
  mkdirSync(root);
  const url = await database.createDatabase();
  const tasks = options.agents * tasksAhead;
  const seeded = await seed(url, folder, { agents: options.agents, tasks });
  const direct = new pg.Pool({ connectionString: url, max: 2 });
  direct.on('error', () => {});
  const start = async (n: number, preload?: string) => {
    const storeUrl = (await options.through?.(url, n)) ?? url;
    return startNode({ program: sekisho, folder, name: `n${n}`, storeUrl, root, preload });
  };
  const nodes = await Promise.all(Array.from({ length: options.nodes }, (_, n) => start(n)));
  const log: Logged[] = [];
  const client = createClient(options.agents * 2);
  // A fleet never runs out of work.
  const refill = setInterval(() => {
    keepFull(direct, tasks).catch(() => {});
  }, 500);
  const statementsBefore = await statements(direct);
  const cpuBefore = cpuOf(nodes);
  const memory = watchMemory(trouble ? [] : nodes, Math.max(1000, (options.seconds * 1000) / memoryLooks));
  try {
    const working = work({
      client,
      urls: () => nodes.map(({ url }) => url),
      agents: seeded.agents,
      bearer: seeded.bearer,
      seconds: options.seconds,
      arrivalsPerSecond: callsPerSecond === undefined ? options.agents : arrivalsFor(callsPerSecond),
      thinkMs: callsPerSecond === undefined ? 20 : thinkMsFor(options.agents, callsPerSecond),
      random: randomFrom(options.seed ?? 1),
      log,
    });
    await trouble?.({
      nodes,
      database,
      async restart(n, { preload } = {}) {
        await nodes[n]?.stop('SIGKILL');
        nodes[n] = await start(n, preload);
      },
    });
    await working;
    const calls = log.filter(({ answer }) => answer.kind !== 'lost').length;
    const report = {
      calls,
      lost: log.length - calls,
      finished: log.filter(({ tool, answer }) => tool === 'report_completed' && answer.kind === 'ok').length,
      finishedPerSecond: finishedPerSecond(log, options.seconds),
      latencyMs: latencies(log),
      ...(!trouble && {
        cost: {
          cpuMsPerCall: (cpuOf(nodes) - cpuBefore) / calls,
          statementsPerCall: ((await statements(direct)) - statementsBefore) / calls,
        },
      }),
      failures: failures(log, options.seconds),
      memory: memory.stop(),
    };
    // What they still hold is written when they stop.
    await Promise.all(nodes.map((node) => node.stop()));
    const fileAt = (path: string) =>
      existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;
    return { ...report, findings: await check(url, log, fileAt, { mayLoseReads: trouble !== undefined }) };
  } finally {
    clearInterval(refill);
    memory.stop();
    client.close();
    await Promise.all(nodes.map((node) => node.stop('SIGKILL')));
    await direct.end();
    remove();
  }
}

function cpuOf(nodes: readonly FleetNode[]): number {
  return nodes.reduce((sum, node) => sum + node.usage().cpuMs, 0);
}

async function keepFull(pool: pg.Pool, wanted: number): Promise<void> {
  const { rows } = await pool.query<{ n: string }>(
    `select count(*) as n from tasks where project_id = 'p' and status = 'todo' and assignee_id is null`,
  );
  const free = Number(rows[0]?.n ?? wanted);
  if (free < wanted) await addTasks(pool, wanted - free);
}

/** How many statements the database was sent so far, where it counts them; its own count of transactions is no such thing. */
async function statements(pool: pg.Pool): Promise<number> {
  await pool.query('create extension if not exists pg_stat_statements');
  const { rows } = await pool.query<{ n: string | null }>(
    `select sum(calls) as n from pg_stat_statements s join pg_database d on d.oid = s.dbid
     where d.datname = current_database()`,
  );
  return Number(rows[0]?.n ?? Number.NaN);
}

/** Mulberry32: small, and the same numbers each time. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const tasksAhead = 4;
const memoryLooks = 60;
