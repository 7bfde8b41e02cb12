import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CommandRunner } from '../../src/command/commands.ts';
import { createCommandJudge } from '../../src/judgement/judge.ts';
import { needs, sandbox } from '../support/needs.ts';
import { openWorld } from './world.ts';

let runner: CommandRunner;
let world: ReturnType<typeof openWorld>;

function open(
  layout: 'output' | 'workspace' = 'workspace',
  files: Readonly<Record<string, string>> = {},
  more: { readonly maxTimeoutMs?: number; readonly patienceMs?: number } = {},
): void {
  const lend = {};
  const { patienceMs, ...options } = more;
  world = openWorld(files, { layout, lend, ...(patienceMs !== undefined && { patienceMs }) });
  const { mayKeep } = createCommandJudge();
  const roots = [{ hostPath: world.root, writable: true }];
  runner = new CommandRunner({ roots, sandbox: 'required', mayKeep, ...options });
  Object.assign(lend, { commands: runner.forSession('s1') });
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    (error: { code?: string }) => error.code,
  );

describe('bash', needs(sandbox('bubblewrap', 'landlock')), () => {
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

  test('a longer limit is answered with the key that allows it, and taken where it is allowed', async () => {
    const refusal = await world.call('bash', { command: 'true', timeout: 61 }).catch((error) => error);
    expect(refusal).toMatchObject({
      code: 'invalid_parameter',
      message: 'timeout can be at most 60 seconds here.',
    });
    expect(refusal.suggestion.en).toContain('process.maxTimeoutMs');
    await expect(world.call('bash', { command: 'true', timeout: 30_000 })).rejects.toThrow(
      'timeout is in seconds, at most 60 here; for 30000 ms, give 30.',
    );
    await expect(world.call('bash', { command: 'true', timeout: 600_000 })).rejects.toThrow(
      'timeout is in seconds, at most 60 here; 600000 ms are more than that.',
    );
    await runner.close();
    world.close();
    open('workspace', {}, { maxTimeoutMs: 3_600_000 });
    expect(await world.call('bash', { command: 'true', timeout: 3600 })).toMatchObject({ exit_code: 0 });
  }, 60_000);

  test('what takes longer than the caller waits is handed over, and followed from where the reply ends', async () => {
    await runner.close();
    world.close();
    open('workspace', {}, { patienceMs: 1500 });
    // The first tries the walls, which takes its time.
    await world.call('bash', { command: 'true' });
    const reply = await world.call('bash', { command: 'echo one; sleep 4; echo two; exit 3' });
    const { process_id } = reply;
    expect(reply).toMatchObject({ process_id: expect.any(String), stdout: 'one\n', next_cursor: 4 });
    expect(reply.exit_code).toBeUndefined();
    expect(reply.text).toContain('bash_output (wait, cursor 4)');
    const rest = await world.call('bash_output', { process_id, cursor: 4, wait: 20 });
    expect(rest).toMatchObject({ output: 'two\n', running: false, exit_code: 3 });
  }, 60_000);

  test('it goes on where the last command ended, and says where that is', async () => {
    await world.call('bash', { command: 'mkdir -p a/b' });
    const moved = await world.call('bash', { command: 'cd a/b && export WORD=kept' });
    expect(moved).toMatchObject({ folder: 'a/b' });
    expect(moved.text).toBe('exit code 0\nfolder: a/b');
    const next = await world.call('bash', { command: 'echo "$WORD in $PWD"; cd ../..' });
    expect(String(next.stdout)).toMatch(/^kept in .*\/a\/b\n$/);
    expect(next.folder).toBeUndefined();
  }, 60_000);

  test('in a folder of the day nothing is kept beyond it', async () => {
    await runner.close();
    world.close();
    open('output', { 'shared.txt': 'of all' });
    await world.call('bash', { command: 'cd ..' });
    const reply = await world.call('bash', { command: 'pwd' });
    expect(String(reply.stdout)).toMatch(/output\/2026-02-21\/user_local\n$/);
  }, 60_000);

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
    const printed =
      (cursor = 0) =>
      async () =>
        (await world.call('bash_output', { process_id, cursor })).output;
    await expect.poll(printed()).toBe('ready\n');
    const first = await world.call('bash_output', { process_id });
    await world.call('bash_input', { process_id, text: 'one\n' });
    await expect.poll(printed(Number(first.next_cursor))).toBe('got one\n');
    const second = await world.call('bash_output', { process_id, cursor: first.next_cursor });
    expect((await world.call('bash_list', {})).processes).toMatchObject([{ process_id, running: true }]);
    await world.call('bash_kill', { process_id });
    const last = await world.call('bash_output', { process_id, cursor: second.next_cursor, wait: 20 });
    expect(last.running).toBe(false);
    expect(last.exit_code).not.toBe(0);
  }, 60_000);

  test('what Python prints in the background is seen at once, and Ctrl-C reaches it', async () => {
    const program =
      'import time\nprint("ready")\ntry: time.sleep(60)\nexcept KeyboardInterrupt: print("interrupted"); raise SystemExit(3)';
    const { process_id } = await world.call('bash', {
      command: `python3 -c '${program}'`,
      background: true,
    });
    const output = async () => (await world.call('bash_output', { process_id })).output;
    await expect.poll(output).toBe('ready\n');
    await world.call('bash_input', { process_id, text: '\u0003' });
    const end = await world.call('bash_output', { process_id, wait: 20 });
    expect(end).toMatchObject({ output: 'ready\ninterrupted\n', running: false, exit_code: 3 });
  }, 60_000);

  test('git takes the message that it proposes, and an interactive rebase says that nothing edited its list', async () => {
    const git = 'git -c user.name=a -c user.email=a@example.com';
    const made = await world.call('bash', {
      command: `git init -q -b master r && cd r && for n in 1 2 3; do echo $n >f && git add f && ${git} commit -qm "c $n" || exit; done && git checkout -q -b side HEAD~1 && echo x >f && ${git} commit -qam side && ${git} rebase master; echo y >f; git add f; ${git} rebase --continue && git log --format=%s -1; ${git} commit --allow-empty; cd ..`,
    });
    expect(String(made.stdout)).toMatch(/^side$/m);
    expect(String(made.stderr)).toContain('empty commit message');
    const listed = await world.call('bash', { command: `cd r && ${git} rebase -i HEAD~1; cd ..` });
    expect(String(listed.stderr)).toContain('[git: rebase -i kept its list of commits');
    const asked = await world.call('bash', {
      command: `cd r && GIT_SEQUENCE_EDITOR=true ${git} rebase -i HEAD~1; cd ..; rm -rf r`,
    });
    expect(String(asked.stderr)).not.toContain('rebase -i kept');
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
    const printed = async () => (await world.call('bash_output', { process_id })).output;
    await expect.poll(printed).not.toBe('');
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
    const commands = { shell, kept: () => ({ variables: {} }) };
    expect(await bash?.risk?.({ command: 'ls' }, { desk, commands } as never)).toEqual({
      command: {
        line: { kind: 'script', script: 'ls', shell },
        dialect: 'strict',
        variables: {},
        endsWithCall: true,
      },
      workingFolder: 'output/2026-02-21/user_ann',
    });
  });

  test("in a person's project a command is read by what it does", async () => {
    const { bash } = await import('../../src/tools/assistant/bash/bash.ts');
    const commands = { shell: 'bash', kept: () => ({ variables: {} }) };
    const risk = await bash.risk?.({ command: 'ls' } as never, { desk: { ownPath: '.' }, commands } as never);
    expect(risk?.command?.dialect).toBe('plain');
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
    const { bashInput } = await import('../../src/tools/assistant/bash/background.ts');
    const commands = { shell: 'bash', background: () => ({ command: running }) };
    const desk = { ownPath: '.' };
    const risk = await bashInput.risk?.({ process_id: 'x', text: 'sudo rm\n' }, { desk, commands } as never);
    expect(risk?.command?.dialect).toBe(shell && 'plain');
    expect(risk?.command?.line).toEqual(shell && { kind: 'script', script: 'sudo rm\n', shell });
  });
});
