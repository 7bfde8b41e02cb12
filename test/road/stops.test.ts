import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { verbatim } from '../../src/contract/text/text.ts';
import { defineTool, defineToolset } from '../../src/contract/tool/define-tool.ts';
import { errorOf, local, openTestCheckpoint, outputOf, remote } from '../support/open-test-checkpoint.ts';

async function newest(world: Awaited<ReturnType<typeof openTestCheckpoint>>) {
  const { audit } = await world.checkpoint.store();
  await audit.flush();
  const [entry] = await audit.search({ limit: 1, newestFirst: true });
  return entry;
}

describe('a call that is refused is recorded at the stop that refused it, and reaches no later one', () => {
  test('authorize: an unknown tool', async () => {
    await using world = await openTestCheckpoint();
    const reply = await world.call('file_raed', { path: 'a' });
    expect(errorOf(reply)).toMatchObject({
      code: 'not_found',
      suggestion: expect.stringContaining('file_read'),
    });
    expect(await newest(world)).toMatchObject({ stop: 'authorize', code: 'not_found', tool: 'file_raed' });
  });

  test('authorize: a stranger over the network', async () => {
    await using world = await openTestCheckpoint({ files: { 'a.txt': 'secret' } });
    const reply = await world.call('file_read', { path: 'a.txt' }, { arrival: remote() });
    expect(errorOf(reply)).toMatchObject({ code: 'unauthenticated' });
    expect(await newest(world)).toMatchObject({
      stop: 'authorize',
      code: 'unauthenticated',
      principal: 'anonymous',
    });
  });

  test('authorize: what the tool calls a secret is none the less', async () => {
    const turn = defineTool({
      name: 'turn',
      category: 'locks',
      title: verbatim('Turn'),
      description: verbatim('Turn a lock.'),
      permission: 'coordinator_only',
      annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
      uses: [],
      input: z.object({ combination: z.string() }),
      output: z.object({}),
      ja: {},
      example: { combination: '1-2-3' },
      secrets: ['combination'],
      run: async () => ({}),
    });
    await using world = await openTestCheckpoint({
      options: { toolsets: [defineToolset('locks', [turn])] },
    });
    const reply = await world.call('turn', { combination: '4-8-15' });
    expect(errorOf(reply)).toMatchObject({ code: 'forbidden' });
    expect((await newest(world))?.arguments).toEqual({ combination: '[redacted]' });
  });

  test('identify: a made-up token is anonymous, and is not written down', async () => {
    await using world = await openTestCheckpoint({ files: { 'a.txt': 'secret' } });
    const reply = await world.call(
      'file_read',
      { path: 'a.txt' },
      { arrival: remote('skt_made_up_made_up_made_up') },
    );
    expect(errorOf(reply)).toMatchObject({ code: 'unauthenticated' });
    expect(JSON.stringify(await newest(world))).not.toContain('made_up');
  });

  test('limit: the call after the last of the minute, with the time to wait', async () => {
    await using world = await openTestCheckpoint({
      files: { 'a.txt': 'x' },
      config: { rateLimits: [{ appliesTo: 'everyone', perMinute: 2 }] },
    });
    await world.call('file_read', { path: 'a.txt' });
    await world.call('file_read', { path: 'a.txt' });
    const error = errorOf(await world.call('file_read', { path: 'a.txt' }));
    expect(error).toMatchObject({ code: 'rate_limited' });
    const { retry_after_ms } = error.details as { retry_after_ms: number };
    expect(retry_after_ms).toBeGreaterThan(0);
    expect(retry_after_ms).toBeLessThanOrEqual(60_000);
    expect(await newest(world)).toMatchObject({ stop: 'limit', code: 'rate_limited' });
  });

  test('validate: a missing, a misspelt and a mistyped argument', async () => {
    await using world = await openTestCheckpoint();
    const cases = [
      [{ content: 'x' }, 'path'],
      [{ path: 'a', content: 'x', overwite: true }, 'overwite'],
      [{ path: 'a', content: 'x', overwrite: 'yes' }, 'overwrite'],
      ['not an object', ''],
    ] as const;
    for (const [input, field] of cases) {
      const error = errorOf(await world.call('file_write', input));
      expect(error.code).toBe('invalid_parameter');
      expect(String(error.message)).toContain(field);
      expect(await newest(world)).toMatchObject({ stop: 'validate', code: 'invalid_parameter' });
    }
    expect(existsSync(join(world.root, 'a'))).toBe(false);
  });

  test('approve: a rule that denies, named in the record', async () => {
    await using world = await openTestCheckpoint({
      files: { 'secrets/key': 'old' },
      config: {
        rules: [
          { id: 'no-secrets', path: 'secrets/**', decision: 'deny', because: 'Secrets stay as they are.' },
        ],
      },
    });
    const reply = await world.call('file_write', { path: 'secrets/key', content: 'new', overwrite: true });
    const refusal =
      'file_write secrets/key: Secrets stay as they are. Denied by rule no-secrets (sekisho.jsonc:1).';
    expect(errorOf(reply)).toMatchObject({
      code: 'denied',
      message: refusal,
      suggestion: 'Find another way, or ask the operator about the rule.',
    });
    expect(await newest(world)).toMatchObject({
      stop: 'approve',
      code: 'denied',
      rule: 'no-secrets',
      facts: { refusal: expect.stringContaining(refusal) },
    });
    expect(readFileSync(join(world.root, 'secrets/key'), 'utf8')).toBe('old');
  });

  test('run: the tool itself, in its own words', async () => {
    await using world = await openTestCheckpoint();
    const error = errorOf(await world.call('file_read', { path: 'missing.txt' }));
    expect(error).toMatchObject({ code: 'not_found' });
    expect(String(error.message)).toContain('missing.txt');
    expect(await newest(world)).toMatchObject({ stop: 'run', code: 'not_found' });
  });
});

