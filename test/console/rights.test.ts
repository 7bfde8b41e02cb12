import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { localTokenRole } from '../../src/contract/caller.ts';
import { type ConsoleWorld, csrfIn, openConsole } from './console-world.ts';

const config = {
  toolsets: ['agent-cli' as const, 'assistant' as const],
  rules: [{ tool: 'file_write', decision: 'ask' as const, because: 'Writing is looked at.' }],
};
const write = { path: 'made.txt', content: 'made' };

/** A call that waits for an answer, and its question. */
async function waiting(world: ConsoleWorld, bearer = world.token) {
  const reply = world.send('file_write', write, bearer);
  for (;;) {
    const [question] = await world.store.approvals.list('pending', Date.now());
    if (question) return { question, reply };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isMade(world: ConsoleWorld): boolean {
  return existsSync(join(world.root, 'made.txt'));
}

describe('an approval', () => {
  test('is answered by the operator, named in the log, and the call runs', async () => {
    const world = await openConsole({ config });
    const cookie = await world.enter();
    const { question, reply } = await waiting(world);
    const response = await world.submit(
      `/approvals/${question.id}`,
      cookie,
      { answer: 'once' },
      '/approvals',
    );
    expect(response.headers.get('location')).toBe('/approvals?note=approved');
    expect(JSON.stringify(await reply)).toContain('"success":true');
    expect(isMade(world)).toBe(true);

    const entries = await world.store.audit.search({ limit: 10 });
    expect(entries.find(({ tool }) => tool === 'file_write')?.approver).toMatch(/^console:/);
    expect(entries.find(({ tool }) => tool === 'sekisho approve')).toMatchObject({
      transport: 'console',
      outcome: 'ok',
      arguments: { id: question.id, decision: 'approved', scope: 'once' },
    });
    const again = await world.submit(`/approvals/${question.id}`, cookie, { answer: 'once' }, '/approvals');
    expect(again.headers.get('location')).toBe('/approvals?note=gone');
  });

  test.each([[undefined], [localTokenRole]])(
    'the holder of a token with the role %s sees its own questions and cannot answer them',
    async (role) => {
      const world = await openConsole({ config });
      const { token } = await world.store.tokens.create({ user: 'bob', role });
      const { cookie } = await world.enterByToken(token);
      const { question, reply } = await waiting(world, token);
      const page = await (await world.get('/approvals', cookie)).text();
      expect(page).toContain(question.id);
      expect(page).not.toContain('name="answer"');
      for (const answer of ['once', 'session', 'always', 'deny']) {
        const response = await world.submit(`/approvals/${question.id}`, cookie, { answer });
        expect(response.status).toBe(404);
      }
      expect((await world.store.approvals.get(question.id))?.status).toBe('pending');
      expect(isMade(world)).toBe(false);
      await world.store.approvals.decide(question.id, 'declined', 'test', 'once', Date.now());
      await reply;
    },
  );

  test('a token with the role of an operator cannot answer its own calls, and can answer those of others', async () => {
    const world = await openConsole({ config });
    const { token } = await world.store.tokens.create({ user: 'root-bot', role: 'admin' });
    const { cookie } = await world.enterByToken(token);
    const own = await waiting(world, token);
    const refused = await world.submit(`/approvals/${own.question.id}`, cookie, { answer: 'always' });
    expect(refused.headers.get('location')).toBe('/?note=own');
    expect((await world.store.approvals.get(own.question.id))?.status).toBe('pending');
    expect(isMade(world)).toBe(false);
    await world.store.approvals.decide(own.question.id, 'declined', 'test', 'once', Date.now());
    await own.reply;

    const other = await waiting(world);
    await world.submit(`/approvals/${other.question.id}`, cookie, { answer: 'once' });
    await other.reply;
    expect(isMade(world)).toBe(true);
  });

  test('an agent with its bearer token in the header is nobody here', async () => {
    const world = await openConsole({ config });
    const { question, reply } = await waiting(world);
    const response = await fetch(`${world.base}/approvals/${question.id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.token}`, origin: world.base },
      body: new URLSearchParams({ answer: 'once' }),
    });
    expect(response.status).toBe(401);
    await world.store.approvals.decide(question.id, 'declined', 'test', 'once', Date.now());
    expect(JSON.stringify(await reply)).toContain('denied');
  });

  test('reads how long a call waits, what came of the answer, and why a rule said no', async () => {
    const rules = [
      ...config.rules,
      { id: 'keys', path: 'keys/**', decision: 'deny', because: 'Keys stay.' } as const,
    ];
    const world = await openConsole({ config: { ...config, rules } });
    const cookie = await world.enter();
    const { question, reply } = await waiting(world);
    expect(await (await world.get('/approvals', cookie)).text()).toMatch(
      /the call stops waiting <time datetime=/,
    );
    const taken = await world.submit(`/approvals/${question.id}`, cookie, { answer: 'once' });
    expect(taken.headers.get('location')).toContain('note=approved');
    await reply;

    const left = await world.store.approvals.request(
      { ...question, principal: 'user:gone', createdAtMs: Date.now(), expiresAtMs: Date.now() + 60_000 },
      Date.now(),
    );
    const kept = await world.submit(`/approvals/${left.id}`, cookie, { answer: 'once' });
    expect(kept.headers.get('location')).toContain('note=kept');

    await world.send('file_write', { path: 'keys/a', content: 'x' });
    const [refused] = await world.store.audit.search({ limit: 1, newestFirst: true, tool: 'file_write' });
    const page = await (await world.get(`/calls/${refused?.seq}`, cookie)).text();
    expect(page).toContain(
      'keys: file_write keys/a: Keys stay. Denied by rule keys (sekisho.jsonc:1). Find another way',
    );
  });

  test('for always shows its exact rule first, stands, and is taken back', async () => {
    const world = await openConsole({ config });
    const cookie = await world.enter();
    const { question, reply } = await waiting(world);
    const page = await (await world.get('/approvals', cookie)).text();
    expect(page).toContain(String(question.grant).replaceAll('"', '&quot;'));
    await world.submit(`/approvals/${question.id}`, cookie, { answer: 'always' });
    await reply;
    const again = await world.send('file_write', { ...write, overwrite: true });
    expect(JSON.stringify(again)).toContain('"success":true');

    await world.submit(`/approvals/${question.id}/revoke`, cookie, {});
    expect(await world.store.approvals.grants(Date.now())).toEqual([]);
    const asked = await waiting(world);
    await world.store.approvals.decide(asked.question.id, 'declined', 'test', 'once', Date.now());
    await asked.reply;
  });
});

