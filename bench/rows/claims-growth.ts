import { readFileSync } from 'node:fs';
import pg from 'pg';
import type { Team } from '../../src/contract/team/team.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { type PostgresServer, startPostgres } from '../../test/store/postgres-server.ts';
import { openTeam } from '../../test/team/people.ts';
import { addTasks, seed } from '../fleet/seed.ts';
import { atMost, type Growth, isFull, type Row } from '../measure.ts';
import { makeFolder } from '../world.ts';

const rounds = isFull ? 20 : 3;
const pairsARound = 50;
const fewest = { agents: 10, finished: 1000 };
const agentCounts = isFull ? [10, 100, 1000, 10_000] : [10, 1000];
const finishedCounts = isFull ? [1000, 10_000, 100_000, 1_000_000] : [1000, 100_000];

export const rows: readonly Row[] = [
  {
    name: 'claims-growth',
    async run() {
      const database = await startPostgres(['autovacuum=off']);
      if ('missing' in database) throw new Error(database.missing);
      const sizes = [
        ...agentCounts.map((agents) => ({ ...fewest, agents })),
        ...finishedCounts.slice(1).map((finished) => ({ ...fewest, finished })),
      ];
      const places: Place[] = [];
      for (const size of sizes) places.push(await makePlace(database, size));
      // In turns, so that all meet the same noise; the first turn warms up.
      for (let round = -1; round < rounds; round++) {
        for (const { team, times, name } of places) {
          const before = await cpuMs(database, name);
          for (let pair = 0; pair < pairsARound; pair++) await claimAndReport(team);
          if (round >= 0) times.push(((await cpuMs(database, name)) - before) / pairsARound);
        }
      }
      for (const { close } of places) await close();
      await database.stop();
      const costs = places.map(({ size, times }) => ({ ...size, ms: mean(times) }));
      const [first] = costs;
      if (!first) throw new Error('nothing was measured');
      const byAgents = costs.filter(({ finished }) => finished === fewest.finished);
      const byFinished = costs.filter(({ agents }) => agents === fewest.agents);
      const last = (those: typeof costs) => ({ ours: those.at(-1)?.ms ?? Number.NaN, theirs: first.ms });
      const most = (counts: readonly number[]) => (counts.at(-1) ?? 0).toLocaleString('en');
      return [
        atMost(
          `processor time of a claim and its report, ${most(agentCounts)} agents`,
          'with 10 agents',
          1.3,
          last(byAgents),
        ),
        atMost(
          `processor time of a claim and its report, ${most(finishedCounts)} finished tasks`,
          'with 1,000 finished tasks',
          1.3,
          last(byFinished),
        ),
        growth('claim a task and report it (PostgreSQL, processor time), by agents', byAgents, 'agents'),
        growth(
          'claim a task and report it (PostgreSQL, processor time), by finished tasks',
          byFinished,
          'finished',
        ),
      ];
    },
  },
];

interface Size {
  readonly agents: number;
  readonly finished: number;
}

interface Place {
  readonly size: Size;
  readonly team: Team;
  /** Processor time of a pair, of each round. */
  readonly times: number[];
  /** Of the database. */
  readonly name: string;
  close(): Promise<void>;
}

function growth(operation: string, costs: readonly (Size & { ms: number })[], by: keyof Size): Growth {
  return { operation, points: costs.map((cost) => ({ size: cost[by].toLocaleString('en'), ms: cost.ms })) };
}

/** A database of that size, with enough free tasks for every pair, and an agent at work in it. */
async function makePlace(database: PostgresServer, size: Size): Promise<Place> {
  const { folder, remove } = makeFolder();
  const url = await database.createDatabase();
  const { agents } = await seed(url, folder, { agents: size.agents, tasks: 0 });
  const client = new pg.Client(url);
  await client.connect();
  await addTasks(client, size.finished);
  await client.query(`update tasks set status = 'done', assignee_id = 'f' || (1 + seq % $1)`, [size.agents]);
  await addTasks(client, (rounds + 1) * pairsARound);
  await client.query('vacuum analyze');
  await client.end();
  const store: Store = await openStore({ url, stateFolder: folder });
  const team = openTeam(store);
  const caller = await team.sessions.session(agents[0]?.task ?? '', { transport: 'http' });
  if (!caller) throw new Error('the agent has no session');
  const name = new URL(url).pathname.slice(1);
  return {
    size,
    team: team.lend(caller, { transport: 'http' }),
    times: [],
    name,
    async close() {
      await store.close();
      remove();
    },
  };
}

/** Processor time of the database's processes and of this one: what others do to the machine meanwhile does not count. */
async function cpuMs(database: PostgresServer, name: string): Promise<number> {
  const served = await database.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
  );
  const { user, system } = process.cpuUsage();
  const theirs = served.map(({ pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  });
  return (user + system) / 1000 + theirs.reduce((sum, ms) => sum + ms, 0);
}

/** USER_HZ is 100 on every Linux. */
const tickMs = 10;

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

async function claimAndReport(team: Team): Promise<void> {
  const { task } = await team.claimTask({});
  if (!task) throw new Error('no task was free');
  await team.reportCompleted({ result: 'success' });
}
