import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import type { FormAnswer, Reply } from '../../src/contract/call.ts';
import { startPostgres } from '../store/postgres-server.ts';
import { needs } from '../support/needs.ts';
import { errorOf, outputOf } from '../support/open-test-checkpoint.ts';
import { habitual, wordsOf } from '../upstream/world.ts';
import { openTwoNodes, type TestNode } from './nodes.ts';

/** Every request of a client may come to another server than the one before. */
const postgres = await startPostgres();
const missing = 'missing' in postgres ? postgres.missing : undefined;
afterAll(async () => {
  if ('stop' in postgres) await postgres.stop();
});

function createDatabase(): Promise<string> {
  if (!('createDatabase' in postgres)) throw new Error('no PostgreSQL');
  return postgres.createDatabase();
}

async function recordsOf(node: TestNode, tool: string) {
  const { audit } = await node.world.checkpoint.store();
  await audit.flush();
  return (await audit.search({ limit: 100 })).filter((entry) => entry.tool === tool);
}

test(
  'files and commands of a session stay with the server that it began to work at, and each call is recorded once',
  needs(missing),
  async () => {
    const [first, second] = await openTwoNodes(await createDatabase());

    outputOf(await first.call('bash', { command: 'mkdir -p sub && cd sub && export COLOUR=blue' }));
    const there = outputOf(await second.call('bash', { command: 'echo "$COLOUR" > colour.txt; pwd' }));
    const read = await second.call('read_file', { path: 'sub/colour.txt' });

    expect(String(there.stdout ?? there.output)).toContain('sub');
    expect(JSON.stringify(read)).toContain('blue');
    expect(readFileSync(join(first.world.root, 'sub/colour.txt'), 'utf8')).toBe('blue\n');
    expect(existsSync(join(second.world.root, 'sub'))).toBe(false);
    await second.world.checkpoint.gateway.list({ transport: 'http' });
    expect(await recordsOf(first, 'bash')).toHaveLength(2);
  },
);

test(
  'what a command left running at one server is followed and ended from another',
  needs(missing),
  async () => {
    const [first, second] = await openTwoNodes(await createDatabase(), { http: { roots: 'shared' } });
    const begun = outputOf(
      await first.call('bash', { command: 'echo ready; sleep 600', background: true }),
    ) as { process_id: string };

    const followed = await second.call('bash_output', { process_id: begun.process_id, wait: 5 });
    const ended = await second.call('bash_kill', { process_id: begun.process_id });

    expect(JSON.stringify(followed)).toContain('ready');
    expect(ended.kind).toBe('output');
  },
);

test(
  'a question of a proxied server that waits at one server is answered at another, once, and runs once',
  needs(missing),
  async () => {
    const [first, second] = await openTwoNodes(await createDatabase(), {
      mcpServers: { fix: habitual('none', undefined, { roles: ['user:hana'] }) },
    });
    const carries = { canRetry: true, carriesForms: true };
    // A server says what it has when it has started.
    for (const { world } of [first, second]) {
      const names = async () =>
        (await world.checkpoint.gateway.list({ transport: 'cli' })).tools.map(({ name }) => name);
      await expect.poll(names).toContain('fix__echo');
    }
    const formAnswer: FormAnswer = { action: 'accept', content: { name: 'Hana' } };

    const asked = questionOf(await first.call('fix__echo', { text: 'ask' }, carries));
    const retry = { ...carries, formAnswer, questionState: asked.state };
    expect(wordsOf(await second.call('fix__echo', { text: 'ask' }, retry))).toBe(JSON.stringify(formAnswer));
    expect(errorOf(await second.call('fix__echo', { text: 'ask' }, retry)).code).toBe('conflict');
    expect(errorOf(await first.call('fix__echo', { text: 'ask' }, retry)).code).toBe('conflict');
    expect(wordsOf(await first.call('fix__echo', { text: 'runs' }))).toBe('1');
    expect(wordsOf(await second.call('fix__echo', { text: 'runs' }))).toBe('0');
  },
);

test('where a server is lost, the session goes on at another', needs(missing), async () => {
  const [first, second] = await openTwoNodes(await createDatabase());
  outputOf(await first.call('write_file', { path: 'a.txt', content: 'a\n' }));
  await first.fallSilent();

  outputOf(await second.call('write_file', { path: 'b.txt', content: 'b\n' }));

  expect(existsSync(join(second.world.root, 'b.txt'))).toBe(true);
});

test(
  'a server that goes away while another waits for it is told, and nothing readable lies in the database',
  needs(missing),
  async () => {
    const [first, second] = await openTwoNodes(await createDatabase());
    outputOf(await first.call('bash', { command: 'true' }));
    const waiting = second.call('bash', { command: 'echo top-secret; sleep 600' });
    const { engine } = await second.world.checkpoint.store();
    const { db } = await engine();
    const words = () => sql<{ body: string }>`select body from relay_words`.execute(db);
    await expect.poll(async () => (await words()).rows.length).toBe(1);
    const [word] = (await words()).rows;
    await first.fallSilent();

    expect(errorOf(await waiting)).toMatchObject({ code: 'unavailable' });
    expect(Buffer.from(word?.body ?? '', 'base64').toString('latin1')).not.toContain('top-secret');
    expect((await words()).rows).toEqual([]);
  },
);

