import { expect, test } from 'vitest';
import { createTeamPlace, enterAt, type TeamServer } from './server.ts';

const rounds = process.env.SEKISHO_HAMMER ? 10 : 2;

test('kill -9 of the server under load loses nothing acknowledged, and leaves no half of a batch', {
  timeout: 60_000 + rounds * 40_000,
}, async () => {
  const place = await createTeamPlace();
  await place.command('task', 'add', '--project', 'p', '--title', 'Whole', '--assign', 'm', '--start');
  const acknowledged = { tasks: new Set<string>(), done: new Set<string>() };
  let token = '';
  for (let round = 0; round < rounds; round += 1) {
    const server = await place.serve();
    // A session outlives the server that gave it.
    if (token === '') token = (await enterAt(server, 'm')).session_token;
    const writers = Array.from({ length: 4 }, (_, n) => load(server, token, `r${round}w${n}`, acknowledged));
    await enough(acknowledged.tasks, (round + 1) * 60);
    await server.kill();
    await Promise.all(writers);
  }

  const server = await place.serve();
  const kept = new Map<string, { title: string; status: string }>();
  for (let cursor: string | undefined; ; ) {
    const page = (await server.call('list_tasks', {
      session_token: token,
      limit: 100,
      ...(cursor === undefined ? {} : { cursor }),
    })) as { tasks: { task_id: string; title: string; status: string }[]; next_cursor?: string };
    for (const task of page.tasks) kept.set(task.task_id, task);
    cursor = page.next_cursor;
    if (cursor === undefined) break;
  }
  expect(acknowledged.tasks.size).toBeGreaterThanOrEqual(rounds * 60);
  expect([...acknowledged.tasks].filter((id) => !kept.has(id))).toEqual([]);
  expect([...acknowledged.done].filter((id) => kept.get(id)?.status !== 'cancelled')).toEqual([]);
  expect(acknowledged.done.size).toBeGreaterThan(0);
  // Each batch has three tasks: it is there as a whole or not at all.
  const batches = new Map<string, number>();
  for (const { title } of kept.values()) {
    const [batch = ''] = title.split(' ');
    batches.set(batch, (batches.get(batch) ?? 0) + 1);
  }
  batches.delete('Whole');
  expect([...batches.values()].filter((size) => size !== 3)).toEqual([]);
});

/** Makes batches and cancels one task of each, until the server is gone. */
async function load(
  server: TeamServer,
  session_token: string,
  name: string,
  acknowledged: { readonly tasks: Set<string>; readonly done: Set<string> },
): Promise<void> {
  for (let n = 0; ; n += 1) {
    try {
      const made = (await server.call('create_tasks_batch', {
        session_token,
        tasks: [1, 2, 3].map((part) => ({ local_id: `${part}`, title: `${name}b${n} ${part}` })),
      })) as { tasks: { task_id: string }[] };
      for (const { task_id } of made.tasks) acknowledged.tasks.add(task_id);
      const task_id = made.tasks[0]?.task_id ?? '';
      const changed = await server.call('update_task_status', {
        session_token,
        task_id,
        status: 'cancelled',
      });
      if (changed.task !== undefined) acknowledged.done.add(task_id);
    } catch {
      return;
    }
  }
}

async function enough(set: ReadonlySet<string>, size: number): Promise<void> {
  while (set.size < size) await new Promise((resolve) => setTimeout(resolve, 5));
}
