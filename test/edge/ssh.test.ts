import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { needs, programs, sandbox } from '../support/needs.ts';
import { openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { openSshd, sshd } from './sshd.ts';

describe('A host of signing.ssh', {
  ...needs(
    sandbox('bubblewrap'),
    programs('ssh', 'ssh-agent', 'git'),
    existsSync(sshd) ? undefined : 'no sshd',
    userInfo().shell?.endsWith('nologin') ? 'no account to sign in to' : undefined,
  ),
  timeout: 120_000,
}, () => {
  let served: Awaited<ReturnType<typeof openSshd>>;
  let world: Awaited<ReturnType<typeof openTestCheckpoint>>;
  let questions: string[] = [];
  let answer: 'accept' | 'decline' = 'accept';

  const open = (keys?: readonly string[]) =>
    openTestCheckpoint({
      flags: { profile: 'coding' },
      environment: { SSH_AUTH_SOCK: served.agent },
      config: {
        process: { network: [] },
        signing: {
          ssh: {
            hosts: [`localhost:${served.port}`],
            hostKeys: [`[localhost]:${served.port} ${served.hostKey}`],
            ...(keys && { keys: [...keys] }),
          },
        },
      },
    });
  const elicit = async ({ message }: { readonly message: string }) => {
    questions.push(message);
    const { approvals } = await world.checkpoint.store();
    const [open] = await approvals.list('pending', Date.now());
    if (answer === 'decline') await approvals.decide(open?.id ?? '', 'declined', 'ann', 'once', Date.now());
    return { action: answer };
  };
  const bash = async (command: string) =>
    outputOf(await world.call('bash', { command, timeout_seconds: 60 }, { elicit }));
  const at = (path: string) => `ssh://${userInfo().username}@localhost:${served.port}${path}`;

  beforeAll(async () => {
    served = await openSshd();
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', join(served.folder, 'a.git')]);
  });
  afterAll(() => served.close());
  beforeEach(async () => {
    questions = [];
    answer = 'accept';
    world = await open();
  });
  afterEach(() => world.close());

  test('is reached after one question, cloned from and pushed to', async () => {
    const cloned = await bash(`git clone -q ${at(`${served.folder}/a.git`)} copy 2>&1; ls -d copy/.git`);
    expect(cloned).toMatchObject({ exit_code: 0, stdout: expect.stringContaining('copy/.git') });
    expect(questions).toEqual([expect.stringContaining(`CONNECT localhost:${served.port}`)]);
    expect(questions[0]).toContain('your agent signs the login');
    const me = '-c user.name=a -c user.email=a@b';
    const pushed = await bash(
      `cd copy && echo 1 > f && git add -A && git ${me} commit -qm one && git push -q origin HEAD:main 2>&1`,
    );
    expect(pushed).toMatchObject({ exit_code: 0 });
    expect(String(execFileSync('git', ['-C', join(served.folder, 'a.git'), 'log', '--format=%s']))).toBe(
      'one\n',
    );
    expect(questions).toHaveLength(1);
  });

  test('sees no signature if the person declines', async () => {
    answer = 'decline';
    const result = await bash(`git ls-remote ${at(`${served.folder}/a.git`)} 2>&1; ssh-add -l`);
    expect(result.stdout).toContain('fatal: Could not read from remote repository');
    expect(result.stderr).toContain('did not send 1 request to localhost');
  });

  test('takes only the keys that the setting lists', async () => {
    await world.close();
    const [, fingerprint = ''] =
      /(SHA256:\S+)/.exec(String(execFileSync('ssh-keygen', ['-lf', join(served.folder, 'other.pub')]))) ??
      [];
    world = await open([fingerprint]);
    const { stdout } = await bash('ssh-add -l; ssh-add -L');
    expect(stdout).toContain(fingerprint);
    expect(stdout).not.toContain('mine@test');
  });

  test('that shows another key is not connected to', async () => {
    const to = at(`${served.folder}/a.git`);
    await served.change();
    const { stdout } = await bash(`git ls-remote ${to} 2>&1`);
    expect(stdout).toContain('Host key verification failed');
    // A program that accepts any key gets no signature for it.
    const loose = await bash(
      `GIT_SSH_COMMAND='ssh -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o GlobalKnownHostsFile=/dev/null' git ls-remote ${to} 2>&1`,
    );
    expect(loose.stdout).toContain('Permission denied (publickey)');
    expect(loose.stderr).toContain('[signing: nothing was signed. A login is only signed for a connection');
  });

  test('is the only one: another is not reached, and no byte of a private key is in the sandbox', async () => {
    const { stdout, stderr } = await bash(
      'ssh -p 22 git@github.example true 2>&1; ssh -p 1 localhost true 2>&1',
    );
    expect(`${stdout}${stderr}`).toMatch(/Could not resolve hostname|Temporary failure/);
    expect(stdout).toMatch(/Connection refused/);
    const secrets = ['mine', 'other'].map((name) =>
      readFileSync(join(served.folder, name), 'utf8').split('\n').slice(2, 4),
    );
    const words = secrets.flat().map((line) => line.slice(10, 40));
    // The pattern is written so that it does not find itself.
    const patterns = words.map((word) => `[${word.slice(0, 1)}]${word.slice(1).replace(/[+/]/g, '.')}`);
    const found = await bash(
      `env; for p in ${patterns.map((each) => `'${each}'`).join(' ')}; do grep -rals -e "$p" /etc /run /tmp "$HOME" . /dev/shm /proc/[0-9]*/environ /proc/[0-9]*/cmdline /proc/[0-9]*/mem; done | sed 's/^/FOUND /'`,
    );
    for (const word of words) expect(String(found.stdout)).not.toContain(word);
    expect(found.stdout).not.toContain('FOUND');
    expect(found.stdout).toContain('SSH_AUTH_SOCK=/run/sekisho/agent');
    expect(found.stdout).not.toContain(served.folder);
  });
});
