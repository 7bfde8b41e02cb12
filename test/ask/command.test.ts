import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startFile } from '../support/run-command.ts';
import { calls, openScriptedModel, says } from './scripted-model.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sekisho-ask-'));
  mkdirSync(join(folder, 'project'));
  writeFileSync(join(folder, 'project', 'a.txt'), 'A');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the command as a process of its own, with the model `test` at this address. */
function startAsk(url: string, ...args: readonly string[]) {
  const config = join(folder, 'sekisho.jsonc');
  writeFileSync(config, JSON.stringify({ models: { test: { model: 'm', url } } }));
  const child = spawn(process.execPath, [startFile, 'ask', '--config', config, ...args], {
    cwd: join(folder, 'project'),
    env: { HOME: folder, PATH: process.env.PATH, LANG: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ran = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    ran.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    ran.stderr += chunk;
  });
  const exited = once(child, 'close').then(([code]) => ({ code: code as number | null, ...ran }));
  return { child, exited };
}

test('a question from the command line is answered, with JSON Lines for programs', async () => {
  await using model = await openScriptedModel(calls(['read_file', { path: 'a.txt' }]), says('It says A.'));

  const ran = await startAsk(model.url, '--event-output', 'what', 'does', 'a.txt', 'say?').exited;

  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const types = ran.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).type);
  expect(types).toEqual(['start', 'round', 'call', 'result', 'round', 'text', 'end']);
  expect(model.seen[0]?.body.messages.at(-1)?.content).toBe('what does a.txt say?');
});

test('Ctrl-C ends a run whose model hangs, with exit code 1', async () => {
  let interrupt = () => {};
  await using model = await openScriptedModel(() => interrupt());
  const { child, exited } = startAsk(model.url, 'hello');
  interrupt = () => void child.kill('SIGINT');

  expect(await exited).toMatchObject({ code: 1, stderr: expect.stringContaining('Cancelled.') });
});

test('without a model it says what to set, with exit code 2', async () => {
  const config = join(folder, 'none.jsonc');
  writeFileSync(config, '{}');
  const ran = await startAsk('http://127.0.0.1:1/v1', '--config', config, 'hello').exited;
  expect(ran).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('Set ZAI_API_KEY for glm-4.7'),
  });
});

test.each(['SIGTERM', 'SIGHUP'] as const)('%s ends a run and lets go of its session', async (signal) => {
  let stop = () => {};
  await using model = await openScriptedModel(() => stop());
  const state = join(folder, 'state');
  const { child, exited } = startAsk(model.url, '--state', state, '--session', 's', 'hello');
  stop = () => void child.kill(signal);

  expect(await exited).toMatchObject({ code: 1 });
  expect(readdirSync(join(state, 'ask'))).toEqual(['s.jsonl']);
});
