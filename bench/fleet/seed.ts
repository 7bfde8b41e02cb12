import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { openStore } from '../../src/store/open-store.ts';
import { openTeam, settle } from '../../test/team/people.ts';

/** One agent of the fleet: it works in one session and talks in another. */
export interface Seeded {
  readonly id: string;
  readonly task: string;
  readonly chat: string;
}

/** Makes the tables, project `p`, so many agents in sessions, so many tasks, and a token for the files. */
export async function seed(
  url: string,
  stateFolder: string,
  { agents, tasks }: { readonly agents: number; readonly tasks: number },
): Promise<{ readonly agents: readonly Seeded[]; readonly bearer: string }> {
  const store = await openStore({ url, stateFolder });
  await settle(openTeam(store));
  const { token } = await store.tokens.create({ user: 'fleet' });
  // Makes the head of the log, and with it the key that all nodes share.
  await store.audit.verify();
  await store.close();

  const client = new pg.Client(url);
  await client.connect();
  const seeded = Array.from({ length: agents }, (_, n) => ({
    id: `f${n + 1}`,
    task: sessionToken(),
    chat: sessionToken(),
  }));
  const nowMs = Date.now();
  await client.query(
    `insert into agents (id, name, hierarchy, parent_id, status, max_parallel_tasks, passkey_hash, created_at_ms)
     select id, id, 'worker', 'm', 'active', 1, 'none', $2 from unnest($1::text[]) id`,
    [seeded.map(({ id }) => id), nowMs],
  );
  await client.query(
    `insert into assignments (agent_id, project_id) select id, 'p' from unnest($1::text[]) id`,
    [seeded.map(({ id }) => id)],
  );
  const sessions = seeded.flatMap(({ id, task, chat }) => [
    { id, purpose: 'task', hash: hashOf(task) },
    { id, purpose: 'chat', hash: hashOf(chat) },
  ]);
  await client.query(
    `insert into agent_sessions (id, hash, agent_id, project_id, purpose, task_id, fence, has_read_task,
       selected_action, selected_at_event, spawn_id, created_at_ms, used_at_ms, expires_at_ms, ends_at_ms)
     select 'ses_' || id || purpose, hash, id, 'p', purpose, null, 0, 0, null, 0, null, $2::bigint, $2::bigint,
       $2::bigint + 3600000, $2::bigint + 86400000
     from json_to_recordset($1) as given (id text, purpose text, hash text)`,
    [JSON.stringify(sessions), nowMs],
  );
  await addTasks(client, tasks);
  await client.query('analyze');
  await client.end();
  return { agents: seeded, bearer: token };
}

/** Tasks that nobody has yet. */
export async function addTasks(client: pg.Client | pg.Pool, count: number): Promise<void> {
  await client.query(
    `insert into tasks (id, project_id, parent_id, title, description, status, assignee_id, created_by, is_claimed,
       lease_session_id, lease_expires_at_ms, fence, result, summary, reason, created_at_ms, changed_at_ms)
     select 'tsk_' || gen_random_uuid(), 'p', null, 'Task ' || n, '', 'todo', null, 'm', 0, null, null, 0,
       null, null, null, $2::bigint, $2::bigint
     from generate_series(1, $1::int) n`,
    [count, Date.now()],
  );
}

function sessionToken(): string {
  return `sess_${randomBytes(32).toString('base64url')}`;
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
