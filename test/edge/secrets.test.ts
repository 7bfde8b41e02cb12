import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadSettings } from '../../src/config/load.ts';
import { needs, programs, sandbox } from '../support/needs.ts';
import { openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { runCommand } from '../support/run-command.ts';
import { openOrigin } from './world.ts';

type Checkpoint = Awaited<ReturnType<typeof openTestCheckpoint>>;
const canary = 'ghp_aCanaryThatNobodyMaySee42';

describe('A named secret', needs(sandbox('bubblewrap'), programs('curl', 'python3')), () => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-secrets-'));
  let origin: Awaited<ReturnType<typeof openOrigin>>;
  let world: Checkpoint;

  beforeAll(async () => {
    origin = await openOrigin('127.0.0.2');
    writeFileSync(join(folder, 'its.pem'), origin.certificate);
    vi.stubEnv('SSL_CERT_FILE', join(folder, 'its.pem'));
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    origin.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    origin.arrived.length = 0;
    const host = `127.0.0.2:${origin.port}`;
    world = await openTestCheckpoint({
      flags: { profile: 'coding' },
      config: { process: { network: [host] }, secrets: { github: { hosts: [host] } } },
    });
  });
  afterEach(() => world.close());

  const bash = async (command: string) => outputOf(await world.call('bash', { command }));
  const secret = (words: readonly string[], input?: string) => {
    const place = ['--config', join(world.folder, 'sekisho.jsonc'), '--state', join(world.folder, 'state')];
    return runCommand(['secret', ...words, ...place], world.root, { HOME: world.folder }, input);
  };

  test('is set, listed and removed from the terminal, and never shown', async () => {
    expect(await secret(['list'])).toMatchObject({
      stdout: expect.stringMatching(/^github\t.*\tGITHUB_TOKEN\tnot set/),
    });
    expect(await secret(['set', 'github'], 'short\n')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('too short'),
    });
    expect(await secret(['set', 'gitlab'], canary)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('add secrets.gitlab'),
    });
    const kept = await secret(['set', 'github'], `${canary}\n`);
    expect(kept).toMatchObject({ code: 0, stdout: expect.stringContaining('GITHUB_TOKEN') });
    const listed = await secret(['list', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ name: 'github', isSet: true }]);
    expect(JSON.stringify([kept, listed])).not.toContain(canary);
    expect(await secret(['remove', 'github'])).toMatchObject({ code: 0 });
    expect(await secret(['remove', 'github'])).toMatchObject({ code: 1 });
  });

  test('is used by a command that never holds it', async () => {
    await secret(['set', 'github'], canary);
    const line = `curl -sS -H "Authorization: Bearer $GITHUB_TOKEN" https://127.0.0.2:${origin.port}/user; env; cat /proc/*/environ /proc/*/cmdline`;
    const result = await bash(line);
    expect(origin.arrived.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${canary}`]);
    expect(JSON.stringify(result)).not.toContain(canary);
    expect(String(result.stdout)).toMatch(/GITHUB_TOKEN=ghp_[A-Za-z\d]{25}\n/);
    await secret(['remove', 'github']);
    expect(await bash(line)).toMatchObject({
      stdout: expect.stringContaining('The secret “github” has no value'),
    });
    const { audit } = await world.checkpoint.store();
    expect(JSON.stringify(await audit.search({ limit: 100 }))).not.toContain(canary);
  });

  test('is recorded where it was sent elsewhere', async () => {
    await secret(['set', 'github'], canary);
    const result = await bash(`curl -sS "https://127.0.0.2:${origin.port}/?a=$GITHUB_TOKEN"`);
    expect(result).toMatchObject({ stdout: expect.stringContaining('secrets.github.as: query:a') });
    expect(result.stderr).toContain('[network:');
    expect(origin.arrived).toEqual([]);
  });
});

test.each([
  [{ secrets: { a: { hosts: ['a.test'] } } }, 'list them in process.network'],
  [
    {
      process: { network: ['a.test'] },
      secrets: { a: { hosts: ['a.test'], variable: 'X' }, b: { hosts: ['a.test'], variable: 'X' } },
    },
    'the same variable, X',
  ],
  [
    {
      process: { network: ['a.test'], environment: ['X'] },
      secrets: { a: { hosts: ['a.test'], from: { env: 'X' } } },
    },
    'secrets.a.from must be nothing that commands see',
  ],
  [
    { process: { network: ['a.test'] }, secrets: { a: { hosts: ['a.test'], from: { file: 'key' } } } },
    'secrets.a.from must be nothing that commands see',
  ],
  [{ process: { network: ['a.test'] }, secrets: { a: { hosts: ['a.test'], as: 'cookie' } } }, 'secrets.a.as'],
])('A configuration that cannot work is refused: %j', (config, because) => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-secrets-'));
  writeFileSync(join(folder, 'c.jsonc'), JSON.stringify(config));
  const load = () =>
    loadSettings({ root: folder, config: join(folder, 'c.jsonc') }, { HOME: folder }, folder);
  expect(load).toThrow(because);
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  [['a.test'], 'b.test'],
  [['a.test'], '*.a.test'],
  [[{ host: 'a.test', tls: 'tunnel' as const }], 'a.test'],
  [['a.test:8443'], 'a.test'],
])('A host of a secret must be looked into: %j', async (network, host) => {
  const opening = openTestCheckpoint({ config: { process: { network }, secrets: { a: { hosts: [host] } } } });
  await expect(opening).rejects.toThrow(`secrets.a names ${host}, which process.network does not list`);
});
