import { connect, createServer } from 'node:net';
import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { openPostgres } from '../../src/store/postgres/open-postgres.ts';
import { needs } from '../support/needs.ts';
import { startEngines } from './engines.ts';

/** Statements are planned once a connection, where a connection is one of the database's own. */
const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));
const postgres = engines.find(({ name }) => name.startsWith('PostgreSQL'));
const missing = postgres?.missing;

async function openedAt(url: string) {
  const engine = await openPostgres(url);
  onTestFinished(() => engine.close());
  const ask = () => engine.db.selectFrom('tokens').selectAll().where('id', '=', 'x').execute();
  const named = async () =>
    (await sql<{ n: number }>`select count(*) as n from pg_prepared_statements`.execute(engine.db)).rows[0]
      ?.n;
  return { engine, ask, named };
}

async function emptyDatabase(): Promise<string> {
  const place = await postgres?.createPlace();
  if (!place) throw new Error('no PostgreSQL');
  return place.url;
}

test(
  'a table that gets a column from a newer version fails no call of a server that runs',
  needs(missing),
  async () => {
    const { engine, ask, named } = await openedAt(await emptyDatabase());
    const inTransaction = () =>
      engine.write((tx) => tx.selectFrom('tokens').selectAll().where('id', '=', 'y').execute());
    const inRead = () =>
      engine.read((tx) => tx.selectFrom('tokens').selectAll().where('id', '=', 'y').execute());
    const asks = [ask, inTransaction, inRead];
    for (const one of asks) await one();
    expect(await named()).toBeGreaterThan(0);

    for (const [at, one] of asks.entries()) {
      await sql.raw(`alter table tokens add column later_${at} text`).execute(engine.db);
      expect(await one()).toEqual([]);
    }
  },
);

test(
  'behind a pooler, where the next transaction may meet another process, no statement has a name',
  needs(missing),
  async () => {
    const { ask, named } = await openedAt(await asByPooler(await emptyDatabase()));
    for (let time = 0; time < 3; time += 1) await ask();

    expect(await named()).toBe(0);
  },
);

test('a transaction that fails at its first statement leaves nothing behind', needs(missing), async () => {
  const { engine, ask } = await openedAt(await emptyDatabase());
  const failing = engine.write((tx) => sql`select 1 / ${0}::integer`.execute(tx), { durable: false });

  await expect(failing).rejects.toMatchObject({ code: 'unavailable' });
  // The connection that it had serves the next one.
  expect(await ask()).toEqual([]);
  const { rows } = await sql<{ set: string }>`show synchronous_commit`.execute(engine.db);
  expect(rows).toEqual([{ synchronous_commit: 'on' }]);
});

/** Between client and database, with process numbers of its own, as PgBouncer has. */
async function asByPooler(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const server = createServer((client) => {
    const database = connect(Number(port), hostname);
    database.on('data', (bytes) => {
      const at = bytes.indexOf(backendKeyData);
      if (at !== -1) bytes.writeInt32BE(0x7fff_0000, at + backendKeyData.length);
      client.write(bytes);
    });
    client.pipe(database);
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const pooled = new URL(url);
  pooled.port = String((server.address() as { port: number }).port);
  return pooled.href;
}

/** `K` and the length: what PostgreSQL says of the process that serves a connection. */
const backendKeyData = Buffer.from([0x4b, 0, 0, 0, 12]);
