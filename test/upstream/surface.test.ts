import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Reply } from '../../src/contract/call.ts';
import { local, remote } from '../support/open-test-checkpoint.ts';
import { namesIn, openWithServers, wordsOf } from './world.ts';

const everything = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);
const overStdio = {
  command: process.execPath,
  args: [everything],
  sandbox: 'off' as const,
  startTimeoutMs: 60_000,
};
const { signal } = new AbortController();

test('resources of servers stand beside our notes, and are read by the address that the list gave', async () => {
  await using world = await openWithServers(
    { everything: overStdio },
    { files: { 'vault/a.md': '# A\n' }, flags: { toolsets: ['vault'] } },
  );
  const { resources } = world.checkpoint.gateway;
  const uris: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await resources?.list(local, cursor, signal);
    uris.push(...(page?.resources.map((resource) => resource.uri) ?? []));
    cursor = page?.nextCursor;
  } while (cursor !== undefined);

  expect(uris[0]).toMatch(/^vault:/);
  const theirs = uris.find((uri) => uri.startsWith('upstream://everything/'));
  expect(theirs).toBeDefined();
  expect(await resources?.read(local, theirs ?? '', signal)).toMatchObject({ uri: theirs });
  expect(await resources?.read(local, uris[0] ?? '', signal)).toMatchObject({ text: '# A' });
  expect((await resources?.templates?.(local, signal))?.[0]).toMatchObject({
    uriTemplate: expect.stringMatching(/^upstream:\/\/everything\//),
  });
  await expect(resources?.read(local, 'upstream://nobody/x', signal)).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(resources?.list(local, 'forged', signal)).rejects.toMatchObject({ code: 'invalid_parameter' });
});

test('prompts are listed under the names of their servers, fetched, and hidden from others', async () => {
  await using world = await openWithServers({ everything: overStdio });
  const { prompts } = world.checkpoint.gateway;
  const names = (await prompts?.list(local, signal))?.map((prompt) => prompt.name);
  expect(names).toContain('everything__simple-prompt');

  expect(await prompts?.get(local, 'everything__simple-prompt', undefined, signal)).toMatchObject({
    messages: [{ content: { type: 'text' } }],
  });
  await expect(prompts?.get(local, 'everything__nothing', undefined, signal)).rejects.toMatchObject({
    code: 'not_found',
  });

  const { tokens } = await world.checkpoint.store();
  const anna = remote((await tokens.create({ user: 'anna' })).token);
  expect(await prompts?.list(anna, signal)).toEqual([]);
  await expect(prompts?.get(anna, 'everything__simple-prompt', undefined, signal)).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('a server over Streamable HTTP answers like one over stdio, and a dead one is told clearly', async () => {
  const port = await freePort();
  const server = spawn(process.execPath, [everything, 'streamableHttp'], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    await new Promise((resolve) => server.stderr.once('data', resolve));
    await using world = await openWithServers({
      far: { url: `http://127.0.0.1:${port}/mcp`, headers: { 'X-Key': 'k' } },
      nowhere: { url: `http://127.0.0.1:${await freePort()}/mcp` },
    });
    await vi.waitFor(async () => expect(await namesIn(world)).toContain('far__echo'), { timeout: 60_000 });
    expect(wordsOf(await world.call('far__echo', { message: 'over http' }))).toBe('Echo: over http');
    const steps: number[] = [];
    const reply: Reply = await world.call(
      'far__trigger-long-running-operation',
      { duration: 0.4, steps: 2 },
      { progress: (done) => void steps.push(done) },
    );
    expect(reply).toMatchObject({ kind: 'output' });
    expect(steps).toEqual([1, 2]);
    const asking = ['far__trigger-elicitation-request', {}] as const;
    const form = async () => ({ action: 'accept' as const, content: { name: 'Hana', check: true } });
    expect(wordsOf(await world.call(...asking, { form }))).toContain('Hana');
    const carries = { canRetry: true, carriesForms: true };
    const asked = await world.call(...asking, carries);
    if (asked.kind !== 'question') throw new Error('expected a question');
    const retry = { ...carries, formAnswer: await form(), questionState: asked.question.state };
    expect(wordsOf(await world.call(...asking, retry))).toContain('Hana');
    const status = (await world.checkpoint.rooms.upstreams()).status();
    expect(status.find(({ name }) => name === 'nowhere')).toMatchObject({ state: 'failed' });
  } finally {
    server.kill('SIGKILL');
  }
});

test('a server over HTTP that went away is reached again when it is back', async () => {
  const port = await freePort();
  const start = async () => {
    const child = spawn(process.execPath, [everything, 'streamableHttp'], {
      env: { PATH: process.env.PATH, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await new Promise((resolve) => child.stderr.once('data', resolve));
    return child;
  };
  let server = await start();
  try {
    await using world = await openWithServers({ far: { url: `http://127.0.0.1:${port}/mcp` } });
    await vi.waitFor(async () => expect(await namesIn(world)).toContain('far__echo'), { timeout: 60_000 });
    server.kill('SIGKILL');
    await new Promise((resolve) => server.once('exit', resolve));
    expect(await world.call('far__echo', { message: 'x' })).toMatchObject({ kind: 'error' });
    expect(await world.call('far__echo', { message: 'x' })).toMatchObject({ code: 'unavailable' });
    server = await start();
    await vi.waitFor(
      async () => expect(wordsOf(await world.call('far__echo', { message: 'back' }))).toBe('Echo: back'),
      { timeout: 60_000, interval: 100 },
    );
  } finally {
    server.kill('SIGKILL');
  }
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
