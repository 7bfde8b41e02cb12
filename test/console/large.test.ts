import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { LiveFeed } from '../../src/console/live.ts';
import type { AuditRecord } from '../../src/contract/records.ts';
import { type ConsoleWorld, openConsole } from './console-world.ts';

/** Calls in the log; the most that one search looks through is 50,000. */
const rows = process.env.SEKISHO_HAMMER === '1' ? 1_000_000 : 60_000;

/** A call as the log has it. */
function noteOf(more: Partial<AuditRecord>): AuditRecord {
  return {
    id: randomUUID(),
    atMs: Date.now(),
    principal: 'local',
    sessionId: 's',
    transport: 'stdio',
    tool: 'read_file',
    arguments: {},
    stop: 'run',
    outcome: 'ok',
    durationMs: 3,
    inputBytes: 20,
    outputBytes: 200,
    ...more,
  };
}

async function fill(world: ConsoleWorld): Promise<void> {
  const now = Date.now();
  for (let at = 0; at < rows; at++) {
    await world.store.audit.note(
      noteOf({
        atMs: now - (rows - at) * 100,
        principal: at % 3 === 0 ? 'user:ada' : 'local',
        sessionId: `s${at % 50}`,
        arguments: { path: at === 5 ? 'needle.txt' : `src/file-${at}.ts` },
      }),
    );
  }
  await world.store.audit.flush();
}

test('a long log is leafed through and searched a bounded stretch at a time, and nothing in it is out of reach', async () => {
  const world = await openConsole();
  await fill(world);
  const cookie = await world.enter();
  const read = async (path: string) =>
    (await (await world.get(path, cookie)).text()).replaceAll('&amp;', '&');

  const seen: string[] = [];
  let path = '/calls';
  for (let page = 0; page < 3; page++) {
    const words = await read(path);
    seen.push(...[...words.matchAll(/href="(\/calls\/\d+)"/g)].map(([, link = '']) => link));
    path = /rel="next" href="([^"]+)"/.exec(words)?.[1] ?? '';
  }
  expect(new Set(seen).size).toBe(150);

  // What is far back takes more than one search, and each says how far it came.
  path = '/calls?text=needle';
  let searches = 0;
  let found = 0;
  for (; path !== ''; searches++) {
    const words = await read(path);
    if (words.includes('needle.txt')) found += 1;
    path = /rel="next" href="([^"]+)"/.exec(words)?.[1] ?? '';
    if (path !== '') expect(words).toContain('Search further back');
  }
  expect(found).toBe(1);
  // The login is in the log as well.
  expect(searches).toBe(Math.ceil((rows + 1) / 50_000));

  const overview = await read('/?span=day');
  expect(overview).toMatch(/of the newest (20,000|19,99\d) calls/);
  expect(overview.length).toBeLessThan(100_000);
  // A time that is long over ends the search at once.
  expect(await read('/calls?tool=nothing&since=hour')).toContain('No call matches.');

  if (process.env.SEKISHO_HAMMER !== '1') return;
  for (const each of ['/calls', '/calls?before=500', '/calls?text=needle', '/calls?tool=none', '/', '/']) {
    const began = process.cpuUsage();
    await read(each);
    const { user, system } = process.cpuUsage(began);
    process.stdout.write(`${each}: ${Math.round((user + system) / 1000)} ms of a processor\n`);
  }
}, 600_000);

test('many tabs are served by one look; past a hundred the next is told to come later', async () => {
  const world = await openConsole({ files: { 'a.txt': 'a' } });
  const cookie = await world.enter();
  const stop = new AbortController();
  const open = () => fetch(`${world.base}/live`, { headers: { cookie }, signal: stop.signal });
  const tabs = await Promise.all(Array.from({ length: 100 }, open));
  expect(tabs.every(({ status }) => status === 200)).toBe(true);
  expect((await open()).status).toBe(503);
  await world.send('file_read', { path: 'a.txt' });
  const firstCalls = tabs.map(async (tab) => {
    let words = '';
    for await (const chunk of tab.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      words += chunk;
      if (words.includes('a.txt')) return true;
    }
    return false;
  });
  expect((await Promise.all(firstCalls)).every(Boolean)).toBe(true);
  stop.abort();
  expect((await world.get('/', cookie)).status).toBe(200);
});

test('of a burst the newest calls are shown, and a reader that takes nothing is dropped', async () => {
  const world = await openConsole();
  const { audit, approvals } = world.store;
  const faults: unknown[] = [];
  const feed = new LiveFeed({
    now: Date.now,
    audit: async () => audit,
    approvals: async () => approvals,
    onFault: (error) => faults.push(error),
  });
  onTestFinished(() => feed.close());
  const watch = () =>
    feed.watch({
      person: { name: 'console:me', principal: 'local', isOperator: true, face: 'console' },
      afterSeq: 0,
      draw: ({ tool }) => tool,
      isStillIn: async () => true,
    });
  const read = async (stream: ReadableStream<Uint8Array> | undefined, until: string) => {
    let words = '';
    for await (const chunk of stream?.pipeThrough(new TextDecoderStream()) ?? []) {
      words += chunk;
      if (words.includes(until)) break;
    }
    return words;
  };
  const slow = watch();
  // More than a reader may be behind, in bursts of which each is more than is shown.
  for (let burst = 0; burst < 4; burst++) {
    const seen = read(watch(), `last-${burst}`);
    for (let at = 0; at < 1000; at++)
      await audit.note(noteOf({ tool: at < 999 ? 'read_file' : `last-${burst}` }));
    const words = await seen;
    expect(words).toContain(`last-${burst}`);
    expect(words.match(/^id: /gm)?.length).toBeLessThan(1000);
  }
  const words = await read(slow, 'never');
  expect(words).toContain('last-0');
  expect(words).not.toContain('last-3');
  expect(faults).toEqual([]);
});

test('asking for the headers of the stream alone takes up no place in it', async () => {
  const world = await openConsole();
  const cookie = await world.enter();
  for (let time = 0; time < 101; time++) {
    await fetch(`${world.base}/live`, { method: 'HEAD', headers: { cookie } });
  }
  const stop = new AbortController();
  const response = await fetch(`${world.base}/live`, { headers: { cookie }, signal: stop.signal });
  stop.abort();
  expect(response.status).toBe(200);
});

test('the server stops though tabs watch', async () => {
  const world = await openConsole();
  const cookie = await world.enter();
  const watching = await fetch(`${world.base}/live`, { headers: { cookie } });
  const ended = watching.text();
  await world.close();
  expect(await ended).toContain('retry');
});
