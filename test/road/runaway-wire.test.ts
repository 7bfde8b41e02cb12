import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createLineClient, exitOf } from '../support/clients.ts';
import { startFile } from '../support/run-command.ts';

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
