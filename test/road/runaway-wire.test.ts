import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createLineClient, exitOf } from '../support/clients.ts';
import { startFile } from '../support/run-command.ts';
import { habitual } from '../upstream/world.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

function makeWorld(config: object) {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-runaway-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  mkdirSync(join(folder, 'root'));
  writeFileSync(join(folder, 'root', 'a.txt'), 'hello\n');
  writeFileSync(join(folder, 'config.jsonc'), JSON.stringify(config));
  return [
    '--root',
    join(folder, 'root'),
    '--state',
    join(folder, 'state'),
    '--config',
    join(folder, 'config.jsonc'),
  ];
}

function serve(flags: readonly string[]) {
  const child = spawn(process.execPath, [startFile, 'serve', '--alone', ...flags], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  cleanups.push(async () => {
    child.kill('SIGKILL');
    await exitOf(child);
  });
  return createLineClient(child.stdin, child.stdout);
}

test('the built server tells of a repeated call, and stops at a cap by its key', async () => {
  const client = serve(makeWorld({ limits: { session: { calls: 12 } } }));
  const words: string[] = [];
  for (let n = 1; n <= 13; n++) words.push(JSON.stringify(await client.call('file_read', { path: 'a.txt' })));
  expect(words.map((each) => each.includes('the same result'))).toEqual([
    ...Array(9).fill(false),
    ...Array(3).fill(true),
    false,
  ]);
  expect(words.at(-1)).toContain('limits.session.calls is reached: 12 calls in this session.');
});

/** One command of the person's terminal on the same records. */
async function cli(flags: readonly string[], ...words: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [startFile, ...words, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err] = await Promise.all([readAll(child.stdout), readAll(child.stderr)]);
  return out + err;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(20);
}

test('halt ends every kind of work in two servers within a second, and nothing runs until resume', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  cleanups.push(
    () => silent.closeAllConnections(),
    () => silent.close(),
  );
  await once(silent, 'listening');
  const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const flags = makeWorld({
    toolsets: ['agent-cli', 'assistant', 'pipeline'],
    assistant: { layout: 'workspace' },
    mcpServers: { fix: { ...habitual(), roles: ['local'] } },
    web: { allowPrivate: [address] },
    flow: 'off',
    rules: [{ tool: 'fix__*', decision: 'allow', because: 'a test' }],
  });
  const root = flags[1] as string;
  const clients = [serve(flags), serve(flags)];
  const kinds: readonly (readonly [string, object])[] = [
    ['shell_exec', { command: 'sleep 60', timeout_ms: 120_000 }],
    ['bash', { command: "trap '' TERM; touch deaf-N.txt; while :; do sleep 1; done" }],
    ['fix__echo', { text: 'hang' }],
    ['web_fetch', { url: `http://${address}/` }],
    ['shell_exec', { command: 'git push origin main' }],
  ];
  for (const [n, client] of clients.entries()) {
    await client.call('file_read', { path: 'a.txt' });
    await client.call('fix__echo', { text: 'warm' });
    const background = `echo pid > going-${n}.txt; trap '' TERM; while :; do sleep 1; done`;
    const begun = await client.call('bash', { command: background, background: true });
    expect(JSON.stringify(begun)).toContain('process_id');
  }
  const calls = clients.flatMap((client, n) =>
    kinds.map(async ([tool, input]) => {
      const given = JSON.parse(JSON.stringify(input).replaceAll('-N.', `-${n}.`)) as object;
      const reply = await client.call(tool, given);
      return { tool, reply: JSON.stringify(reply), atMs: performance.now() };
    }),
  );
  await until(() => clients.every((_, n) => existsSync(join(root, `going-${n}.txt`))));
  // Beside a command in the background there is no layer, so this one has a session of its own.
  const alone = serve(flags);
  const layered = 'echo x > layer.txt; sleep 60';
  calls.push(
    alone.call('shell_exec', { command: layered }).then((reply) => ({
      tool: 'shell_exec',
      reply: JSON.stringify(reply),
      atMs: performance.now(),
    })),
  );
  // All of them wait for something by now; a question waits in the queue.
  while ((await cli(flags, 'approve')).split('git push').length < 3) await sleep(200);
  await sleep(500);
  await cli(flags, 'halt');
  const { sinceMs } = JSON.parse(readFileSync(join(flags[3] as string, 'halted'), 'utf8'));
  const haltedAtMs = performance.now() - (Date.now() - sinceMs);
  const ended = await Promise.all(calls);
  for (const { tool, reply } of ended) expect(reply, tool).toContain('A person stopped all work');
  expect(ended.at(-1)?.reply).toContain('What it wrote on a layer is discarded; other changes stay');
  const longestMs = Math.max(...ended.map(({ atMs }) => atMs - haltedAtMs));
  process.stderr.write(`halt: ${ended.length} calls ended within ${Math.round(longestMs)} ms\n`);
  if ((loadavg()[0] as number) < cpus().length) expect(longestMs).toBeLessThan(1000);
  // Nothing of it goes on, and what was on a layer is gone.
  expect(existsSync(join(root, 'layer.txt'))).toBe(false);
  expect(existsSync(join(root, 'going-0.txt'))).toBe(true);
  expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain(`going-`);

  for (const client of [...clients, serve(flags)]) {
    const refused = JSON.stringify(await client.call('file_read', { path: 'a.txt' }));
    expect(refused).toContain('A person stopped all work at 20');
    expect(refused).toContain('`sekisho resume` or the console lets it go on.');
    expect(refused).toContain('stopped_since');
  }
  expect(await cli(flags, 'resume')).toContain('Work may go on.');
  expect(await cli(flags, 'resume')).toContain('Nothing was stopped.');
  for (const client of clients) {
    expect(JSON.stringify(await client.call('file_read', { path: 'a.txt' }))).toContain('hello');
    const output = JSON.stringify(await client.call('bash_output', { process_id: 'p1' }));
    expect(output).toContain('[stopped: a person stopped all work]');
    expect(output).toContain('"running":false');
  }
  const log = await cli(flags, 'audit', 'tail', '--lines', '60');
  expect(log).toContain('sekisho halt');
  expect(log).toContain('sekisho resume');
});
