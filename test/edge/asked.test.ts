import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { needs, programs, sandbox } from '../support/needs.ts';
import { openTestCheckpoint, outputOf } from '../support/open-test-checkpoint.ts';
import { openOrigin } from './world.ts';

type Origin = Awaited<ReturnType<typeof openOrigin>>;
type Checkpoint = Awaited<ReturnType<typeof openTestCheckpoint>>;

describe('A command and an inspected host', needs(sandbox('bubblewrap'), programs('curl')), () => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-asked-'));
  let origin: Origin;
  let world: Checkpoint;
  let base = '';

  beforeAll(async () => {
    origin = await openOrigin('127.0.0.2');
    base = `https://127.0.0.2:${origin.port}`;
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
    world = await openTestCheckpoint({
      flags: { profile: 'coding' },
      config: {
        approval: { waitMs: 200 },
        process: { network: [`127.0.0.2:${origin.port}`] },
      },
    });
  });
  afterEach(() => world.close());

  const bash = async (command: string, more: Parameters<Checkpoint['call']>[2] = {}, how: object = {}) =>
    outputOf(await world.call('bash', { command, ...how }, more));
  const lines = () => origin.arrived.map(({ line }) => line);

  test('reads unasked, and a person sees what it would send before it leaves', async () => {
    const asked: string[] = [];
    const before = readFileSync('/etc/ssl/certs/ca-certificates.crt', 'utf8');
    const elicit = async ({ message }: { readonly message: string }) => {
      asked.push(message);
      expect(lines()).toEqual(['GET /items']);
      return { action: 'accept' as const };
    };
    const result = await bash(
      `curl -sS ${base}/items; curl -sS -d '{"title": "plans"}' ${base}/repos/x/issues`,
      { elicit },
    );
    expect(result).toMatchObject({
      stdout: 'origin: GET /items\norigin: POST /repos/x/issues\n',
      stderr: expect.stringMatching(
        /\[network: sent 1 request to 127\.0\.0\.2:\d+: POST \/repos\/x\/issues, allowed by client/,
      ),
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain(`Request: POST ${base}/repos/x/issues`);
    expect(asked[0]).toContain('The program calls itself: curl/');
    expect(asked[0]).toContain('  | {"title": "plans"}');
    expect(asked[0]).toContain('The request is held, and nothing of it has left yet.');
    expect(JSON.stringify(result)).not.toContain('This is a dry run');
    expect(lines()).toEqual(['GET /items', 'POST /repos/x/issues']);
    expect(readFileSync('/etc/ssl/certs/ca-certificates.crt', 'utf8')).toBe(before);
    const operator = await world.checkpoint.operator();
    const { sessions } = await operator.digest(0);
    const story = await operator.story(sessions[0]?.sessionId ?? '');
    expect(story?.steps).toMatchObject([
      { kind: 'sent', line: expect.stringMatching(/ → POST 127\.0\.0\.2:\d+\/repos\/x\/issues$/) },
    ]);
  });

  test('is told who has to agree, and the same request passes once after a later yes', async () => {
    const line = `curl -sS -w '%{http_code}' -X DELETE ${base}/repos/x`;
    const first = await bash(line);
    expect(first).toMatchObject({ stdout: expect.stringMatching(/A person must approve this first.*403$/s) });
    expect(lines()).toEqual([]);

    const { approvals } = await world.checkpoint.store();
    const [open] = await approvals.list('pending', Date.now());
    expect(open?.rule).toBe('request-delete');
    await approvals.decide(open?.id ?? '', 'approved', 'alice', 'once', Date.now());
    expect(await bash(line)).toMatchObject({ stdout: 'origin: DELETE /repos/x\n200' });
    expect(await bash(line)).toMatchObject({ stdout: expect.stringMatching(/403$/) });
    expect(lines()).toEqual(['DELETE /repos/x']);
  });

  test('changes nothing there in a dry run', async () => {
    const asked: string[] = [];
    const result = await world.call(
      'bash',
      { command: `curl -sS -d x ${base}/a; curl -sS ${base}/b`, dry_run: true },
      {
        elicit: async ({ message }) => {
          asked.push(message);
          return { action: 'accept' as const };
        },
      },
    );
    expect(JSON.stringify(result)).toContain('requests that do more than read are not sent.');
    expect(asked.join()).not.toContain('The request is held');
    expect(lines()).toEqual(['GET /b']);
  });

  test('names the command that sends, among several of the session', async () => {
    const script = (path: string) => `until [ -e go ]; do sleep 0.05; done; curl -sS -d x ${base}/${path}`;
    for (const path of ['first', 'second']) await bash(script(path), {}, { background: true });
    await bash('touch go');
    const { approvals } = await world.checkpoint.store();
    await expect.poll(() => approvals.list('pending', Date.now())).toHaveLength(2);
    for (const { message } of await approvals.list('pending', Date.now())) {
      const path = /Request: POST \S+\/(\w+)/.exec(message.en)?.[1] ?? '';
      expect(message.en).toContain(script(path));
      expect(message.en).not.toContain('which of them sends this is not known');
    }
  });

  test(
    'the authority is trusted in the sandbox alone, and its key is in no file',
    needs(programs('openssl')),
    async () => {
      const places = mkdtempSync(join(folder, 'places-'));
      vi.stubEnv('TMPDIR', places);
      await using own = await openTestCheckpoint({
        flags: { profile: 'coding' },
        config: { process: { network: [`127.0.0.2:${origin.port}`] } },
      });
      const command = [
        `openssl s_client -proxy "\${HTTPS_PROXY#http://}" -connect 127.0.0.2:${origin.port} </dev/null 2>/dev/null >said`,
        'openssl x509 -in said -out leaf.pem && openssl verify leaf.pem && cp "$SSL_CERT_FILE" bundle.pem',
      ].join('; ');
      expect(outputOf(await own.call('bash', { command }))).toMatchObject({ stdout: 'leaf.pem: OK\n' });
      const verify = (...args: readonly string[]) =>
        spawnSync('openssl', ['verify', ...args, join(own.root, 'leaf.pem')], { encoding: 'utf8' });
      expect(verify('-CAfile', join(own.root, 'bundle.pem')).status).toBe(0);
      expect(verify().stderr).toContain('unable to get local issuer certificate');
      // A P-256 key in PEM, and the end of the head of its PKCS #8.
      const key = '-----BEGIN [A-Z ]*PRIVATE KEY|MIGHAgEAMBMGByqGSM49|\\x03\\x01\\x07\\x04\\x6d\\x30\\x6b';
      const found = () =>
        spawnSync('grep', ['-rlaP', '-e', key, places, own.folder], {
          encoding: 'utf8',
          env: { LC_ALL: 'C', PATH: process.env.PATH },
        }).stdout;
      expect(found()).toBe('');
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      writeFileSync(join(places, 'pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
      writeFileSync(join(places, 'der'), privateKey.export({ type: 'pkcs8', format: 'der' }));
      expect(found().split('\n').sort()).toEqual(['', join(places, 'der'), join(places, 'pem')]);
    },
  );
});
