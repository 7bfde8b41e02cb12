import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Reply } from '../../src/contract/call.ts';
import { lackOfLayers } from '../command/working-layers.ts';
import { needs } from '../support/needs.ts';
import { openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';

/* What replies claim about effects, each where it is true, and where it must not stand. */

type World = Awaited<ReturnType<typeof openTestCheckpoint>>;

describe('a reply of a command', needs(lackOfLayers), () => {
  let world: World;
  const at = (path: string) => join(world.root, path);
  beforeAll(async () => {
    world = await openTestCheckpoint({
      flags: { profile: 'coding' },
      config: { approval: { waitMs: 6000 } },
    });
    // The first command waits for the sandbox.
    await world.call('bash', { command: 'true' });
  });
  afterAll(() => world.close());
  const bash = (command: string, input: object = {}, more: Parameters<World['call']>[2] = {}) =>
    world.call('bash', { command, ...input }, more);
  const stderrOf = (reply: Reply) => String(outputOf(reply).stderr);

  function writeMany(): void {
    mkdirSync(at('many'), { recursive: true });
    for (let n = 0; n < 21; n++) writeFileSync(at(`many/${n}`), `of somebody ${n}`);
  }
  const loses = 'python3 -c "import shutil; shutil.rmtree(\'many\')"';

  test('names what others changed while its question was open, and nothing where nobody did', async () => {
    const words = 'changed by others while this ran, and overwritten: both.txt; sekisho history has';
    for (const isChanged of [true, false]) {
      writeMany();
      writeFileSync(at('both.txt'), 'start\n');
      const elicit = async () => {
        if (isChanged) writeFileSync(at('both.txt'), 'of somebody\n');
        return { action: 'accept' } as never;
      };
      const stderr = stderrOf(await bash(`${loses}; echo ours > both.txt`, {}, { elicit }));
      expect(stderr.includes(words)).toBe(isChanged);
      expect(readFileSync(at('both.txt'), 'utf8')).toBe('ours\n');
      const { history } = await world.checkpoint.store();
      const [last] = await history.list({ at: { root: world.root, path: 'both.txt' }, limit: 1 });
      const bytes = isChanged ? 'of somebody\n'.length : 'start\n'.length;
      expect(last?.before).toMatchObject({ kind: 'file', bytes });
    }
  });

  test('says that none of its changes were kept where the person says no, and not where they agree', async () => {
    writeMany();
    const asked: string[] = [];
    const answer = (action: 'accept' | 'decline') => ({
      elicit: async (form: { readonly message: unknown }) => {
        asked.push(JSON.stringify(form));
        // What the question says is so while it is open.
        expect(existsSync(at('many/20'))).toBe(true);
        // A person reads it first.
        await sleep(1700);
        return { action } as never;
      },
    });
    const declined = JSON.stringify(await bash(loses, {}, answer('decline')));
    expect(declined).toContain('It had been tried, and none of its changes were kept.');
    expect(existsSync(at('many/20'))).toBe(true);
    expect(asked[0]).toContain(
      'Nothing has changed yet. Its changes wait for your answer while this server runs',
    );
    const pending = JSON.stringify(await bash(`${loses}; true`));
    expect(pending).toContain('It was tried, and nothing has changed yet: its changes wait for that answer');
    expect(existsSync(at('many/20'))).toBe(true);
    const accepted = JSON.stringify(await bash(`${loses}; true; true`, {}, answer('accept')));
    for (const claim of ['none of its changes', 'nothing has changed yet'])
      expect(accepted).not.toContain(claim);
    expect(existsSync(at('many'))).toBe(false);
  });

  test('names what it left running, which is gone, and not what it waited for', async () => {
    const isThere = (words: string) =>
      execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
        .split('\n')
        .some((line) => line === words);
    const left = stderrOf(
      await bash('sleep 61.25 & nohup setsid sleep 61.25 >/dev/null 2>&1 & sleep 0.3; echo'),
    );
    expect(left).toBe(
      '[ended with this command, which left it running: sleep, sleep; what is to go on is started in the background]\n',
    );
    expect(isThere('sleep 61.25')).toBe(false);
    const many = stderrOf(await bash('for i in 1 2 3 4 5 6 7; do sleep 61.25 & done; sleep 0.3'));
    expect(many).toContain('sleep, sleep, sleep, sleep, sleep and 2 more;');
    for (const command of [
      'sleep 0.2 & wait',
      'echo a | cat | tail -1; true & sleep 0.2',
      '(sleep 0.1 &); sleep 0.5',
    ])
      expect(stderrOf(await bash(command))).toBe('');
  });

  test('keeps the last frame of each line and says how many it left out', async () => {
    const frames = 'for i in $(seq 3000); do printf "Receiving objects: %4d/3000\\r" $i; done; echo END';
    const shown = outputOf(await bash(frames));
    expect(shown).toMatchObject({
      stdout: 'END\n',
      stderr: '[output: only the last frame of each line; 3000 frames before it left out]\n',
    });
    expect(outputOf(await bash('printf "a\\r\\nb\\n"'))).toMatchObject({ stdout: 'a\nb\n', stderr: '' });
  });

  test('finds no process of its own by a word of its script', async () => {
    const found = outputOf(await bash('pgrep -fc some-server-name; pkill -f some-server-name; echo "rc=$?"'));
    expect(found).toMatchObject({ exit_code: 0, stdout: '0\nrc=1\n', stderr: '' });
    const kept = outputOf(
      await bash('echo "$0 ${SEKISHO-unset} $LINENO"; env | grep -c SEKISHO; false\necho $?'),
    );
    expect(kept.stdout).toBe('bash unset 1\n0\n1\n');
  });

  test('says where the next command begins, if that is elsewhere than it ended', async () => {
    expect(stderrOf(await bash('cd /usr'))).toContain(
      '[session: the next command begins where this one did: it ended outside]',
    );
    expect(outputOf(await bash('pwd')).stdout).toBe(`${world.root}\n`);
    mkdirSync(at('inside'), { recursive: true });
    expect(stderrOf(await bash('cd inside'))).toBe('');
    expect(outputOf(await bash('pwd; cd ..')).stdout).toBe(`${at('inside')}\n`);
  });

  test('does not write beside a root below /tmp, where it would be gone without a word', async () => {
    expect(world.root.startsWith('/tmp/')).toBe(true);
    const { stdout, stderr } = outputOf(
      await bash('touch ../beside || echo refused; touch "$TMPDIR/mine" /tmp/scratch && echo written'),
    );
    expect(stdout).toBe('refused\nwritten\n');
    expect(stderr).toContain('Read-only file system');
  });

  test('says that a pipe is not kept, and nothing of the kind of files', async () => {
    expect(stderrOf(await bash('mkfifo q; echo s > s'))).toContain(
      '[layer: left as it was, as commands make no such entry',
    );
    expect([existsSync(at('q')), existsSync(at('s'))]).toEqual([false, true]);
    expect(stderrOf(await bash('mkdir d; ln -s s l; echo x > d/x'))).toBe('');
    expect(readFileSync(at('d/x'), 'utf8')).toBe('x\n');
  });

  test('of one in the background says how it ended, and not before', async () => {
    const started = outputOf(await bash('read x; exit 3', { background: true }));
    const id = String(started.process_id);
    const read = async () => {
      const reply = await world.call('bash_output', { process_id: id });
      return reply.kind === 'output' ? JSON.stringify(reply) : '';
    };
    expect(await read()).not.toContain('[ended with exit code');
    await world.call('bash_input', { process_id: id, text: 'go\n' });
    await expect.poll(read).toContain('[ended with exit code 3]');
    const late = JSON.stringify(await world.call('bash_input', { process_id: id, text: 'again\n' }));
    expect(late).toContain('takes no input: it has ended, or was not started with background.');
  });

  test('refuses to discard what cannot be, and nothing ran', async () => {
    await bash('sleep 60', { background: true });
    const refused = JSON.stringify(await bash('echo x > y', { on_failure: 'discard' }));
    expect(refused).toContain('could not be discarded if it failed, because it would not run on a layer:');
    expect(refused).toContain('Nothing of it was kept. Run it without on_failure.');
    expect(existsSync(at('y'))).toBe(false);
    expect(stderrOf(await bash('echo x > y'))).toBe('');
    expect(existsSync(at('y'))).toBe(true);
  });
});

describe('where failures are discarded by the configuration', needs(lackOfLayers), () => {
  test('what wrote beside another says that it stays, and it does', async () => {
    const world = await openTestCheckpoint({
      flags: { profile: 'coding' },
      config: { process: { onFailure: 'discard' } },
    });
    const bash = async (command: string) => String(outputOf(await world.call('bash', { command })).stderr);
    expect(await bash('echo x > a; false')).toBe('[layer: it failed, so nothing that it wrote was kept]\n');
    expect(existsSync(join(world.root, 'a'))).toBe(false);
    await world.call('bash', { command: 'sleep 60', background: true });
    expect(await bash('echo x > b; false')).toContain(
      '[layer: it failed, and what it wrote stays, as it did not run on a layer:',
    );
    expect(existsSync(join(world.root, 'b'))).toBe(true);
    expect(await bash('echo x > c')).toBe('');
    await world.close();
  });
});

test('a dry run that cannot be had says that nothing ran, and nothing did', async () => {
  const world = await openTestCheckpoint({
    flags: { profile: 'coding' },
    config: { process: { sandbox: 'off' } },
  });
  const refused = JSON.stringify(await world.call('bash', { command: 'echo x > a', dry_run: true }));
  expect(refused).toContain(
    'Nothing ran. Run it without dry_run, or ask the operator to run `sekisho doctor`.',
  );
  expect(existsSync(join(world.root, 'a'))).toBe(false);
  expect(JSON.stringify(await world.call('bash', { command: 'echo x > a' }))).not.toContain('Nothing ran');
  expect(existsSync(join(world.root, 'a'))).toBe(true);
  await world.close();
});
