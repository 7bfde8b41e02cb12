import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLoginAccess } from '../../src/upstream/oauth/access.ts';
import { acquireLock, openTokenFile, type StoredTokens } from '../../src/upstream/oauth/token-file.ts';

const key = () => new Uint8Array(32).fill(7);
const url = 'https://far.example/mcp';

const grant: StoredTokens = {
  metadata: {
    issuer: 'https://issuer.example',
    authorization_endpoint: 'https://issuer.example/auth',
    token_endpoint: 'https://issuer.example/token',
    response_types_supported: ['code'],
  },
  client: { client_id: 'we' },
  resource: url,
  accessToken: 'first',
  refreshToken: 'refresh-1',
  expiresAtMs: 100_000,
  renewAtMs: 70_000,
};

function place() {
  const folder = join(mkdtempSync(join(tmpdir(), 'sekisho-grant-')), 'logins');
  return { folder, key, file: openTokenFile({ folder, key }, 'far', url) };
}

test('a grant is read by who wrote it, and by nobody with another key, name or address', () => {
  const { folder, file } = place();
  expect(file.read()).toBeUndefined();
  expect(file.stamp()).toBe('');
  file.write(grant);
  expect(file.read()).toEqual(grant);
  expect(statSync(join(folder, 'far.grant')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, 'far.grant'), 'latin1')).not.toContain('refresh-1');
  const other = { folder, key: () => new Uint8Array(32) };
  expect(openTokenFile(other, 'far', url).read()).toBeUndefined();
  expect(openTokenFile({ folder, key }, 'far', `${url}/`).read()).toBeUndefined();
  expect(openTokenFile({ folder, key }, 'near', url).read()).toBeUndefined();
});

test('a file that was changed, cut or emptied is no grant', () => {
  const { folder, file } = place();
  file.write(grant);
  const path = join(folder, 'far.grant');
  const whole = readFileSync(path);
  for (let at = 0; at < whole.length; at += 7) {
    const bent = Buffer.from(whole);
    bent[at] = (bent[at] ?? 0) ^ 1;
    writeFileSync(path, bent);
    expect(file.read()).toBeUndefined();
  }
  for (const length of [0, 5, 12, 28, 40, whole.length - 1]) {
    writeFileSync(path, whole.subarray(0, length));
    expect(file.read()).toBeUndefined();
  }
});

test('a token is renewed before it ends, once for all who ask, and the new refresh token is kept', async () => {
  const { file } = place();
  file.write(grant);
  let now = 0;
  const bodies: string[] = [];
  const access = createLoginAccess(
    file,
    async (_url, init) => {
      bodies.push(String(init?.body));
      return Response.json({
        access_token: 'second',
        token_type: 'Bearer',
        expires_in: 60,
        refresh_token: 'refresh-2',
      });
    },
    () => now,
  );
  now = 69_999;
  expect(await access.token()).toBe('first');
  now = 70_000;
  expect(await Promise.all([access.token(), access.token(), access.token()])).toEqual([
    'second',
    'second',
    'second',
  ]);
  expect(bodies).toHaveLength(1);
  expect(bodies[0]).toContain('refresh_token=refresh-1');
  expect(bodies[0]).toContain(`resource=${encodeURIComponent(url)}`);
  expect(file.read()).toMatchObject({ refreshToken: 'refresh-2', expiresAtMs: 130_000, renewAtMs: 100_000 });
});

test.each([
  ['is down', () => Promise.reject(new Error('ECONNREFUSED'))],
  ['is in trouble', async () => Response.json({ error: 'server_error' }, { status: 500 })],
  ['answers with nonsense', async () => new Response('<html>')],
  ['gives another kind of token', async () => Response.json({ access_token: 'x', token_type: 'DPoP' })],
])(
  'where the authorization server %s the login stays, and the old token serves to its end',
  async (_how, fetch) => {
    const { file } = place();
    file.write(grant);
    let now = 80_000;
    const access = createLoginAccess(file, fetch, () => now);
    expect(await access.token()).toBe('first');
    now = 100_000;
    await expect(access.token()).rejects.toMatchObject({ code: 'unavailable' });
    expect(file.read()).toEqual(grant);
  },
);

test.each(['invalid_request', 'invalid_scope'])(
  'an issuer that wants the scope of a renewal (%s) gets the granted one',
  async (error) => {
    const { file } = place();
    file.write({ ...grant, scope: 'read write' });
    const scopes: (string | null)[] = [];
    const access = createLoginAccess(
      file,
      async (_url, init) => {
        const scope = new URLSearchParams(String(init?.body)).get('scope');
        scopes.push(scope);
        return scope === null
          ? Response.json({ error, error_description: 'scope is missing' }, { status: 400 })
          : Response.json({ access_token: 'second', token_type: 'Bearer' });
      },
      () => 200_000,
    );
    expect(await access.token()).toBe('second');
    expect(scopes).toEqual([null, 'read write']);
    expect(file.read()).toMatchObject({ accessToken: 'second', scope: 'read write' });
  },
);

test('where nothing can be written the refresh token is not spent', async () => {
  const { file } = place();
  file.write(grant);
  let asked = 0;
  const full = {
    ...file,
    write() {
      throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    },
  };
  const answer = async () => {
    asked += 1;
    return Response.json({});
  };
  const access = createLoginAccess(full, answer, () => 200_000);
  await expect(access.token()).rejects.toMatchObject({ code: 'unavailable' });
  expect(asked).toBe(0);
  expect(file.read()).toEqual(grant);
});

test('a grant that the authorization server ended is forgotten', async () => {
  const { file } = place();
  file.write(grant);
  const answer = async () => Response.json({ error: 'invalid_grant' }, { status: 400 });
  const access = createLoginAccess(file, answer, () => 200_000);
  expect(await access.token()).toBeUndefined();
  expect(file.read()).toBeUndefined();
});

test('what went wrong is told without the words that could be a token', async () => {
  const { file } = place();
  file.write(grant);
  const secret = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJlLW9mLWE';
  const access = createLoginAccess(
    file,
    async () =>
      Response.json({ error: 'temporarily_unavailable', error_description: secret }, { status: 503 }),
    () => 200_000,
  );
  const error = await access.token().catch((thrown: unknown) => thrown as Error);
  expect(String((error as Error).cause)).toContain('temporarily_unavailable');
  expect(String((error as Error).cause)).not.toContain('eyJhbGciOiJSUzI1NiJ9');
});

test('a lock is held by one, and broken when its process is gone', async () => {
  const { folder, file } = place();
  file.write(grant);
  const path = join(folder, 'far.grant.lock');
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      const release = await acquireLock(path);
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      release();
    }),
  );
  expect(most).toBe(1);

  const module = join(import.meta.dirname, '../../src/upstream/oauth/token-file.ts');
  const script = `import { acquireLock } from ${JSON.stringify(module)};
    await acquireLock(${JSON.stringify(path)}); console.log('held'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  expect(readdirSync(folder)).toContain('far.grant.lock');
  (await acquireLock(path))();
  // Not what we write, and from before a clock was set back.
  for (const held of ['', 'nonsense', `${process.pid} ${Date.now() + 999_999} ${hostname()} x`]) {
    writeFileSync(path, held);
    (await acquireLock(path))();
  }
  expect(readdirSync(folder).filter((name) => name.includes('.lock.')).length).toBeLessThanOrEqual(1);
  expect(readdirSync(folder)).not.toContain('far.grant.lock');
});
