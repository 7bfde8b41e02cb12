import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { startPostgres } from '../store/postgres-server.ts';
import { startBalancer } from '../support/balancer.ts';
import { serveConformance } from '../support/fixture-conformance.ts';
import { needs } from '../support/needs.ts';

const suite = dirname(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'),
);

const postgres = await startPostgres();
const missing = 'missing' in postgres ? postgres.missing : undefined;
afterAll(async () => {
  if ('stop' in postgres) await postgres.stop();
});

test.each([
  ['2026-07-28', 37],
  ['2025-11-25', 30],
] as const)(
  'everything that revision %s requires of a server passes',
  { timeout: 180_000 },
  async (revision, count) => {
    const { url, service } = await serveConformance();
    await assertPasses(url, revision, count);
    await service.close();
  },
);

test.each([
  ['2026-07-28', 37],
  ['2025-11-25', 30],
] as const)(
  `it passes as well (%s) where each request goes to the next of two servers`,
  { ...needs(missing), timeout: 180_000 },
  async (revision, count) => {
    if (!('createDatabase' in postgres)) return;
    const folder = await mkdtemp(join(tmpdir(), 'sekisho-conformance-'));
    const url = await postgres.createDatabase();
    const listeners: Parameters<typeof serveConformance>[1] = new Set();
    const sessionKey = new Uint8Array(32);
    const nodes = await Promise.all(
      [1, 2].map(async () => {
        const store = await openStore({ url, stateFolder: folder });
        const { relay, endedSessions: ended } = store;
        await store.nodes.beat({ ...node, id: relay.node });
        const others = { relay, ended, nodes: store.nodes };
        return { store, ...(await serveConformance({ sessionKey, others }, listeners)) };
      }),
    );
    // The suite takes longer than a server may be silent.
    const beat = setInterval(() => {
      for (const { store } of nodes) void store.nodes.beat({ ...node, id: store.relay.node });
    }, 5000);
    const balancer = await startBalancer(nodes.map((each) => each.url));

    await assertPasses(balancer.url, revision, count);

    clearInterval(beat);
    await balancer.close();
    for (const { service, store } of nodes) {
      await service.close();
      await store.close();
    }
    await rm(folder, { recursive: true });
  },
);

const node = {
  host: 'here',
  address: '127.0.0.1:0',
  version: '0.0.0',
  pid: process.pid,
  startedAtMs: 0,
  isDraining: false,
  calls: 0,
  load: 0,
  residentBytes: 0,
  roots: [],
};

async function assertPasses(url: string, revision: string, count: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sekisho-conformance-'));
  const required = (await readFile(join(suite, 'requirements', `${revision}.yaml`), 'utf8'))
    .split('\nserver:\n')[1]
    ?.split('\n\n')[0]
    ?.split('\n')
    .map((line) => line.replace('  - ', ''));

  // The suite leaves without waiting for a pipe to take its words, so they go to a file.
  const log = await open(join(folder, 'log'), 'w');
  const child = spawn(
    process.execPath,
    [join(suite, 'dist/index.js'), 'server', '--url', url, '--requirements', revision],
    { cwd: folder, stdio: ['ignore', log.fd, log.fd] },
  );
  const [code] = await once(child, 'exit');
  await log.close();
  const output = stripVTControlCharacters(await readFile(join(folder, 'log'), 'utf8'));
  await rm(folder, { recursive: true });

  expect(required).toHaveLength(count);
  expect(code, output.slice(-4000)).toBe(0);
  expect(required?.filter((name) => !output.includes(`✓ ${name}: `))).toEqual([]);
}
