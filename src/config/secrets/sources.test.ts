import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { firstLineFrom } from './from-command.ts';
import { KeptSecrets } from './kept-secrets.ts';
import type { SecretSettings, SecretSource } from './secrets.ts';
import { openSecrets } from './sources.ts';

const canary = 'ghp_aCanaryThatNobodyMaySee42';

describe('A value', () => {
  const home = mkdtempSync(join(tmpdir(), 'sekisho-sources-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  const settingsOf = (from: SecretSource): SecretSettings => ({
    name: 'a',
    hosts: ['a.test'],
    as: ['bearer'],
    variable: 'A_TOKEN',
    username: 'me',
    commands: true,
    from,
  });
  const open = async (from: SecretSource) => {
    const secrets = openSecrets(
      [settingsOf(from)],
      { PATH: process.env.PATH, HERE: canary },
      new KeptSecrets(home, () => key),
    );
    await secrets.refresh(['a']);
    return secrets;
  };
  const key = Buffer.alloc(32, 7);

  test('is the first line of what a program prints, which is run once', async () => {
    const script = `echo "${canary}"; echo second; echo run >> ${home}/runs`;
    const secrets = await open({ command: ['/bin/sh', '-c', script] });
    expect(secrets.valueOf('a')).toBe(canary);
    expect(secrets.refresh(['a'])).toBeUndefined();
    expect(readFileSync(join(home, 'runs'), 'utf8')).toBe('run\n');
  });

  test('is asked of the program again after the stated time', async () => {
    const secrets = await open({ command: ['/bin/sh', '-c', `cat ${home}/value`], seconds: 1 });
    expect(secrets.whyNone('a')?.en).toContain('/bin/sh ended with 1');
    writeFileSync(join(home, 'value'), canary);
    await setTimeout(1000);
    await secrets.refresh(['a']);
    expect(secrets.valueOf('a')).toBe(canary);
  });

  test('that a program prints after a program it leaves behind has its output is taken', async () => {
    const secrets = await open({ command: ['/bin/sh', '-c', `sleep 20 & echo "${canary}"`] });
    expect(secrets.valueOf('a')).toBe(canary);
  });

  test.each([
    [['/bin/sh', '-c', 'exit 3'], 'ended with 3'],
    [['/no/such/program'], 'cannot be started'],
    [['no-such-program'], 'is not on PATH'],
    [['/bin/sh', '-c', 'echo short'], 'too short'],
    [['/bin/sh', '-c', 'yes abcdefgh | tr -d "\\n" | head -c 900000'], 'too long'],
  ])('is missing with a reason: %j', async (command, because) => {
    expect((await open({ command })).whyNone('a')?.en).toContain(because);
  });

  test('is missing with a reason, in each other source', async () => {
    expect((await open({ env: 'THERE' })).whyNone('a')?.en).toContain('variable THERE is not set');
    expect((await open({ file: '/no/file' })).whyNone('a')?.en).toContain('/no/file cannot be read');
    expect((await open(undefined)).whyNone('a')?.en).toContain('sekisho secret set a');
    expect((await open({ env: 'HERE' })).whyNone('a')).toBeUndefined();
  });

  test('of a program that does not end is not waited for', async () => {
    const found = await firstLineFrom(['/bin/sh', '-c', `(sleep 1; touch ${home}/late) & sleep 20`], {}, 200);
    expect(found).toMatchObject({ why: { en: expect.stringContaining('had not ended') } });
    await setTimeout(1200);
    expect(existsSync(join(home, 'late'))).toBe(false);
  });

  test('in a keyring is missing with a reason where none answers', async () => {
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/no/bus');
    expect((await open('keyring')).whyNone('a')?.en).toContain('No keyring answers');
    await expect(new KeptSecrets(home, () => key, ['a']).set('a', canary)).rejects.toThrow(
      'No keyring answers',
    );
    vi.unstubAllEnvs();
  });
});
