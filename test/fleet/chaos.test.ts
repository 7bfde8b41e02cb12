import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { scenarios } from '../../bench/fleet/chaos.ts';
import { countOf } from '../../bench/fleet/check.ts';
import { type FleetReport, runFleet } from '../../bench/fleet/fleet.ts';
import { startPostgres } from '../store/postgres-server.ts';
import { hammer, needs } from '../support/needs.ts';

/** `npm run fleet -- --chaos` tries each trouble by itself, for longer and with more agents. */
const counted = ['shared_preload_libraries=pg_stat_statements'];
const postgres = await startPostgres(counted);
const missing = 'missing' in postgres ? postgres.missing : undefined;
afterAll(async () => {
  if ('stop' in postgres) await postgres.stop();
});

const nothing = { claimedTwice: [], lostFinishes: [], unrecorded: [], outOfTurn: [], brokenFiles: [] };

test('agents lose nothing while a server is killed, connections are cut and the database is restarted', {
  ...needs(missing),
  timeout: 240_000,
}, async () => {
  if (!('createDatabase' in postgres)) return;
  const report = await runFleet({
    database: postgres,
    nodes: 2,
    agents: 6,
    seconds: 8,
    async trouble({ restart, database }) {
      await sleep(1500);
      await restart(0);
      await database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sekisho'`,
      );
      await sleep(500);
      await database.halt('kill');
      await database.start();
    },
  });

  expect(report.findings).toEqual(nothing);
  expect(report.finished).toBeGreaterThan(0);
});

test.each(scenarios().slice(0, -1))(
  `nothing is lost or done twice in scenario %#`,
  { ...needs(missing, hammer()), timeout: 600_000 },
  async (make) => {
    if (!('createDatabase' in postgres)) return;
    const scenario = make();
    const { harm: trouble, seconds, through } = scenario;
    let report: FleetReport | undefined;
    try {
      report = await runFleet({
        database: postgres,
        nodes: 2,
        agents: 16,
        seconds,
        trouble,
        through,
      });
    } finally {
      await scenario.close?.();
    }

    expect(countOf(report.findings), scenario.name).toBe(0);
  },
);
