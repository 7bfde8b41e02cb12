import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, test } from 'vitest';
import { startEngines } from '../store/engines.ts';
import { needs } from '../support/needs.ts';
import { enter, openTeam, passkey, settle } from './people.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));
const isFull = process.env.SEKISHO_HAMMER !== undefined;
const sizes = new Map([
  ['SQLite', isFull ? { processes: 8, tasks: 10_000 } : { processes: 4, tasks: 300 }],
  ['PostgreSQL', isFull ? { processes: 8, tasks: 10_000 } : { processes: 3, tasks: 100 }],
]);

describe.each(engines)('on $name', ({ name, missing, createPlace }) => {
  test('of any number of processes one wins each task, whoever is killed meanwhile', {
    ...needs(missing),
    timeout: isFull ? 900_000 : 100_000,
  }, async () => {
    const { processes, tasks } = sizes.get(name) ?? { processes: 2, tasks: 10 };
    let later = 0;
    const place = await createPlace();
    const records = await place.open();
    const store = openTeam(records, () => Date.now() + later);
    await settle(store);
    const { db } = await records.engine();
    const now = Date.now();
    for (let made = 0; made < tasks; made += 500) {
      await db
        .insertInto('tasks')
        .values(
          Array.from({ length: Math.min(500, tasks - made) }, (_, n) => freeTask(`tsk_${made + n}`, now)),
        )
        .execute();
    }
    for (let n = 0; n < processes; n += 1) {
      await store.admin.addAgent({
        id: `p${n}`,
        name: 'P',
        hierarchy: 'worker',
        passkey,
        maxParallelTasks: 100,
      });
      await store.admin.assign(`p${n}`, 'p');
    }

    const told = new Map<string, string[]>();
    const finished = new Set<string>();
    const began = performance.now();
    await Promise.all(
      Array.from({ length: processes }, async (_, n) => {
        const child = spawn(
          process.execPath,
          [join(import.meta.dirname, 'claimant.ts'), place.url, place.folder, `p${n}`],
          { stdio: ['ignore', 'pipe', 'inherit'] },
        );
        const ended = once(child, 'exit');
        let heard = 0;
        for await (const line of createInterface(child.stdout)) {
          const [what, id = ''] = line.split(' ');
          if (what === 'claimed') told.set(id, [...(told.get(id) ?? []), `p${n}`]);
          else finished.add(id);
          heard += 1;
          // The first half of them die with tasks in their hands.
          if (n < processes / 2 && heard === 10 + n * 7) child.kill('SIGKILL');
        }
        await ended;
      }),
    );
    const seconds = (performance.now() - began) / 1000;
    if (isFull)
      process.stderr.write(
        `${name}: ${Math.round(told.size / seconds)} claims/s with ${processes} processes\n`,
      );

    expect([...told.entries()].filter(([, owners]) => owners.length > 1)).toEqual([]);
    const rows = await db.selectFrom('tasks').selectAll().execute();
    const status = new Map(rows.map((row) => [row.id, row]));
    for (const [id, [owner]] of told) expect(status.get(id), id).toMatchObject({ assignee_id: owner });
    for (const id of finished) expect(status.get(id)?.status).toBe('done');
    // What is in the hands of the dead is free when their leases have run out, and nothing else is.
    const left = rows.filter((row) => row.status !== 'done');
    expect(left.every((row) => row.status === 'in_progress')).toBe(true);
    later = 11 * 60_000;
    await store.admin.addTask({ projectId: 'p', title: 'Last' });
    const heir = await enter(store, 'a');
    const inherited: string[] = [];
    for (;;) {
      const { task } = await heir.team.claimTask({});
      if (!task) break;
      inherited.push(task.task_id);
      await heir.team.reportCompleted({ result: 'success' });
    }
    expect(inherited).toHaveLength(left.length + 1);
    const events = await db
      .selectFrom('task_events')
      .select(({ fn }) => ['task_id', 'fence', fn.countAll<number>().as('events')])
      .where('what', '=', 'claimed')
      .groupBy(['task_id', 'fence'])
      .execute();
    expect(events.filter((row) => Number(row.events) !== 1)).toEqual([]);
    expect(new Set(events.map((row) => row.task_id)).size).toBe(tasks + 1);
  });
});

function freeTask(id: string, nowMs: number) {
  return {
    id,
    project_id: 'p',
    parent_id: null,
    title: id,
    description: '',
    status: 'todo',
    assignee_id: null,
    created_by: 'person',
    is_claimed: 0,
    lease_session_id: null,
    lease_expires_at_ms: null,
    fence: 0,
    result: null,
    summary: null,
    reason: null,
    created_at_ms: nowMs,
    changed_at_ms: nowMs,
  };
}
