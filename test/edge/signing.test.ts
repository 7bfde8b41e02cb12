import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openSigner } from '../../src/git/signer.ts';
import { needs, programs, sandbox } from '../support/needs.ts';
import { openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';

describe.each(['openpgp', 'ssh'] as const)('signing.commits with %s', (format) => {
  const limits = { ...needs(sandbox('bubblewrap'), programs('git', 'gpg', 'ssh-keygen')), timeout: 120_000 };
  const home = mkdtempSync(join(tmpdir(), 'sekisho-signing-test-'));
  const environment = {
    HOME: home,
    PATH: process.env.PATH ?? '',
    LANG: 'C.UTF-8',
    GIT_CONFIG_SYSTEM: '/dev/null',
  };
  let world: Awaited<ReturnType<typeof openTestCheckpoint>>;
  let questions: string[] = [];
  let answer: 'accept' | 'decline' = 'accept';

  /** What the person runs outside. */
  const outside = (program: string, ...args: readonly string[]) =>
    execFileSync(program, args, {
      cwd: world?.root ?? home,
      env: environment,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  const elicit = async ({ message }: { readonly message: string }) => {
    questions.push(message);
    const { approvals } = await world.checkpoint.store();
    const [open] = await approvals.list('pending', Date.now());
    if (answer === 'decline') await approvals.decide(open?.id ?? '', 'declined', 'ann', 'once', Date.now());
    return { action: answer };
  };
  const bash = async (command: string, more: object = { elicit }) =>
    outputOf(await world.call('bash', { command, timeout_seconds: 60 }, more));

  beforeAll(async () => {
    mkdirSync(join(home, '.gnupg'), { mode: 0o700 });
    const lines = ['[user]\n\tname = Ann\n\temail = ann@home.example\n[init]\n\tdefaultBranch = main\n'];
    if (format === 'ssh') {
      const key = join(home, 'key');
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'ann', '-f', key]);
      writeFileSync(join(home, 'allowed'), `ann@home.example ${readFileSync(`${key}.pub`, 'utf8')}`);
      lines.push(
        `[user]\n\tsigningKey = ~/key.pub\n[gpg]\n\tformat = ssh\n[gpg "ssh"]\n\tallowedSignersFile = ~/allowed\n`,
      );
    } else {
      const options = ['--batch', '--passphrase', '', '--quick-generate-key'];
      execFileSync('gpg', [...options, 'Ann <ann@home.example>', 'ed25519'], {
        env: environment,
        stdio: 'pipe',
      });
    }
    writeFileSync(join(home, '.gitconfig'), [...lines, '[commit]\n\tgpgSign = true\n'].join(''));
    world = await openTestCheckpoint({
      flags: { profile: 'coding' },
      environment,
      options: { environment },
      config: { approval: { waitMs: 300 }, process: { network: [] }, signing: { commits: true } },
    });
    outside('git', 'init', '-q');
    await bash('true');
  }, 120_000);
  afterAll(async () => {
    await world?.close();
    execFileSync('gpgconf', ['--kill', 'all'], { env: environment, stdio: 'ignore' });
    rmSync(home, { recursive: true, force: true });
  });
  beforeEach(() => {
    questions = [];
    answer = 'accept';
  });

  test('a declined signature leaves no commit, and git says why', limits, async () => {
    answer = 'decline';
    const { exit_code, stdout, stderr } = await bash(
      'git commit -q --allow-empty -m one; echo $?; git log --oneline',
    );
    expect(exit_code).toBe(128);
    expect(stdout).toBe('128\n');
    expect(stderr).toContain('failed to write commit object');
    expect(stderr).toContain('[signing: the commit was not signed. ');
    expect(questions).toHaveLength(1);
  });

  test('a commit and a tag verify outside, and the person saw each', limits, async () => {
    const result = await bash(
      'echo 1 > f && git add f && git commit -q -m "Add the plan" && git commit -q -S --allow-empty -m two && git tag -s -m "First" v1',
    );
    expect(result).toMatchObject({ exit_code: 0 });
    expect(questions).toHaveLength(3);
    expect(questions[0]).toContain('signs a commit with your key');
    expect(questions[0]).toMatch(
      /\| tree [\da-f]{40}\n[\s\S]*\| author Ann <ann@home.example>[\s\S]*\| Add the plan/,
    );
    expect(questions[2]).toMatch(/\| tag v1[\s\S]*\| First/);
    for (const name of ['HEAD', 'HEAD~1']) outside('git', 'verify-commit', name);
    outside('git', 'verify-tag', 'v1');
    expect(outside('git', 'log', '--format=%G?')).toBe('G\nG\n');
    expect(result.stderr).toContain('[signing: a commit was signed, allowed by ');
    expect(result.stderr).not.toContain('unsigned');
  });

  test('after a later yes the same commit is signed when it is made again, once', limits, async () => {
    const commit = 'git commit -q --allow-empty -m late; sleep 1';
    expect(await bash(commit, {})).toMatchObject({
      stderr: expect.stringContaining('A person must approve'),
    });
    const { approvals } = await world.checkpoint.store();
    const [open] = await approvals.list('pending', Date.now());
    await approvals.decide(open?.id ?? '', 'approved', 'ann', 'once', Date.now());
    await bash(commit, {});
    expect(outside('git', 'log', '-1', '--format=%s %G?')).toBe('late G\n');
    await bash('git reset -q --soft HEAD~1');
    expect(await bash(commit, {})).toMatchObject({
      stderr: expect.stringContaining('A person must approve'),
    });
    expect(outside('git', 'log', '-1', '--format=%s')).toBe('two\n');
  });

  test('nothing else is signed, and no other key signs', limits, async () => {
    const ask = format === 'ssh' ? '-Y sign -n git -f k data' : '--status-fd=2 -bsau k <data';
    const refused = await bash(`echo data > data; echo k > k; /run/sekisho/sign ${ask}; ls data.sig`);
    expect(refused.stderr).toContain('Sekisho: git asked for a signature by the key k');
    const key = String(
      (await bash('git config user.signingKey || echo "Ann <ann@home.example>"')).stdout,
    ).trim();
    await bash(`printf '%s\\n' '${key.replace('key::', '')}' > k`);
    const named = format === 'ssh' ? '-Y sign -n git -f k' : '--status-fd=2 -bsau "$(cat k)"';
    const into = format === 'ssh' ? 'data' : '<data';
    for (const payload of [
      'data',
      'certificate version 0.1\\npusher Ann <ann@home.example> 1 +0000\\n\\n',
      `tree ${'a'.repeat(40)}\\n\\nno author\\n`,
      `tree ${'a'.repeat(40)}\\nauthor A <a> 1 +0000\\ncommitter A <a> 1 +0000\\ngpgsig x\\n\\nm\\n`,
    ]) {
      const { stderr } = await bash(
        `printf '${payload}' > data; /run/sekisho/sign ${named} ${into}; ls data.sig`,
      );
      expect(stderr).toContain('Only a commit or a tag of git is signed');
    }
    const other = await bash(
      'git -c user.signingKey=key::ssh-ed25519-other commit -q --allow-empty -m x; git -c gpg.format=x509 commit -q --allow-empty -m x; git log -1 --format=%s',
    );
    expect(other.stdout).toBe('two\n');
    expect(questions).toEqual([]);
  });

  test('what signs does not hold the key, and other uses of the programs go on', limits, async () => {
    const { stdout } = await bash(
      'ls -a /run/sekisho; ls ~/.gnupg ~/.ssh 2>/dev/null; git log -1 --show-signature --format=%s 2>&1; env | grep -c SSH_AUTH; ssh-add -l 2>&1',
    );
    expect(stdout).toMatch(/^\.\n\.\.\nagent\nconnect\nsign\n/);
    expect(stdout).toContain('two');
    expect(stdout).toMatch(/\n0\n/);
    const payload = Buffer.from(
      `tree ${'a'.repeat(40)}\nauthor A <a> 1 +0000\ncommitter A <a> 2 +0000\n\nm\n`,
    );
    const signer = await openSigner(home, environment);
    const asked = { format, key: signer.key, payload };
    const later = Buffer.from(payload.toString().replace('> 2 ', '> 9 '));
    const [one, two, third] = [payload, later, Buffer.from(`${payload}more`)].map((each) => {
      const read = signer.read({ ...asked, payload: each });
      return 'object' in read ? read.object.digest : '';
    });
    expect(one).toBe(two);
    expect(one).not.toBe(third);
  });
});
