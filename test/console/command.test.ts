import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startFile } from '../support/run-command.ts';

function makePlace() {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-console-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  mkdirSync(join(folder, 'root'));
  const state = join(folder, 'state');
  return { state, flags: ['--root', join(folder, 'root'), '--state', state] };
}

function sekisho(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [startFile, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** A server on a free port, and what it printed at its start. */
async function serve(...args: readonly string[]): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, [startFile, 'serve', '--http', '127.0.0.1:0', ...args]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for await (const chunk of child.stderr) {
    said += chunk;
    if (said.includes('Ctrl-C')) break;
  }
  return { child, said };
}

test('a link is printed at the startFile, and by `sekisho console` for as long as the server runs', async () => {
  const { state, flags } = makePlace();
  expect(sekisho('console', ...flags)).toMatchObject({ status: 1, stdout: '' });

  const { child, said } = await serve(...flags);
  const printed = /console {3}(http:\S+)/.exec(said)?.[1] ?? '';
  expect((await fetch(printed, { redirect: 'manual' })).status).toBe(303);
  expect(statSync(join(state, 'console-address.json')).mode & 0o777).toBe(0o600);

  const { stdout } = sekisho('console', ...flags);
  expect(stdout.trim()).not.toBe(printed);
  expect((await fetch(stdout.trim(), { redirect: 'manual' })).status).toBe(303);
  const { link } = JSON.parse(sekisho('console', '--json', ...flags).stdout) as { link: string };
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(303);

  child.kill('SIGTERM');
  // Nobody reads its stderr any more; it stops in good order all the same.
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(existsSync(join(state, 'console-address.json'))).toBe(false);
  expect(sekisho('console', ...flags).status).toBe(1);
});

test.each(['', '{"host":"127', 'null', '[]', '{"host":"127.0.0.1","port":7040,"pid":-1}'])(
  'a note %j that a killed server left half written is as good as none',
  (words) => {
    const { state, flags } = makePlace();
    mkdirSync(state, { mode: 0o700 });
    writeFileSync(join(state, 'console-address.json'), words);
    const { status, stdout, stderr } = sekisho('console', ...flags);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain('No server with a console runs');
  },
);

test('with --no-console there is none, and no link to it', async () => {
  const { flags } = makePlace();
  const { said } = await serve('--no-console', ...flags);
  expect(said).not.toContain('/login');
  const url = /address {3}(http:\S+)\/mcp/.exec(said)?.[1] ?? '';
  expect((await fetch(`${url}/`)).status).toBe(404);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect(sekisho('console', ...flags).stderr).toContain('sekisho serve --http');
});

test('permissions that stand are listed and taken back from the command line', () => {
  const { flags } = makePlace();
  expect(sekisho('approve', 'grants', ...flags).stdout).toBe('There are no standing approvals.\n');
  expect(JSON.parse(sekisho('approve', 'grants', '--json', ...flags).stdout)).toEqual([]);
  expect(sekisho('approve', 'revoke', 'apr_none', ...flags)).toMatchObject({ status: 1 });
  expect(sekisho('approve', ...flags).stdout).toBe('Nothing is waiting.\n');
});
