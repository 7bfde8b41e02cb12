import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exitOf } from '../support/clients.ts';
import { runCommand, startFile } from '../support/run-command.ts';

let home = '';

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'sekisho-closed-'));
  mkdirSync(join(home, 'project'));
  writeFileSync(join(home, 'project', 'a.txt'), 'old\n');
  const change = '{"path": "a.txt", "content": "new", "overwrite": true}';
  await runCommand(['call', 'file_write', change], join(home, 'project'), { HOME: home });
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Runs a command whose reader has left before it writes. */
async function unread(args: readonly string[]): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [startFile, ...args], {
    cwd: join(home, 'project'),
    env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  return { code: await exitOf(child), stderr };
}

test.each([[[]], [['serve']], [['audit']], [['audit', 'tail']]])(
  'the help of %j ends in silence when its reader has left',
  async (path) => {
    // What serve writes is the protocol, whose client may leave at any time.
    const code = path[0] === 'serve' ? 0 : 141;
    expect(await unread([...path, '--help'])).toEqual({ code, stderr: '' });
  },
);

test.each([
  [['audit', 'export']],
  [['audit', 'tail']],
  [['audit', 'tail', '--follow']],
  [['history']],
  [['tools', '--json']],
  [['policy', 'explain']],
  [['doctor', '--json']],
  [['approve']],
  [['token', 'list']],
  [['call', 'file_read', '{"path":"a.txt"}']],
  [['completion', 'bash']],
])('%j ends in silence when its reader has left', async (args) => {
  expect(await unread(args)).toEqual({ code: 141, stderr: '' });
});
