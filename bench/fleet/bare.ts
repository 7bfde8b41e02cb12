import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type PostgresServer, startPostgres } from '../../test/store/postgres-server.ts';
import { atLeast, isFull, median, type Result, within } from '../measure.ts';
import { makeFolder, sekisho } from '../world.ts';
import { createClient } from './client.ts';
import { startNode } from './nodes.ts';
import { seed } from './seed.ts';

const nodes = 4;
const agents = 64;
const tasks = isFull ? 4000 : 800;
/** Of these, on both sides: a program runs slowly at first. */
const warmUp = tasks / 4;
const rounds = isFull ? 3 : 1;

/** Agents that claim and report over HTTP, each call at the next server, beside a program that asks the database itself. */
export async function besideBare(): Promise<readonly Result[]> {
  const database = await startPostgres([]);
  if ('missing' in database) throw new Error(database.missing);
  const runs = { ours: [] as number[], theirs: [] as number[], cpu: [] as number[] };
  let wrong = 0;
  for (let round = 0; round < rounds; round += 1) {
    const ours = await byServers(database);
    runs.ours.push(ours.perSecond);
    runs.cpu.push(ours.cpuMsPerCall);
    wrong += ours.wrong;
    runs.theirs.push(await bare(database));
  }
  await database.stop();
  const what = `claims with their reports a second through MCP over HTTP, ${agents} agents, ${nodes} servers`;
  return [
    atLeast(what, 'bare statements through pg, each synced', 0.5, {
      ours: median(runs.ours),
      theirs: median(runs.theirs),
    }),
    within('CPU of the servers for one such call', 2, median(runs.cpu), 'ms'),
    within('tasks claimed twice or lost, calls without a record', 0, wrong, 'count'),
  ];
}

async function byServers(database: PostgresServer) {
  const { folder, remove } = makeFolder();
  const root = join(folder, 'root');
  mkdirSync(root);
  const storeUrl = await database.createDatabase();
  const { agents: seeded } = await seed(storeUrl, folder, { agents, tasks });
  const tokens = seeded.map(({ task }) => task);
  const servers = await Promise.all(
    Array.from({ length: nodes }, (_, n) =>
      startNode({ program: sekisho, folder, name: `n${n}`, storeUrl, root }),
    ),
  );
  const client = createClient(agents);
  const owners = new Map<string, number>();
  let [calls, begun, reported, next] = [0, 0, 0, 0];
  const call = async (tool: string, input: object) => {
    calls += 1;
    const answer = await client.call(servers[next++ % nodes]?.url ?? '', tool, input);
    if (answer.kind !== 'ok') throw new Error(`${tool}: ${JSON.stringify(answer)}`);
    return answer.value;
  };
  // The first call of each server opens what it needs.
  for (const session_token of tokens.slice(0, nodes)) await call('get_my_profile', { session_token });
  const cpuMs = () => servers.reduce((sum, server) => sum + server.usage().cpuMs, 0);
  let [cpuBefore, callsBefore, began] = [0, 0, 0];
  await Promise.all(
    tokens.map(async (session_token) => {
      // One for each task: to be told that there is none is another call.
      while (begun < tasks) {
        begun += 1;
        const { task } = (await call('claim_task', { session_token })) as { task?: { task_id: string } };
        if (!task) continue;
        owners.set(task.task_id, (owners.get(task.task_id) ?? 0) + 1);
        await call('report_completed', { session_token, result: 'success' });
        reported += 1;
        if (reported === warmUp) [cpuBefore, callsBefore, began] = [cpuMs(), calls, performance.now()];
      }
    }),
  );
  const ms = performance.now() - began;
  const cpuMsPerCall = (cpuMs() - cpuBefore) / (calls - callsBefore);
  for (const server of servers) await server.stop();
  client.close();
  const twice = [...owners.values()].filter((times) => times > 1).length;
  const wrong = twice + (await lost(storeUrl, reported, calls));
  remove();
  return { perSecond: ((reported - warmUp) / ms) * 1000, cpuMsPerCall, wrong };
}

/** What was acknowledged and is not there. */
async function lost(url: string, reported: number, calls: number): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  const count = async (sql: string) =>
    Number((await client.query<{ n: string }>(`select count(*) as n from ${sql}`)).rows[0]?.n);
  const done = await count(`tasks where status = 'done'`);
  const recorded = (await count('audit')) + (await count('audit_inbox'));
  await client.end();
  return Math.max(0, reported - done) + Math.max(0, calls - recorded);
}

/** A claim, its row in a log, an end and its row, each committed by itself. */
async function bare(database: PostgresServer): Promise<number> {
  const { folder, remove } = makeFolder();
  const url = await database.createDatabase();
  await seed(url, folder, { agents, tasks });
  const pool = new pg.Pool({ connectionString: url, max: 40 });
  await pool.query('create table bare_log (id bigint generated always as identity, body text)');
  const log = () =>
    pool.query({ name: 'log', text: 'insert into bare_log (body) values ($1)', values: ['x'.repeat(600)] });
  let [begun, done, began] = [0, 0, 0];
  await Promise.all(
    Array.from({ length: agents }, async (_, n) => {
      while (begun < tasks) {
        begun += 1;
        const { rows } = await pool.query<{ id: string }>({ name: 'claim', text: claim, values: [`f${n}`] });
        await log();
        if (!rows[0]) continue;
        await pool.query({ name: 'end', text: end, values: [rows[0].id] });
        await log();
        done += 1;
        if (done === warmUp) began = performance.now();
      }
    }),
  );
  const perSecond = ((done - warmUp) / (performance.now() - began)) * 1000;
  await pool.end();
  remove();
  return perSecond;
}

const claim = `update tasks set status = 'in_progress', assignee_id = $1, fence = fence + 1
  where id = (select id from tasks where project_id between 'p' and 'p' and status = 'todo' and assignee_id is null
    order by project_id, seq limit 1 for update skip locked) returning id`;
const end = `update tasks set status = 'done', result = 'success' where id = $1`;
