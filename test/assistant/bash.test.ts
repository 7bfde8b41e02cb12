import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openCommands } from '../../src/confine/process/commands.ts';
import { openWorld } from './world.ts';

const probe = openCommands({ roots: [], sandbox: 'required' });
const hasSandbox = (await probe.status()).some(({ works }) => works);
await probe.close();

let runner: ReturnType<typeof openCommands>;
let world: ReturnType<typeof openWorld>;

function open(
  layout: 'output' | 'workspace' = 'workspace',
  files: Readonly<Record<string, string>> = {},
): void {
  const lend = {};
  world = openWorld(files, { layout, lend });
  runner = openCommands({ roots: [{ hostPath: world.root, writable: true }], sandbox: 'required' });
  Object.assign(lend, { commands: runner.forSession('s1') });
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    (error: { code?: string }) => error.code,
  );

describe.skipIf(!hasSandbox)('bash (skipped where no sandbox works)', () => {
  beforeEach(() => open());
  afterEach(async () => {
    await runner.close();
    world.close();
  });

  test('a command that fails is a reply with both streams', async () => {
    const reply = await world.call('bash', { command: 'echo out; echo err >&2; exit 3' });
    expect(reply).toMatchObject({ exit_code: 3, stdout: 'out\n', stderr: 'err\n', timed_out: false });
    expect(reply.text).toBe('exit code 3\nstdout:\nout\n\nstderr:\nerr\n');
  });

  test('the dialect that is judged is the one that runs', async () => {
    expect(await world.call('bash', { command: '[[ a < b ]] && echo bash' })).toMatchObject({
      stdout: 'bash\n',
    });
  });

  test('a command that takes too long is stopped and says so', async () => {
    const reply = await world.call('bash', { command: 'echo before; sleep 60', timeout: 1 });
    expect(reply).toMatchObject({ timed_out: true, stdout: 'before\n' });
    expect(reply.exit_code).not.toBe(0);
  }, 30_000);

  test.each([0, 61, 1.5, -1])('a timeout of %s is refused, not cut', async (timeout) => {
    await expect(world.call('bash', { command: 'true', timeout })).rejects.toThrow('timeout');
  });

  test('with the desk of the day it works in that folder and writes nowhere else', async () => {
    await runner.close();
    world.close();
    open('output', { 'shared.txt': 'of all' });
    const reply = await world.call('bash', {
      command: 'pwd; echo mine > a.txt; echo no > ../../../shared.txt',
    });
    expect(String(reply.stdout)).toMatch(/output\/2026-02-21\/user_local\n$/);
    expect(readFileSync(join(world.root, 'output/2026-02-21/user_local/a.txt'), 'utf8')).toBe('mine\n');
    expect(readFileSync(join(world.root, 'shared.txt'), 'utf8')).toBe('of all');
  });

  test('a background command is started, read, written to, listed and stopped', async () => {
    const { process_id } = await world.call('bash', {
      command: 'echo ready; while read -r line; do echo "got $line"; done',
      background: true,
    });
    const first = await world.call('bash_output', { process_id, wait: 20 });
    expect(first).toMatchObject({ output: 'ready\n', running: true });
    await world.call('bash_input', { process_id, text: 'one\n' });
    const second = await world.call('bash_output', { process_id, cursor: first.next_cursor, wait: 20 });
    expect(second).toMatchObject({ output: 'got one\n', running: true });
    expect((await world.call('bash_list', {})).processes).toMatchObject([{ process_id, running: true }]);
    await world.call('bash_kill', { process_id });
    const last = await world.call('bash_output', { process_id, cursor: second.next_cursor, wait: 20 });
    expect(last.running).toBe(false);
    expect(last.exit_code).not.toBe(0);
  }, 60_000);

  test('another session sees nothing of it', async () => {
    const { process_id } = await world.call('bash', { command: 'sleep 60', background: true });
    const commands = runner.forSession('s2');
    expect(commands.background(String(process_id))).toBeUndefined();
    expect(await codeOf(world.call('bash_output', { process_id: 'nothing' }))).toBe('not_found');
  }, 60_000);

  test('it ends with its session', async () => {
    const { process_id } = await world.call('bash', {
      command: 'trap "" TERM; echo $$; sleep 100',
      background: true,
    });
    await world.call('bash_output', { process_id, wait: 20 });
    const command = runner.forSession('s1').background(String(process_id));
    await runner.endSession('s1');
    expect(command?.status().running).toBe(false);
    expect(await codeOf(world.call('bash_output', { process_id }))).toBe('not_found');
  }, 60_000);

  test('what it writes lands in the workspace and not beside it', async () => {
    await world.call('bash', { command: 'echo x > /tmp/escape-of-bash; echo y > here' });
    expect(existsSync('/tmp/escape-of-bash')).toBe(false);
    expect(readFileSync(join(world.root, 'here'), 'utf8')).toBe('y\n');
  });
});

describe('what the judge is given', () => {
  test.each(['bash', 'sh'] as const)('a command is a script of the strict dialect, for %s', async (shell) => {
    const { createAssistantToolset } = await import('../../src/tools/assistant/index.ts');
    const bash = createAssistantToolset().tools.find(({ name }) => name === 'bash');
    const desk = { ownPath: 'output/2026-02-21/user_ann' };
    expect(await bash?.risk?.({ command: 'ls' }, { desk, commands: { shell } } as never)).toEqual({
      command: { line: { kind: 'script', script: 'ls', shell }, dialect: 'strict' },
      workingFolder: 'output/2026-02-21/user_ann',
    });
  });

  test.each([
    ['bash', 'bash'],
    ['bash ./run.sh', 'bash'],
    ['exec /bin/sh -i', 'sh'],
    ['env FOO=1 zsh', 'sh'],
    ['bash -c "exec dash"', 'sh'],
    ['cat', undefined],
    ['./publish.py', undefined],
    ['fresh-start', undefined],
  ])('what is typed into %s is judged as a command for %s', async (running, shell) => {
    const { bashInput } = await import('../../src/tools/assistant/bash-input.ts');
    const commands = { shell: 'bash', background: () => ({ command: running }) };
    const risk = await bashInput.risk?.({ process_id: 'x', text: 'sudo rm\n' }, { commands } as never);
    expect(risk?.command?.line).toEqual(shell && { kind: 'script', script: 'sudo rm\n', shell });
  });
});