describe('a token that is no operator', () => {
  test('sees its own calls and memories, and nothing of others', async () => {
    const world = await openConsole({ config, files: { 'mine.txt': '1', 'theirs.txt': '2' } });
    const { cookie } = await world.enterByToken(world.token);
    await world.send('file_read', { path: 'mine.txt' });
    await world.call('file_read', { path: 'theirs.txt' });
    const { memory } = await world.store
      .memoriesFor('local')
      .remember({ content: 'a secret of the operator', category: 'x', tags: [] });
    await world.store.memoriesFor('user:ada').remember({ content: 'hers', category: 'x', tags: [] });
    for (const path of ['/', '/calls', '/calls?principal=local', '/calls?text=theirs']) {
      const page = await (await world.get(path, cookie)).text();
      expect(page).not.toContain('>theirs.txt<');
    }
    expect(await (await world.get('/calls', cookie)).text()).toContain('mine.txt');
    const entries = await world.store.audit.search({ limit: 10 });
    const theirs = entries.find(({ principal }) => principal === 'local');
    expect((await world.get(`/calls/${theirs?.seq}`, cookie)).status).toBe(404);

    expect(await (await world.get('/memories', cookie)).text()).toContain('hers');
    for (const path of ['/memories?owner=local', `/memories/local/${memory.id}`]) {
      expect((await world.get(path, cookie)).status).toBe(404);
    }
    for (const act of ['', '/forget']) {
      const response = await world.submit(`/memories/local/${memory.id}${act}`, cookie, { content: 'x' });
      expect(response.status).toBe(404);
    }
    expect(await world.store.memoryBrowser.get('local', memory.id)).toEqual(memory);
  });

  test.each(['/sessions', '/history', '/servers', '/policy', '/tasks/x', '/history/x'])(
    '%s is not for it',
    async (path) => {
      const world = await openConsole({ config });
      const { cookie } = await world.enterByToken(world.token);
      expect((await world.get(path, cookie)).status).toBe(403);
      const acted = await world.submit(path, cookie, { call: '{}' });
      expect(acted.status).toBe(403);
    },
  );

  test('one that covers other toolsets has no way to memories', async () => {
    const world = await openConsole({ config });
    const { token } = await world.store.tokens.create({ user: 'ada', toolsets: ['agent-cli'] });
    await world.store.memoriesFor('user:ada').remember({ content: 'hers', category: 'x', tags: [] });
    const { cookie } = await world.enterByToken(token);
    expect((await world.get('/memories', cookie)).status).toBe(404);
  });

  test('follows a stream of its own calls alone', async () => {
    const world = await openConsole({ config, files: { 'mine.txt': '1', 'theirs.txt': '2' } });
    const { cookie } = await world.enterByToken(world.token);
    const response = await world.get('/live', cookie);
    await world.call('file_read', { path: 'theirs.txt' });
    await world.send('file_read', { path: 'mine.txt' });
    let words = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      words += chunk;
      if (words.includes('mine.txt')) break;
    }
    expect(words).not.toContain('theirs.txt');
  });
});

