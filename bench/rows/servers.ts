import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openStore } from '../../src/store/open-store.ts';
import { type PostgresServer, startPostgres } from '../../test/store/postgres-server.ts';
import { openTeam, passkey, settle } from '../../test/team/people.ts';
import { atLeast, isFull, median, type Row } from '../measure.ts';
import { makeFolder } from '../world.ts';

const agents = 50;
const tasks = isFull ? 2000 : 400;
const rounds = isFull ? 5 : 1;
const ours = join(import.meta.dirname, '../servers/agents.ts');
const bare = join(import.meta.dirname, '../servers/bare-agents.ts');

export const rows: readonly Row[] = [
  {
    name: 'servers',
    async run() {
      const started = await startPostgres([]);
      if ('missing' in started) throw new Error(started.missing);
      const runs = { one: [] as number[], three: [] as number[], bare: [] as number[] };
      const waits: Wait[] = [];
      for (let round = 0; round < rounds; round++) {
        runs.one.push((await workThrough(started, ours, 1)).perSecond);
        const three = await workThrough(started, ours, 3);
        runs.three.push(three.perSecond);
        waits.push(...three.waits);
        runs.bare.push((await workThrough(started, bare, 3)).perSecond);
      }
      await started.stop();
      const values = { one: median(runs.one), three: median(runs.three), bare: median(runs.bare) };
      if (process.env.BENCH_WAITS) console.error(topOf(waits));
      const what = `claims with reports per second, ${agents} agents, three servers on one PostgreSQL`;
      return [
        atLeast(what, 'one server', 2.2, { ours: values.three, theirs: values.one }),
        atLeast(what, 'bare statements, each synced', 0.5, { ours: values.three, theirs: values.bare }),
      ];
    },
  },
];

type Wait = string;

/** Has all tasks claimed and finished by so many servers, which share the agents. */
async function workThrough(
  database: PostgresServer,
  program: string,
  servers: number,
): Promise<{ readonly perSecond: number; readonly waits: readonly Wait[] }> {
  const { folder, remove } = makeFolder();
  const url = await database.createDatabase();
  const store = await openStore({ url, stateFolder: folder });
  const team = openTeam(store);
  await settle(team);
  for (let n = 0; n < agents; n++) {
    await team.admin.addAgent({ id: `p${n}`, name: 'P', hierarchy: 'worker', passkey });
    await team.admin.assign(`p${n}`, 'p');
  }
  for (let task = 0; task < tasks; task++)
    await team.admin.addTask({ projectId: 'p', title: `Task ${task}` });
  await store.close();

  const waits: Wait[] = [];
  const each = Math.ceil(agents / servers);
  const children = Array.from({ length: servers }, (_, at) => {
    const last = Math.min(agents, (at + 1) * each) - 1;
    return spawn(process.execPath, [program, url, folder, `${at * each}`, `${last}`], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
  });
  let [ready, over, done, firstMs, lastMs] = [0, 0, 0, 0, 0];
  const looking = setInterval(async () => {
    if (!process.env.BENCH_WAITS || ready < servers || over > 0) return;
    const seen = await database.query<{ wait: string }>(
      `select coalesce(wait_event_type || ':' || wait_event, 'running') || ' ' || split_part(query, ' ', 1) || ' '
         || left(query, 120) as wait
       from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    );
    waits.push(...seen.map(({ wait }) => wait));
  }, 20);
  await Promise.all(
    children.map(async (child) => {
      const ended = once(child, 'exit');
      for await (const line of createInterface(child.stdout)) {
        if (line === 'ready' && ++ready === servers) {
          firstMs = performance.now();
          for (const one of children) one.stdin.write('go\n');
        } else if (line === 'over') over += 1;
        else if (line.startsWith('claimed')) {
          done += 1;
          lastMs = performance.now();
        }
      }
      await ended;
    }),
  );
  clearInterval(looking);
  remove();
  return { perSecond: (done / (lastMs - firstMs)) * 1000, waits };
}

function topOf(waits: readonly Wait[]): string {
  const counts = new Map<string, number>();
  for (const wait of waits) counts.set(wait, (counts.get(wait) ?? 0) + 1);
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, 8);
  return sorted.map(([wait, count]) => `${Math.round((100 * count) / waits.length)} % ${wait}`).join('\n');
}
