import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openBucket } from '../../src/store/history/bucket.ts';
import { openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { startBucketServer } from './bucket-server.ts';

const hour = 3_600_000;

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

test('what is put is read, empty, small and of many parts; what is not there is not', async () => {
  const { url } = await startBucketServer();
  const bucket = openBucket(url);
  const large = randomBytes(13 * 1024 * 1024);
  for (const bytes of [Buffer.alloc(0), Buffer.from('one'), large]) {
    const digest = digestOf(bytes);
    await bucket.put(digest, [bytes.subarray(0, 7), bytes.subarray(7)]);
    expect(await bucket.read(digest)).toEqual(bytes);
  }
  expect(await bucket.read(digestOf(Buffer.from('other')))).toBeUndefined();
  const all = await bucket.all();
  expect(all.map(({ bytes }) => bytes).toSorted((a, b) => a - b)).toEqual([0, 3, large.length]);
  expect(Math.abs((all[0]?.modifiedMs ?? 0) - Date.now())).toBeLessThan(hour);
});

test('only what came before is removed, and nothing that is not ours', async () => {
  const { url, folder } = await startBucketServer();
  const [bucket, beside] = [openBucket(url), openBucket('s3://kept')];
  const [old, young] = ['old', 'young'].map((text) => digestOf(Buffer.from(text))) as [string, string];
  await bucket.put(old, [Buffer.from('old')]);
  await bucket.put(young, [Buffer.from('young')]);
  await beside.put(old, [Buffer.from('of another')]);
  for (const name of readdirSync(join(folder, 'kept/of/tests')))
    if (name.startsWith(old)) utimesSync(join(folder, 'kept/of/tests', name), 0, 0);
  const missing = digestOf(Buffer.from('missing'));

  await bucket.remove([old, young, missing], Date.now() - hour);

  expect((await bucket.all()).map(({ digest }) => digest)).toEqual([young]);
  expect(String(await beside.read(old))).toBe('of another');
  // Below the prefix of another is nothing of ours.
  expect((await beside.all()).map(({ digest }) => digest)).toEqual([old]);
});

test('a change is kept in the bucket, and taken back from it where the machine has lost its copy', async () => {
  const { url } = await startBucketServer();
  const world = await openTestCheckpoint({ config: { history: { store: url }, toolsets: ['agent-cli'] } });
  outputOf(await world.call('file_write', { path: 'a.txt', content: 'one' }));
  outputOf(await world.call('file_write', { path: 'a.txt', content: 'two', overwrite: true }));
  await expect.poll(() => openBucket(url).all()).toHaveLength(1);
  rmSync(join(world.folder, 'state/history/contents'), { recursive: true });

  const [step] = await undoLast(world);

  expect(step?.outcome).toBe('undone');
  expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe('one');
  await world.close();
});

async function undoLast({ checkpoint }: Awaited<ReturnType<typeof openTestCheckpoint>>) {
  const { history, folders } = await checkpoint.history();
  const { history: store } = await checkpoint.store();
  const [entry] = await store.list({ limit: 1 });
  const who = { principal: 'local', sessionId: '', tool: 'undo', auditId: '' };
  return await history.undo({ id: entry?.id ?? '' }, { folders, who, force: false });
}

test('a content that was changed in the bucket is not put back', async () => {
  const { url } = await startBucketServer();
  const world = await openTestCheckpoint({ config: { history: { store: url }, toolsets: ['agent-cli'] } });
  outputOf(await world.call('file_write', { path: 'a.txt', content: 'one' }));
  outputOf(await world.call('file_write', { path: 'a.txt', content: 'two', overwrite: true }));
  const bucket = openBucket(url);
  const one = digestOf(Buffer.from('one'));
  await expect.poll(async () => String(await bucket.read(one))).toBe('one');
  await bucket.put(one, [Buffer.from('evil')]);
  rmSync(join(world.folder, 'state/history/contents'), { recursive: true });

  const [step] = await undoLast(world);

  expect(step?.outcome).not.toBe('undone');
  expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe('two');
  await world.close();
});

test('while the bucket is away calls go on; it gets what it missed, and undo finds it on the machine meanwhile', async () => {
  const server = await startBucketServer();
  const world = await openTestCheckpoint({
    config: { history: { store: server.url }, toolsets: ['agent-cli'] },
  });
  outputOf(await world.call('file_write', { path: 'a.txt', content: 'one' }));
  await server.stop();

  outputOf(await world.call('file_write', { path: 'a.txt', content: 'two', overwrite: true }));
  outputOf(await world.call('file_write', { path: 'a.txt', content: 'three', overwrite: true }));
  const [step] = await undoLast(world);

  expect(step?.outcome).toBe('undone');
  expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe('two');
  await server.start();
  await expect
    .poll(async () => (await openBucket(server.url).all()).map(({ bytes }) => bytes))
    .toHaveLength(3);
  await world.close();
});

test('a name that is no bucket, and an endpoint that others could listen to, stop the start', async () => {
  const started = (store: string, environment = {}) =>
    openTestCheckpoint({ config: { history: { store } }, environment });
  await expect(started('s3://Not_A_Bucket')).rejects.toThrow('history.store');
  await expect(started('/var/contents')).rejects.toThrow('history.store');
  const open = { AWS_ENDPOINT_URL_S3: 'http://storage.example:9000' };
  await expect(started('s3://kept', open)).rejects.toThrow('AWS_ENDPOINT_URL_S3 must be an https URL');
});

test('doctor says whether it is reached', async () => {
  const server = await startBucketServer();
  const world = await openTestCheckpoint({ config: { history: { store: server.url } } });
  const { probeBucket } = await world.checkpoint.store();
  await expect(probeBucket?.()).resolves.toBeUndefined();
  await expect(openBucket('s3://another').probe()).rejects.toThrow();
  await world.close();
});