describe('a form', () => {
  const acts = [
    '/approvals/x',
    '/approvals/x/revoke',
    '/history/x/undo',
    '/history/undo-call',
    '/memories/local/x/forget',
  ];

  test.each([...acts, '/memories/local/x', '/servers/x/approve', '/policy', '/calls/verify'])(
    '%s is refused without the proof of this session, or from another origin',
    async (path) => {
      const world = await openConsole({ config });
      const cookie = await world.enter();
      const csrf = csrfIn(await (await world.get('/', cookie)).text());
      const other = csrfIn(await (await world.get('/', await world.enter())).text());
      expect(csrf).toMatch(/^[\w-]{43}$/);
      expect(other).not.toBe(csrf);
      const send = (fields: Record<string, string>, headers: Record<string, string>) =>
        fetch(world.base + path, {
          method: 'POST',
          headers: { cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers },
          body: new URLSearchParams(fields),
          redirect: 'manual',
        });
      const statuses = [
        await send({}, { origin: world.base }),
        await send({ csrf: other }, { origin: world.base }),
        await send({ csrf }, {}),
        await send({ csrf }, { origin: 'http://evil.example' }),
        await send({ csrf }, { origin: 'http://127.0.0.1:1' }),
        await send({ csrf }, { origin: 'null' }),
        await send({ csrf }, { 'sec-fetch-site': 'same-site' }),
      ].map(({ status }) => status);
      expect(statuses).toEqual(Array(7).fill(403));
    },
  );

  test('leads back to a page of ours and nowhere else', async () => {
    const world = await openConsole({ config });
    const cookie = await world.enter();
    for (const from of ['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)']) {
      const response = await world.submit('/approvals/apr_none', cookie, { from, answer: 'once' });
      expect(response.headers.get('location')).toBe('/approvals?note=gone');
    }
  });

  test('that is too large is refused before it is read', async () => {
    const world = await openConsole({ config });
    const cookie = await world.enter();
    const response = await world
      .submit('/policy', cookie, { call: 'x'.repeat(2 * 1024 * 1024) })
      .catch(() => undefined);
    expect([413, undefined]).toContain(response?.status);
    expect((await world.get('/', cookie)).status).toBe(200);
  });
});
