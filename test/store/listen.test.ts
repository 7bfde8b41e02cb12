import { connect, createServer } from 'node:net';
import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { needs } from '../support/needs.ts';
import { startEngines } from './engines.ts';
import { approvalInput } from './records.ts';

const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));
const postgres = engines[1];

test(
  `a server whose listening connection was cut still hears of a decision (${postgres?.name})`,
  needs(postgres?.missing),
  async () => {
    const place = await postgres?.createPlace();
    if (!place) throw new Error('no PostgreSQL');
    const [here, there] = [await place.open(() => 1_000), await place.open(() => 1_000)];
    const { id } = await here.approvals.request(approvalInput, 1_000);
    const waiting = here.approvals.wait(id, 50_000, new AbortController().signal);
    const { db } = await there.engine();
    const cut = async () =>
      (
        await sql<{ cut: number }>`select count(pg_terminate_backend(pid)) as cut from pg_stat_activity
        where application_name = 'sekisho listener' and datname = current_database()`.execute(db)
      ).rows[0]?.cut ?? 0;
    while ((await cut()) === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await there.approvals.decide(id, 'declined', 'local', 'once', 1_000);

    expect(await waiting).toMatchObject({ id, status: 'declined' });
  },
);

test(
  `a server that listened while the database restarted hears of the first changes after it (${postgres?.name})`,
  needs(postgres?.missing),
  async () => {
    const place = await postgres?.createPlace();
    if (!place || !postgres?.server) throw new Error('no PostgreSQL');
    const [here, there] = [await place.open(), await place.open()];
    const { changes } = await here.engine();
    const others = (await there.engine()).changes;
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    // Somebody who waits all the time keeps the listening connection open.
    const kept = changes.next('nothing', 60_000, stop.signal);
    await changes.next('ready', 10_000);
    await postgres.server.halt('immediate');
    await postgres.server.start();
    let told = 0;
    const telling = setInterval(() => {
      others.tell('tasks');
      told++;
    }, 50);
    await changes.next('tasks', 30_000);
    clearInterval(telling);

    // The wait itself would have lasted for 600.
    expect(told).toBeLessThan(200);
    stop.abort();
    await kept;
  },
);

test(`many changes become few notifications (${postgres?.name})`, needs(postgres?.missing), async () => {
  const place = await postgres?.createPlace();
  if (!place) throw new Error('no PostgreSQL');
  const [here, there] = [await place.open(), await place.open()];
  const { changes } = await here.engine();
  const other = (await there.engine()).changes;
  let woken = 0;
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const listening = (async () => {
    while (!stop.signal.aborted) {
      await other.next('tasks', 60_000, stop.signal);
      woken += 1;
    }
  })();
  await other.next('ready', 10_000);
  woken = 0;
  for (let i = 0; i < 500; i += 1) changes.tell('tasks');
  while (woken === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  stop.abort();
  await listening;

  // The one at once, the one after 50 ms, a look of its own, and the end.
  expect(woken).toBeLessThan(6);
});

test(
  `behind a pooler that swallows LISTEN a server knows it, and its looks find a change all the same (${postgres?.name})`,
  needs(postgres?.missing),
  async () => {
    const place = await postgres?.createPlace();
    if (!place) throw new Error('no PostgreSQL');
    const direct = await place.open(() => 1_000);
    expect(await direct.wakeups()).toMatchObject({ state: 'working', pollEveryMs: 3000 });

    const pooled = await throughDeafPooler(place.url);
    const store = await openStore({ url: pooled, stateFolder: place.folder, clock: () => 1_000 });
    onTestFinished(() => store.close());
    expect(await store.wakeups()).toMatchObject({ state: 'failing', pollEveryMs: 250 });
    const { id } = await direct.approvals.request(approvalInput, 1_000);
    const waiting = store.approvals.wait(id, 50_000, new AbortController().signal);
    await direct.approvals.decide(id, 'declined', 'local', 'once', 1_000);
    expect(await waiting).toMatchObject({ status: 'declined' });
  },
);

/** Takes LISTEN for any statement, and never passes a notification on, as a pooler in transaction mode does. */
async function throughDeafPooler(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const server = createServer((client) => {
    const database = connect(Number(port), hostname);
    client.on('data', (bytes) => {
      const at = bytes.indexOf('listen sekisho');
      // Of the same length, and it listens to something else.
      if (at !== -1) bytes.write('listen nobody_', at);
      database.write(bytes);
    });
    database.pipe(client);
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
