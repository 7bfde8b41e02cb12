/**
 * `npm run fleet`: agents that claim, think, talk, ask, read, write and finish at several real servers on one real
 * PostgreSQL, a tenth of them crashing, and a checker that holds what they were told against what is there.
 * `-- --chaos` has something go wrong in each run, `-- --bare` holds claims against bare statements. `--nodes N --agents N --seconds S --seed N` set the size.
 */
import { parseArgs } from 'node:util';
import { startPostgres } from '../../test/store/postgres-server.ts';
import { resultTables } from '../results.ts';
import { besideBare } from './bare.ts';
import { beginsAtMs, scenarios } from './chaos.ts';
import { countOf } from './check.ts';
import { type FleetOptions, type FleetReport, runFleet } from './fleet.ts';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '4' },
    agents: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    chaos: { type: 'boolean', default: false },
    bare: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
const size = { nodes: Number(values.nodes), agents: Number(values.agents), seed: Number(values.seed) };
/** Of a database on a disk of its own: its log has little room, so that the disk can be small. */
const smallLog = ['max_wal_size=64MB', 'min_wal_size=32MB', 'wal_recycle=off'];

if (values.chaos) await chaos();
else if (values.bare) say(resultTables([{ name: 'fleet', results: await besideBare() }]));
else await calm();

async function calm(): Promise<void> {
  const report = await on({ ...size, seconds: Number(values.seconds) });
  const { calls, finished, latencyMs, cost, residentMiB } = report;
  say(`${size.agents} agents, ${size.nodes} servers, ${values.seconds} s`);
  say(
    `calls            ${calls} (${(calls / Number(values.seconds)).toFixed(1)} a second), ${report.lost} unheard`,
  );
  say(`tasks finished   ${finished}`);
  say(`latency          p50 ${ms(latencyMs.p50)}, p99 ${ms(latencyMs.p99)}, p99.9 ${ms(latencyMs.p999)}`);
  if (cost)
    say(
      `a call costs     ${cost.cpuMsPerCall.toFixed(2)} ms CPU, ${cost.statementsPerCall.toFixed(1)} statements`,
    );
  say(`memory           ${residentMiB.map((each) => `${each.toFixed(0)} MiB`).join(', ')}`);
  tellFindings(report);
}

async function chaos(): Promise<void> {
  for (const make of scenarios()) {
    const scenario = make();
    try {
      if (values.only !== undefined && !scenario.name.includes(values.only)) continue;
      const { harm: trouble, seconds, through, disk } = scenario;
      const report = await on({ ...size, seconds, trouble, through }, disk?.folder);
      const back = backAfterMs(report.finishedPerSecond, scenario.overAtMs);
      say(
        `${scenario.name}: ${back === undefined ? 'NOT back' : `back ${back / 1000} s after`}, ${report.calls} calls, ${report.finished} finished, ${report.lost} unheard`,
      );
      say(`  finished per second: ${report.finishedPerSecond.join(' ')}`);
      tellFindings(report);
    } finally {
      await scenario.close?.();
    }
  }
}

async function on(options: Omit<FleetOptions, 'database'>, folder?: string): Promise<FleetReport> {
  const before = process.env.TMPDIR;
  if (folder !== undefined) process.env.TMPDIR = folder;
  const settings = ['shared_preload_libraries=pg_stat_statements', ...(folder === undefined ? [] : smallLog)];
  const database = await startPostgres(settings);
  if (folder !== undefined) process.env.TMPDIR = before ?? '';
  if ('missing' in database) throw new Error(database.missing);
  try {
    return await runFleet({ ...options, database });
  } finally {
    await database.stop();
  }
}

/** When the rate was at 95 % of what it was before, for the first time after the trouble; a look is two seconds wide. */
function backAfterMs(perSecond: readonly number[], overAtMs: number): number | undefined {
  const calm = perSecond.slice(3, beginsAtMs / 1000);
  const usual = calm.reduce((sum, each) => sum + each, 0) / calm.length;
  for (let second = Math.ceil(overAtMs / 1000); second + 1 < perSecond.length; second += 1) {
    if (((perSecond[second] ?? 0) + (perSecond[second + 1] ?? 0)) / 2 >= 0.95 * usual)
      return second * 1000 - overAtMs;
  }
  return undefined;
}

function tellFindings({ findings }: FleetReport): void {
  say(`  wrong: ${countOf(findings)}`);
  for (const [what, found] of Object.entries(findings)) {
    for (const one of (found as readonly string[]).slice(0, 5)) say(`    ${what}: ${one}`);
  }
  if (countOf(findings) > 0) process.exitCode = 1;
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
