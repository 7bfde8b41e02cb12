import { afterAll, describe, expect, test } from 'vitest';
import { StoreHalts } from '../../src/store/halts.ts';
import { createSoftwareKey } from '../notify/software-key.ts';
import { startEngines } from '../store/engines.ts';
import { needs } from '../support/needs.ts';
import { errorOf, outputOf } from '../support/open-test-checkpoint.ts';
import { openConsole } from './console-world.ts';

const pages = [
  '/',
  '/approvals',
  '/calls',
  '/sessions',
  '/history',
  '/memories',
  '/servers',
  '/policy',
  '/notices',
];

test('every page stops all work, tells that it is stopped, and lets it go on', async () => {
  const world = await openConsole({ files: { 'a.txt': 'x' } });
  const read = () => world.call('file_read', { path: 'a.txt' });
  outputOf(await read());
  const cookie = await world.enter();
  for (const path of pages) expect(await (await world.get(path, cookie)).text()).toContain('action="/halt"');
  const { cookie: others } = await world.enterByToken(world.token);
  expect(await (await world.get('/', others)).text()).not.toContain('action="/halt"');
  expect((await world.submit('/halt', others, {})).status).toBeGreaterThan(300);
  outputOf(await read());

  expect((await world.submit('/halt', cookie, {})).headers.get('location')).toBe('/?note=halted');
  expect(errorOf(await read())).toMatchObject({
    code: 'denied',
    message: expect.stringContaining('A person stopped all work'),
  });
  expect(errorOf(await world.call('help', {})).code).toBe('denied');
  for (const path of pages)
    expect(await (await world.get(path, cookie)).text()).toContain('All work is stopped since');
  expect((await world.submit('/resume', others, { answer: 'resume' })).status).toBeGreaterThan(400);
  expect(errorOf(await read()).code).toBe('denied');

  expect((await world.submit('/resume', cookie, { answer: 'resume' })).headers.get('location')).toBe(
    '/?note=resumed',
  );
  outputOf(await read());
  const acts = await world.store.audit.search({ text: 'sekisho', limit: 20 });
  const told = acts
    .filter(({ tool }) => /halt|resume/.test(tool))
    .map(({ tool, outcome, transport }) => [tool, outcome, transport]);
  expect(told).toContainEqual(['sekisho halt', 'ok', 'console']);
  expect(told).toContainEqual(['sekisho resume', 'ok', 'console']);
});

test('a phone stops all work from a notice by its passkey alone, and resuming needs the device where one is registered', async () => {
  const world = await openConsole({ files: { 'a.txt': 'x' } });
  const read = () => world.call('file_read', { path: 'a.txt' });
  const key = createSoftwareKey(new URL(world.base).hostname);
  const { token, record } = await world.store.tokens.create({ user: 'op', role: 'operator' });
  await world.store.passkeys.add({ ...key.passkey, tokenId: record.id, person: 'op' }, Date.now());
  const secret = await world.store.notices.createLink({
    kind: 'view',
    channel: 'push',
    expiresAtMs: Date.now() + 60_000,
    questions: [],
  });
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(world.base + path, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(fields),
      headers: { origin: world.base, ...headers },
    });
  const challengeOf = async (path: string) =>
    ((await (await post(`/q/${secret}${path}`, {})).json()) as { challenge: string }).challenge;
  expect(await (await world.get(`/q/${secret}`)).text()).toContain(`/q/${secret}/halt`);

  // The address alone, a foreign key, another site and another link stop nothing.
  await post(`/q/${secret}/halt`, {});
  await post(`/q/${secret}/halt`, { assertion: '{}' });
  const stranger = createSoftwareKey(new URL(world.base).hostname);
  const foreign = stranger.sign(await challengeOf('/halt/unlock'), { origin: world.base });
  await post(`/q/${secret}/halt`, { assertion: foreign });
  const own = key.sign(await challengeOf('/halt/unlock'), { origin: world.base });
  await post(`/q/${secret}/halt`, { assertion: own }, { origin: 'http://other.example' });
  await post('/q/none/halt', { assertion: own });
  outputOf(await read());

  const answer = await post(`/q/${secret}/halt`, { assertion: own });
  expect(await answer.text()).toContain('All work is stopped.');
  expect(errorOf(await read()).code).toBe('denied');

  // A login alone does not let it go on, nor the assertion that stopped it.
  const { cookie } = await world.enterByToken(token);
  expect((await world.submit('/resume', cookie, { answer: 'resume' })).status).toBe(403);
  expect((await world.submit('/resume', cookie, { answer: 'resume', assertion: own })).status).toBe(403);
  expect(errorOf(await read()).code).toBe('denied');
  const options = await (await world.submit('/resume/unlock', cookie, {})).json();
  const assertion = key.sign((options as { challenge: string }).challenge, { origin: world.base });
  expect((await world.submit('/resume', cookie, { assertion })).headers.get('location')).toBe(
    '/?note=resumed',
  );
  outputOf(await read());
});

const engines = await startEngines();
afterAll(async () => {
  for (const engine of engines) await engine.stop();
});

describe.each(engines.filter(({ name }) => name === 'PostgreSQL'))('$name', ({ missing, createPlace }) => {
  test('tells the servers on it at once, and a new one', needs(missing), async () => {
    const place = await createPlace();
    const [one, other] = [await place.open(), await place.open()];
    const [ours, theirs] = [new StoreHalts(one.engine), new StoreHalts(other.engine)];
    const over = new AbortController();
    const told = Promise.withResolvers<void>();
    theirs.watch(told.resolve, over.signal);
    expect(await theirs.current()).toBeUndefined();
    await ours.set({ sinceMs: 5, by: 'cli:mai' });
    const setAtMs = performance.now();
    await told.promise;
    expect(performance.now() - setAtMs).toBeLessThan(1500);
    expect(await theirs.current()).toEqual({ sinceMs: 5, by: 'cli:mai' });
    expect(await new StoreHalts(other.engine).current()).toEqual({ sinceMs: 5, by: 'cli:mai' });
    await theirs.set(undefined);
    expect(await theirs.current()).toBeUndefined();
    over.abort();
  });
});