test(
  'what one server changed is taken back at another that has the folder, which nobody else needs to know the content for',
  needs(missing),
  async () => {
    const [first, second] = await openTwoNodes(
      await createDatabase(),
      { http: { roots: 'shared' } },
      { sharesRoot: true },
    );
    const large = 'x'.repeat(3 * 1024 * 1024);
    outputOf(await first.call('file_write', { path: 'a.txt', content: large }));
    outputOf(await first.call('file_write', { path: 'a.txt', content: 'short', overwrite: true }));
    outputOf(await first.call('file_write', { path: 'empty.txt', content: '' }));
    outputOf(await first.call('file_write', { path: 'empty.txt', content: 'full', overwrite: true }));

    const steps = await undoAll(second);

    expect(steps.map(({ outcome }) => outcome)).toEqual(['undone', 'undone']);
    expect(JSON.stringify(steps)).not.toContain('Undo it at');
    expect(readFileSync(join(first.world.root, 'a.txt'), 'utf8')).toBe(large);
    expect(readFileSync(join(first.world.root, 'empty.txt'), 'utf8')).toBe('');
  },
);

test(
  'where the folder is another machine’s, undo says whose, and changes nothing',
  needs(missing),
  async () => {
    const [first, second] = await openTwoNodes(await createDatabase());
    outputOf(await first.call('file_write', { path: 'a.txt', content: 'one' }));
    outputOf(await first.call('file_write', { path: 'a.txt', content: 'two', overwrite: true }));

    const [step] = await undoAll(second);

    expect(step).toMatchObject({
      outcome: 'conflict',
      because: { en: expect.stringContaining('is not served here. Undo it at here (127.0.0.1:7040).') },
    });
    expect(readFileSync(join(first.world.root, 'a.txt'), 'utf8')).toBe('two');
  },
);

/** Takes back, at this server, what replaced a file. */
async function undoAll(node: TestNode) {
  const { history, folders } = await node.world.checkpoint.history();
  const { history: store } = await node.world.checkpoint.store();
  const replaced = (await store.list({ limit: 10 })).filter(({ action }) => action === 'replace');
  const who = { principal: 'local', sessionId: '', tool: 'undo', auditId: '' };
  const steps = [];
  for (const { id } of replaced) steps.push(...(await history.undo({ id }, { folders, who, force: false })));
  return steps;
}

test('a word that none of the servers sealed is not carried out', needs(missing), async () => {
  const [first, second] = await openTwoNodes(await createDatabase());
  outputOf(await first.call('bash', { command: 'true' }));
  const { relay, engine } = await second.world.checkpoint.store();
  const { db } = await engine();
  const { rows } = await sql<{ name: string; node: string }>`select name, node from relay_keys`.execute(db);
  const forged = Buffer.from(JSON.stringify({ tool: 'bash', input: { command: 'touch forged' } }));
  await sql`insert into relay_words (id, node, name, body, at_ms)
    values ('wrd_x', ${rows[0]?.node}, ${rows[0]?.name}, ${forged.toString('base64')}, 0)`.execute(db);
  // One that is sealed comes through behind it.
  expect(
    await relay.ask(rows[0]?.name ?? '', 'not a call', AbortSignal.timeout(300)).catch(() => 'none'),
  ).toBe('none');

  expect(existsSync(join(first.world.root, 'forged'))).toBe(false);
});

test(
  'a word is answered once, and waited for by others although its holder has let go of it',
  needs(missing),
  async () => {
    const [first, second] = await openTwoNodes(await createDatabase());
    const [here, there] = await Promise.all([first, second].map(({ world }) => world.checkpoint.store()));
    if (!here || !there) throw new Error('no stores');
    const engine = await there.engine();
    const seen = new Map<string, number>();
    const finish = Promise.withResolvers<void>();
    const letGo = await here.relay.hold('form-x', async (body) => {
      seen.set(body, (seen.get(body) ?? 0) + 1);
      letGo?.();
      if (body === 'last') await finish.promise;
      return body;
    });
    const letKeep = await here.relay.hold('kept', async (body) => {
      seen.set(body, (seen.get(body) ?? 0) + 1);
      return body;
    });

    // Each of them wakes the holder, while the others are on their way.
    const many = Array.from({ length: 200 }, (_, n) => `${n}`);
    const asked = many.map((body) => there.relay.ask('kept', body, new AbortController().signal));
    expect(await Promise.all(asked)).toEqual(many);
    const last = there.relay.ask('form-x', 'last', new AbortController().signal);
    await expect.poll(() => seen.get('last')).toBe(1);
    for (let looks = 0; looks < 3; looks += 1) {
      const woken = engine.changes.next('relay', 10_000);
      (await here.engine()).changes.tell('relay');
      await woken;
      await there.relay.ask('kept', `look ${looks}`, new AbortController().signal);
    }
    finish.resolve();

    expect(await last).toBe('last');
    expect([...seen.values()].filter((times) => times !== 1)).toEqual([]);
    letKeep?.();
    const { db } = engine;
    const keys = () => sql`select name from relay_keys where name in ('form-x', 'kept')`.execute(db);
    await expect.poll(async () => (await keys()).rows).toEqual([]);
  },
);

function questionOf(reply: Reply) {
  if (reply.kind !== 'question') throw new Error(`expected a question, got ${JSON.stringify(reply)}`);
  return reply.question;
}
