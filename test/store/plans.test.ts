import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/open.ts';

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
