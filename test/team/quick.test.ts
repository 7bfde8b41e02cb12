import { connect, createServer } from 'node:net';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startEngines } from '../store/engines.ts';
import { needs } from '../support/needs.ts';
import { enter, openTeam, settle } from './people.ts';

/** The two calls of a fleet take one trip on PostgreSQL, and do what the longer way does. */
const engines = await startEngines();
afterAll(() => Promise.all(engines.map((engine) => engine.stop())));
const postgres = engines.find(({ name }) => name.startsWith('PostgreSQL'));
const missing = postgres?.missing;
const fixed = { summary: 'Done.', at: 1_000_000 };

test(
  'a claim and its report leave the same rows and say the same on both engines',
  needs(missing),
  async () => {
    const [one, other] = await Promise.all(engines.map((engine) => story(engine)));

    expect(one?.said).toEqual(other?.said);
    expect(one?.rows).toEqual(other?.rows);
    expect(one?.said.slice(0, 2)).toMatchObject([
      { task: { title: 'Plain', status: 'in_progress' } },
      { success: true, status: 'done' },
    ]);
  },
);

test(
  'of two sessions of an agent with one slot, one gets a task, however often they try at once',
  needs(missing),
  async () => {
    const place = await postgres?.createPlace();
    if (!place) throw new Error('no PostgreSQL');
    const stores = [await place.open(), await place.open()];
    const [here, there] = stores.map((store) => openTeam(store));
    if (!here || !there) throw new Error('no team');
    await settle(here);
    for (let n = 0; n < 30; n += 1) await here.admin.addTask({ projectId: 'p', title: `Task ${n}` });
    const sessions = [await enter(here, 'a'), await enter(there, 'a')];
    for (let round = 0; round < 15; round += 1) {
      const answers = await Promise.allSettled(sessions.map(({ team }) => team.claimTask({})));
      const won = answers.findIndex(({ status }) => status === 'fulfilled');
      const lost = answers.find((answer) => answer.status === 'rejected');

      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(lost?.reason).toMatchObject({ code: 'conflict' });
      await sessions[won]?.team.reportCompleted({ result: 'success' });
    }
  },
);

test('a claim is one write to the database, and so is its report', needs(missing), async () => {
  const place = await postgres?.createPlace();
  if (!place) throw new Error('no PostgreSQL');
  const counted = await countingWrites(place.url);
  const store = await (await import('../../src/store/open-store.ts')).openStore({
    url: counted.url,
    stateFolder: place.folder,
  });
  onTestFinished(() => store.close());
  const team = openTeam(store);
  await settle(team);
  for (let n = 0; n < 3; n += 1) await team.admin.addTask({ projectId: 'p', title: `Task ${n}` });
  const { team: mine } = await enter(team, 'a');
  // The first of each has its statements planned.
  await mine.claimTask({});
  await mine.reportCompleted({ result: 'success' });
  const writesOf = async (work: () => Promise<unknown>) => {
    const before = counted.writes();
    await work();
    const after = counted.writes();
    // What is left is the word to those who listen; the longer way would take eight and more.
    expect(after.all - before.all).toBeLessThan(4);
    return after.shared - before.shared;
  };

  expect(await writesOf(() => mine.claimTask({}))).toBe(1);
  expect(await writesOf(() => mine.reportCompleted({ result: 'success' }))).toBe(1);
});

/** Claims and reports in the plain case and in each that is not, in one order. */
async function story(engine: (typeof engines)[number]) {
  const place = await engine.createPlace();
  const store = await place.open(() => fixed.at);
  const team = openTeam(store, () => fixed.at);
  await settle(team);
  const add = (title: string) => team.admin.addTask({ projectId: 'p', title });
  await add('Plain');
  await add('Whole');
  await add('Last');
  const { team: mine } = await enter(team, 'a');
  const said: unknown[] = [];
  const tell = async (work: Promise<unknown>) => {
    said.push(await work.catch((error) => ({ code: (error as { code: string }).code, text: String(error) })));
  };
  await tell(mine.claimTask({}));
  await tell(mine.reportCompleted({ result: 'success', summary: fixed.summary }));
  // Told twice; nothing in hand; a part; a whole with an open part; a failure.
  await tell(mine.reportCompleted({ result: 'success', summary: fixed.summary }));
  await tell(mine.claimTask({}));
  await tell(mine.claimTask({}));
  const whole = (await mine.myTask()).task?.task_id ?? '';
  await tell(mine.createTask({ title: 'Part', parent_task_id: whole }).then(() => 'made'));
  await tell(mine.reportCompleted({ result: 'success' }));
  await tell(mine.releaseTask({ reason: 'later' }));
  await tell(mine.claimTask({}));
  await tell(mine.reportCompleted({ result: 'failed', summary: 'No way.' }));
  await tell(mine.claimTask({}));
  await tell(mine.reportCompleted({ result: 'success' }));
  await tell(mine.claimTask({}));
  const { db } = await store.engine();
  const tasks = await db.selectFrom('tasks').selectAll().orderBy('seq').execute();
  const events = await db.selectFrom('task_events').selectAll().orderBy('seq').execute();
  const sessions = await db.selectFrom('agent_sessions').selectAll().execute();
  const names = new Map([
    ...tasks.map(({ id }, at) => [id, `task ${at}`] as const),
    ...sessions.map(({ id }, at) => [id, `session ${at}`] as const),
    ...sessions.map(({ hash }, at) => [hash, `hash ${at}`] as const),
  ]);
  return { said: named(said, names), rows: named({ tasks, events, sessions }, names) } as {
    said: unknown[];
    rows: unknown;
  };
}

/** Ids are random; they are called by their place. */
function named(value: unknown, names: ReadonlyMap<string, string>): unknown {
  let words = JSON.stringify(value);
  for (const [id, name] of names) words = words.replaceAll(id, name);
  return JSON.parse(words);
}

/** Between store and database; counts what is sent in pieces as they were written, by the connection that calls share and by all. */
async function countingWrites(url: string) {
  const { hostname, port } = new URL(url);
  const writes = { all: 0, shared: 0 };
  const server = createServer((client) => {
    const database = connect(Number(port), hostname).setNoDelay();
    let isShared = false;
    client.on('data', (bytes) => {
      isShared ||= bytes.includes('set lock_timeout');
      writes.all += 1;
      if (isShared) writes.shared += 1;
    });
    client.pipe(database).pipe(client);
    for (const socket of [client, database]) socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const through = new URL(url);
  through.port = String((server.address() as { port: number }).port);
  return { url: through.href, writes: () => ({ ...writes }) };
}
