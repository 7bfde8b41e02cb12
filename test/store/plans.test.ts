import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { seed } from '../../bench/fleet/seed.ts';
import { openStore } from '../../src/store/open-store.ts';
import { laneSettings } from '../../src/store/postgres/lane.ts';
import { quickTeamStatements } from '../../src/store/postgres/quick-team.ts';
import { startPostgres } from './postgres-server.ts';

test.each([
  [
    'what an agent has in progress',
    "select id from tasks where assignee_id = 'a' and status = 'in_progress' order by seq",
    'SEARCH tasks USING INDEX tasks_by_assignee (assignee_id=? AND status=?)',
  ],
  [
    'what was given to an agent and waits',
    "select * from tasks where assignee_id = 'a' and project_id = 'p' and status = 'todo' order by seq limit 1",
    'SEARCH tasks USING INDEX tasks_by_assignee (assignee_id=? AND status=?)',
  ],
  [
    'the newest event of a project',
    "select seq from task_events where project_id = 'p' order by seq desc limit 1",
    'SEARCH task_events USING COVERING INDEX task_events_by_project (project_id=?)',
  ],
])('%s is found by an index and in its order, whatever was finished before', async (_what, query, plan) => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-plans-'));
  const path = join(folder, 'a.db');
  const store = await openStore({ url: `sqlite:${path}`, stateFolder: folder });
  await store.ready();
  await store.close();
  const database = new DatabaseSync(path);
  onTestFinished(() => {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  expect(
    database
      .prepare(`explain query plan ${query}`)
      .all()
      .map(({ detail }) => detail),
  ).toEqual([plan]);
});

test.for([
  ['all were free', ''],
  ['few were', '; vacuum analyze tasks'],
])(
  'a claim reads one free task and no finished one, though the statistics are of a time when %s (PostgreSQL)',
  async ([, then], context) => {
    const database = await startPostgres(['autovacuum=off', 'fsync=off']);
    if ('missing' in database) return context.skip(database.missing);
    const folder = mkdtempSync(join(tmpdir(), 'sekisho-plans-'));
    const url = await database.createDatabase();
    await seed(url, folder, { agents: 2, tasks: 50_000 });
    const client = new pg.Client(url);
    await client.connect();
    onTestFinished(async () => {
      await client.end();
      await database.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    const finish = `update tasks set status = 'done', assignee_id = 'f1' where seq <= 49_900`;
    for (const statement of `${finish}${then}`.split(';')) await client.query(statement);
    await client.query(laneSettings);
    await client.query(`prepare claim as ${quickTeamStatements.claim}`);

    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await client.query(`set plan_cache_mode = ${mode}; begin`);
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain analyze execute claim ('ses_f2task', 'f2', 'p', ${Date.now()}, ${Date.now()})`,
      );
      await client.query('rollback');
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(/Update on tasks .*rows=1(\.00)? loops=1/);
      const read = [...plan.matchAll(/Rows Removed by Filter: (\d+)|actual .*rows=(\d+)/g)];
      expect(Math.max(...read.map(([, removed, came]) => Number(removed ?? came)))).toBeLessThan(10);
    }
  },
);
