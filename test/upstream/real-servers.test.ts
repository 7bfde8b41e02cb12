import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { needs, sandbox } from '../support/needs.ts';
import { namesIn, openWithServers, wordsOf } from './world.ts';

function program(name: string): { command: string; args: string[] } {
  const path = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol', name, 'dist/index.js');
  return { command: process.execPath, args: [path] };
}

const patient = { startTimeoutMs: 60_000, callTimeoutMs: 60_000 };

test('four reference servers work behind the walls, side by side', needs(sandbox('bubblewrap')), async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-allowed-'));
  writeFileSync(join(folder, 'a.txt'), 'in the folder');
  const files = program('server-filesystem');
  await using world = await openWithServers({
    everything: { ...program('server-everything'), ...patient },
    files: { ...files, args: [...files.args, folder], folders: [folder], ...patient },
    memory: {
      ...program('server-memory'),
      env: { MEMORY_FILE_PATH: join(folder, 'memory.json') },
      folders: [folder],
      ...patient,
    },
    thinking: { ...program('server-sequential-thinking'), ...patient },
  });
  await expect.poll(async () => (await namesIn(world)).length).toBeGreaterThan(30);

  expect(wordsOf(await world.call('everything__echo', { message: 'hello' }))).toBe('Echo: hello');
  expect(await world.call('everything__get-structured-content', { location: 'New York' })).toMatchObject({
    structured: { conditions: expect.any(String) },
  });
  expect(await world.call('everything__get-tiny-image', {})).toMatchObject({
    content: expect.arrayContaining([expect.objectContaining({ type: 'image' })]),
  });
  const steps: number[] = [];
  await world.call(
    'everything__trigger-long-running-operation',
    { duration: 1, steps: 2 },
    { progress: (done) => void steps.push(done) },
  );
  expect(steps).toEqual([1, 2]);
  expect(wordsOf(await world.call('files__read_text_file', { path: join(folder, 'a.txt') }))).toBe(
    'in the folder',
  );
  await world.call('files__write_file', { path: join(folder, 'b.txt'), content: 'from behind the walls' });
  expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('from behind the walls');
  const entities = [{ name: 'Hana', entityType: 'person', observations: ['likes tea'] }];
  await world.call('memory__create_entities', { entities });
  expect(wordsOf(await world.call('memory__search_nodes', { query: 'tea' }))).toContain('Hana');
  const thought = { thought: 'x', thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false };
  expect(await world.call('thinking__sequentialthinking', thought)).toMatchObject({ isError: false });
});

test(
  'a server sees neither home nor network, and writes only where it was let',
  needs(sandbox('bubblewrap')),
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sekisho-probe-'));
    const probe = join(folder, 'probe.mjs');
    writeFileSync(probe, probeSource);
    writeFileSync(join(homedir(), 'private'), 'x');
    await using world = await openWithServers({
      probe: { command: process.execPath, args: [probe], ...patient },
    });
    const seen = JSON.parse(wordsOf(await world.call('probe__look', {})));
    expect(seen).toEqual({ home: false, root: false, script: false, network: false, shadow: false });
  },
);

test(
  'a server that was given a folder around our records does not see them',
  needs(sandbox('bubblewrap')),
  async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sekisho-around-')));
    const probe = join(folder, 'probe.mjs');
    const state = join(folder, 'state');
    writeFileSync(probe, probeSource);
    mkdirSync(state);
    writeFileSync(join(state, 'of-ours.txt'), 'secret');
    await using world = await openWithServers(
      { probe: { command: process.execPath, args: [probe, folder], folders: [folder], ...patient } },
      { flags: { state } },
    );
    const seen = JSON.parse(wordsOf(await world.call('probe__look', { folder: state })));
    expect(seen).toMatchObject({ script: true, listed: [] });
  },
);

/** Answers with what it can reach. */
const probeSource = `
import { accessSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
const can = (work) => { try { work(); return true; } catch { return false; } };
const reach = () => new Promise((resolve) => {
  const socket = connect(53, '1.1.1.1');
  socket.setTimeout(3000, () => { socket.destroy(); resolve(false); });
  socket.once('connect', () => { socket.destroy(); resolve(true); });
  socket.once('error', () => resolve(false));
});
async function look(input) {
  return {
    home: can(() => accessSync(${JSON.stringify(join(homedir(), 'private'))})),
    root: can(() => writeFileSync('made-by-the-server.txt', 'x')),
    listed: input.folder ? readdirSync(input.folder) : undefined,
    script: can(() => writeFileSync(process.argv[1], 'changed')),
    network: await reach(),
    shadow: can(() => readFileSync('/etc/shadow')),
  };
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const answer = (result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  if (method === 'initialize') answer({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'probe', version: '1' } });
  if (method === 'tools/list') answer({ tools: [{ name: 'look', inputSchema: { type: 'object' } }] });
  if (method === 'tools/call') answer({ content: [{ type: 'text', text: JSON.stringify(await look(params.arguments)) }] });
}
`;