test('a call that succeeds is recorded with who, what and how long', async () => {
  await using world = await openTestCheckpoint({ files: { 'a.txt': 'hello\n' } });
  expect(outputOf(await world.call('file_read', { path: 'a.txt' })).content).toBe('hello\n');
  expect(await newest(world)).toMatchObject({
    stop: 'run',
    outcome: 'ok',
    principal: 'local',
    tool: 'file_read',
    arguments: { path: 'a.txt' },
    transport: 'stdio',
  });
});

test('a long content is recorded as its length and digest', async () => {
  await using world = await openTestCheckpoint();
  await world.call('file_write', { path: 'a.txt', content: 'x'.repeat(5000) });
  const entry = await newest(world);
  expect(JSON.stringify(entry?.arguments)).toMatch(/"content":"\[5000 characters, sha256 [0-9a-f]{16}…\]"/);
});

test('a cancelled call is not run', async () => {
  await using world = await openTestCheckpoint();
  const reply = await world.call(
    'file_write',
    { path: 'a.txt', content: 'x' },
    { signal: AbortSignal.abort() },
  );
  expect(errorOf(reply)).toMatchObject({ code: 'cancelled' });
  expect(existsSync(join(world.root, 'a.txt'))).toBe(false);
});

test('a token lets a call in, and one for other toolsets does not', async () => {
  await using world = await openTestCheckpoint({ files: { 'a.txt': 'x' } });
  const { tokens } = await world.checkpoint.store();
  const mine = await tokens.create({ user: 'alice' });
  const other = await tokens.create({ user: 'bob', toolsets: ['vault'] });
  const revoked = await tokens.create({ user: 'carol' });
  await tokens.revoke(revoked.record.id);

  const read = (bearer: string) => world.call('file_read', { path: 'a.txt' }, { arrival: remote(bearer) });
  expect(outputOf(await read(mine.token)).content).toBe('x');
  expect(errorOf(await read(other.token))).toMatchObject({ code: 'forbidden' });
  expect(errorOf(await read(revoked.token))).toMatchObject({ code: 'unauthenticated' });
});

test('what the list shows is what a call may do, in read-only mode too', async () => {
  await using world = await openTestCheckpoint({ flags: { mode: 'read-only' } });
  const { tools } = await world.checkpoint.gateway.list(local);
  expect(tools.map((tool) => tool.name)).not.toContain('file_write');
  expect(errorOf(await world.call('file_write', { path: 'a', content: '' }))).toMatchObject({
    code: 'forbidden',
  });
});

test('a record that cannot be written is told to whoever runs the server, and not acknowledged to the caller', async () => {
  const faults: string[] = [];
  const onFault = (error: unknown) => void faults.push(String(error));
  await using world = await openTestCheckpoint({ options: { onFault } });
  const written = { path: 'a.txt', content: 'a\n' };
  outputOf(await world.call('file_write', written));

  using database = new DatabaseSync(join(world.folder, 'state/sekisho.db'));
  database.exec("create trigger broken before insert on audit begin select raise(abort, 'broken'); end");
  const reply = await world.call('file_write', { ...written, path: 'b.txt' });
  database.exec('drop trigger broken');

  // It ran, and the reply says so.
  expect(errorOf(reply)).toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/was run, but its record could not be written/),
  });
  expect(faults).toEqual([expect.stringContaining('records cannot be reached')]);
});
