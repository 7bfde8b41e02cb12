/**
 * `npm run fleet`: agents that claim, think, talk, ask, read, write and finish at several real servers on one real
 * PostgreSQL, a tenth of them crashing, and a checker that holds what they were told against what is there.
 * `-- --chaos` has something go wrong in each run, `-- --bare` holds claims against bare statements.
 * `--nodes N --agents N --seconds S --seed N` set the size; `--rate N`, how many calls a second all agents ask for
 * together; with `--explain N`, one statement in N is looked at, and told if it reads ten times the rows that it returns.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../test/store/postgres-server.ts';
import { resultTables } from '../page/tables.ts';
import { besideBare } from './bare.ts';
import { beginsAtMs, scenarios } from './chaos.ts';
import { countOf } from './check.ts';
import { type FleetOptions, type FleetReport, runFleet } from './fleet.ts';
import { growthPerMinute, type MemoryAt } from './memory.ts';
import { type RowsRead, rowsRead, sampledPlans } from './rows-read.ts';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '4' },
    agents: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    rate: { type: 'string' },
    explain: { type: 'string' },
    chaos: { type: 'boolean', default: false },
    bare: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
const size = { nodes: Number(values.nodes), agents: Number(values.agents), seed: Number(values.seed) };
/** Of a database on a disk of its own: its log has little room, so that the disk can be small. */
const smallLog = ['max_wal_size=64MB', 'min_wal_size=32MB', 'wal_recycle=off'];
const memoryLines = 12;

if (values.chaos) await chaos();
else if (values.bare) say(resultTables([{ name: 'fleet', results: await besideBare() }]));
else await calm();

async function calm(): Promise<void> {
  const callsPerSecond = values.rate === undefined ? undefined : Number(values.rate);
  const plans = values.explain === undefined ? undefined : mkdtempSync(join(tmpdir(), 'sekisho-plans-'));
  // PostgreSQL may run as somebody else.
  if (plans !== undefined) chmodSync(plans, 0o777);
  const options = { ...size, seconds: Number(values.seconds), callsPerSecond };
  const warmAt = Date.now() + (options.seconds * 1000) / 3;
  const report = await on(options, { plans });
  const { calls, finished, latencyMs, cost } = report;
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
  for (const [what, times] of Object.entries(report.failures)) say(`  ${times} × ${what}`);
  tellMemory(report.memory.filter(({ atMs }) => atMs <= options.seconds * 1000));
  if (plans !== undefined) {
    // Where tables were empty a moment ago, PostgreSQL reads them whole until it has looked at them again.
    tellRowsRead(rowsRead(plans, warmAt));
    rmSync(plans, { recursive: true });
  }
  tellFindings(report);
}

function tellMemory(memory: readonly MemoryAt[]): void {
  say('memory of each server, in MiB');
  const step = Math.ceil(memory.length / memoryLines);
  for (const { atMs, residentMiB } of memory.filter((_, n) => (memory.length - 1 - n) % step === 0))
    say(
      `  ${(atMs / 1000).toFixed(0).padStart(6)} s ${residentMiB.map((each) => each.toFixed(0).padStart(6)).join('')}`,
    );
  for (const [share, words] of [
    [1 / 3, 'after the first third'],
    [2 / 3, 'in the last third'],
  ] as const) {
    const perMinute = growthPerMinute(memory, share * (memory.at(-1)?.atMs ?? 0));
    say(`  ${words}: ${perMinute.toFixed(2)} MiB a minute on average`);
  }
}

function tellRowsRead(all: readonly RowsRead[]): void {
  const samples = all.reduce((sum, one) => sum + one.samples, 0);
  const over = all.filter(({ read, returned }) => read > 10 * returned);
  say(
    `${all.length} kinds of statements in ${samples} looked at; reading over 10 rows for each: ${over.length}`,
  );
  for (const { statement, samples, read, returned } of all.slice(0, Math.max(3, over.length)))
    say(`  ${(read / returned).toFixed(1)} rows for each, ${samples} looked at: ${statement.slice(0, 200)}`);
}

async function chaos(): Promise<void> {
  for (const make of scenarios()) {
    const scenario = make();
    try {
      if (values.only !== undefined && !scenario.name.includes(values.only)) continue;
      const { harm: trouble, seconds, through, disk } = scenario;
      const report = await on({ ...size, seconds, trouble, through }, { folder: disk?.folder });
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

async function on(
  options: Omit<FleetOptions, 'database'>,
  { folder, plans }: { readonly folder?: string | undefined; readonly plans?: string | undefined },
): Promise<FleetReport> {
  const before = process.env.TMPDIR;
  if (folder !== undefined) process.env.TMPDIR = folder;
  const settings =
    plans === undefined
      ? ['shared_preload_libraries=pg_stat_statements']
      : sampledPlans(plans, Number(values.explain));
  const database = await startPostgres([...settings, ...(folder === undefined ? [] : smallLog)]);
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
