import { afterAll, expect, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../store/postgres-server.ts';
import { modernHeaders, modernMeta, post } from '../support/clients.ts';
import { needs } from '../support/needs.ts';
import { createTeamPlace, enterAt, type TeamServer } from './server.ts';

const postgres = await startPostgres([]);
const missing = 'missing' in postgres ? postgres.missing : undefined;
afterAll(() => (postgres as Partial<PostgresServer>).stop?.());
const rounds = process.env.SEKISHO_HAMMER ? 20 : 2;
/** How soon it serves again once the database does; told of a machine that has nothing else to do. */
const backWithinMs = 2000;

test(`a database that restarts under load ends no server and loses nothing acknowledged (${missing ?? 'PostgreSQL'})`, {
  ...needs(missing),
  timeout: 60_000 + rounds * 30_000,
}, async () => {
  const database = postgres as PostgresServer;
  const place = await createTeamPlace(await database.createDatabase());
  await place.command('task', 'add', '--project', 'p', '--title', 'Whole', '--assign', 'm', '--start');
  const server = await place.serve();
  const { session_token } = await enterAt(server, 'm');
  const told = { made: new Set<string>(), problems: new Set<string>(), isOver: false };
  const writers = Array.from({ length: 6 }, (_, n) => writeUntilOver(server, session_token, `w${n}`, told));
  const backMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await grown(server, told.made, 10);
    // Backends alone, as a failover of a pooler ends them; then the whole database, in order or by kill -9.
    await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'sekisho%'`,
    );
    await grown(server, told.made, 10);
    await database.halt(round % 2 === 0 ? 'fast' : 'kill');
    // The calls in flight have been told; what comes now meets a server without a database.
    expect(await server.call('list_tasks', { session_token })).toMatchObject({
      error: { code: 'unavailable' },
    });
    expect(await listTools(server, session_token)).toMatchObject({
      error: { code: -32_000, data: { code: 'unavailable' } },
    });
    await database.start();
    const began = performance.now();
    await grown(server, told.made, 1);
    backMs.push(performance.now() - began);
    expect(server.child.exitCode).toBeNull();
  }
  told.isOver = true;
  await Promise.all(writers);
  if (rounds > 2) {
    process.stderr.write(
      `${rounds} restarts, ${told.made.size} acknowledged, back after at most ${Math.round(Math.max(...backMs))} ms\n`,
    );
  }

  if (rounds > 2) expect(Math.max(...backMs)).toBeLessThan(backWithinMs);
  expect([...told.problems]).toEqual(['unavailable']);
  const kept = await titlesOf(server, session_token);
  expect([...told.made].filter((title) => !kept.has(title))).toEqual([]);
  expect(await place.command('audit', 'verify')).toMatch(/unbroken/);
  await server.kill();
});

interface Told {
  readonly made: Set<string>;
  readonly problems: Set<string>;
  isOver: boolean;
}

/** Makes one task after the other, and remembers those that it was told are made. */
async function writeUntilOver(
  server: TeamServer,
  session_token: string,
  name: string,
  told: Told,
): Promise<void> {
  for (let n = 0; !told.isOver; n += 1) {
    const title = `${name}n${n}`;
    const reply = (await server
      .call('create_task', { session_token, title })
      .catch((error: unknown) => ({ error: { code: String(error) } }))) as { error?: { code: string } };
    if (reply.error === undefined) told.made.add(title);
    else {
      told.problems.add(reply.error.code);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function grown(server: TeamServer, set: ReadonlySet<string>, by: number): Promise<void> {
  const size = set.size + by;
  while (set.size < size) {
    if (server.child.exitCode !== null) throw new Error(`the server ended with ${server.child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function listTools(server: TeamServer, token: string): Promise<unknown> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: modernMeta() } };
  const headers = { ...modernHeaders('tools/list'), authorization: `Bearer ${token}` };
  return (await post(server.url, body, headers)).messages.at(-1);
}

async function titlesOf(server: TeamServer, session_token: string): Promise<ReadonlySet<string>> {
  const titles = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const page = (await server.call('list_tasks', { session_token, limit: 100, cursor })) as {
      tasks: { title: string }[];
      next_cursor?: string;
    };
    for (const { title } of page.tasks) titles.add(title);
    cursor = page.next_cursor;
    if (cursor === undefined) return titles;
  }
}
