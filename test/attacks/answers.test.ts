import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { csrfIn, openConsole } from '../console/console-world.ts';
import { openReceiver } from '../notify/receivers.ts';
import { createSoftwareKey } from '../notify/software-key.ts';

const rounds = process.env.SEKISHO_HAMMER === '1' ? 40 : 3;

/** A server with one passkey, whose every question is attacked, and then answered by its owner. */
async function open() {
  const ntfy = await openReceiver();
  const world = await openConsole({
    config: {
      rules: [{ tool: 'file_write', decision: 'ask', because: 'Writing is looked at.' }],
      notify: {
        everyMs: 1000,
        channels: { phone: { kind: 'ntfy', url: `${ntfy.url}/t`, actions: 'both' } },
      },
    },
  });
  const base = world.base;
  const key = createSoftwareKey(new URL(world.base).hostname);
  await world.store.passkeys.add(key.passkey, Date.now());
  const { token: operator } = await world.store.tokens.create({ user: 'op', role: 'operator' });
  const operatorKey = createSoftwareKey(new URL(world.base).hostname);
  const [{ id: tokenId } = { id: '' }] = (await world.store.tokens.list()).filter(
    ({ user }) => user === 'op',
  );
  await world.store.passkeys.add({ ...operatorKey.passkey, tokenId, person: 'op' }, Date.now());
  return { ...world, base, key, operator, operatorKey, ntfy };
}

type Opened = Awaited<ReturnType<typeof open>>;

async function question({ store, send }: Opened, name: string) {
  const call = send('file_write', { path: name, content: 'x' });
  for (;;) {
    const record = (await store.approvals.list('pending', Date.now())).find(({ message }) =>
      message.en.includes(name),
    );
    if (record) return { record, call };
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('no answer is taken that is replayed, forged, late, doubled, stolen, from the agent or from another site', async () => {
  const world = await open();
  const { base, store, key } = world;
  const tokenSession = async (token: string) => (await world.enterByToken(token)).cookie;
  const agentCookie = await tokenSession(world.token);
  const operatorCookie = await tokenSession(world.operator);
  const linkCookie = await world.enter();
  let tries = 0;
  const accepted: string[] = [];

  for (let round = 0; round < rounds; round++) {
    const name = `target-${round}.txt`;
    const { record, call } = await question(world, name);
    const { record: other, call: otherCall } = await question(world, `other-${round}.txt`);
    const view = await store.notices.createLink({
      kind: 'view',
      channel: 'push',
      expiresAtMs: Date.now() + 60_000,
      questions: [record, other].map(({ id, digest }) => ({ id, digest })),
    });
    const path = `/q/${view}`;
    const post = (to: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      fetch(base + to, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams(fields),
        headers: { origin: base, ...headers },
      });
    const challenge = async (id: string, answer: string) => {
      const options = await (await post(`${path}/unlock`, { id, answer })).json();
      return (options as { challenge: string }).challenge;
    };
    const attempt = async (what: string, send: () => Promise<Response>) => {
      tries += 1;
      await send();
      if ((await store.approvals.get(record.id))?.status !== 'pending') accepted.push(`${round}: ${what}`);
    };
    const yes = { id: record.id, answer: 'once' };
    const sign = async (
      more: Partial<Parameters<typeof key.sign>[1]> = {},
      id = record.id,
      answer = 'once',
    ) => key.sign(await challenge(id, answer), { origin: base, ...more });

    // A link without its device.
    for (const answer of ['once', 'deny', 'session', 'always', '']) {
      await attempt(`link, ${answer}`, () => post(path, { id: record.id, answer }));
      await attempt(`link, empty, ${answer}`, () => post(path, { id: record.id, answer, assertion: '{}' }));
    }
    // Forged: another key, another place, no unlock, nobody there, another ceremony.
    const stranger = createSoftwareKey(new URL(world.base).hostname);
    const foreign = stranger.sign(await challenge(record.id, 'once'), { origin: base });
    await attempt('unknown key', () => post(path, { ...yes, assertion: foreign }));
    const renamed = JSON.stringify({ ...JSON.parse(foreign), id: key.passkey.id, rawId: key.passkey.id });
    await attempt('key under a known name', () => post(path, { ...yes, assertion: renamed }));
    for (const wrong of [
      { origin: 'https://evil.example' },
      { origin: `${base}.evil.example` },
      { origin: base.replace(/:\d+$/, ':1') },
      { rpId: 'evil.example' },
      { flags: 0x01 },
      { flags: 0x04 },
      { flags: 0x00 },
      { type: 'webauthn.create' },
    ]) {
      const assertion = await sign(wrong);
      await attempt(JSON.stringify(wrong), () => post(path, { ...yes, assertion }));
    }
    // A signature for something else.
    for (const [id, answer] of [
      [other.id, 'once'],
      [record.id, 'deny'],
      [other.id, 'deny'],
    ] as const) {
      const assertion = await sign({}, id, answer);
      await attempt(`signed for ${answer}`, () => post(path, { ...yes, assertion }));
    }
    const options = await (await post('/login/passkey/options', {})).json();
    const login = options as { challenge: string };
    const asLogin = key.sign(login.challenge, { origin: base });
    await attempt('signed for a login', () => post(path, { ...yes, assertion: asLogin }));
    const invented = key.sign(Buffer.alloc(64, round).toString('base64url'), { origin: base });
    await attempt('a challenge of nobody', () => post(path, { ...yes, assertion: invented }));
    // Late.
    const late = await sign();
    await (await store.engine()).write((tx) =>
      tx.updateTable('passkey_challenges').set({ expires_at_ms: 1 }).execute(),
    );
    await attempt('late', () => post(path, { ...yes, assertion: late }));
    // Another site, or none, with the right signature.
    for (const origin of ['https://evil.example', 'null', 'http://localhost:1']) {
      const assertion = await sign();
      await attempt(`from ${origin}`, () => post(path, { ...yes, assertion }, { origin }));
      await attempt(`cookie from ${origin}`, () =>
        post(`/approvals/${record.id}`, { answer: 'once' }, { origin, cookie: linkCookie }),
      );
    }
    await attempt('no proof of the form', () =>
      post(`/approvals/${record.id}`, { answer: 'once' }, { cookie: linkCookie }),
    );
    // The agent's own credentials, on every way in.
    const bearer = { authorization: `Bearer ${world.token}` };
    const csrf = csrfIn(await (await world.get('/approvals', agentCookie)).text());
    await attempt('bearer on the link', () => post(path, yes, bearer));
    await attempt('bearer on the queue', () => post(`/approvals/${record.id}`, yes, bearer));
    await attempt("the agent's login", () =>
      post(`/approvals/${record.id}`, { ...yes, csrf, from: '/' }, { cookie: agentCookie }),
    );
    // An operator's stolen cookie, once they have a passkey.
    const operatorCsrf = csrfIn(await (await world.get('/approvals', operatorCookie)).text());
    for (const answer of ['once', 'session', 'always']) {
      const fields = { answer, csrf: operatorCsrf, from: '/' };
      await attempt(`cookie, ${answer}`, () =>
        post(`/approvals/${record.id}`, fields, { cookie: operatorCookie }),
      );
      const assertion = await sign();
      await attempt(`cookie with another's device, ${answer}`, () =>
        post(`/approvals/${record.id}`, { ...fields, assertion }, { cookie: operatorCookie }),
      );
    }
    // Addresses of messages: they allow nothing any more, and only once at all.
    const allow = await store.notices.createLink({
      kind: 'approved',
      channel: 'phone',
      expiresAtMs: Date.now() + 60_000,
      questions: [{ id: record.id, digest: record.digest }],
    });
    await attempt('address that allows', () => post(`/notices/answer/${allow}`, {}));
    const wrongDigest = await store.notices.createLink({
      kind: 'declined',
      channel: 'phone',
      expiresAtMs: Date.now() + 60_000,
      questions: [{ id: record.id, digest: other.digest }],
    });
    await attempt('address for another digest', () => post(`/notices/answer/${wrongDigest}`, {}));
    await attempt('view as an answer', () => post(`/notices/answer/${view}`, {}));
    await attempt('Slack, unsigned', () => post('/notices/slack', { payload: '{}' }));

    // The owner: of two that are sent at once one is taken, and it is worth nothing afterwards.
    expect(existsSync(join(world.root, name))).toBe(false);
    const right = await sign();
    const both = await Promise.all([1, 2].map(() => post(path, { ...yes, assertion: right })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 403]);
    expect(JSON.stringify(await call)).toContain('"success":true');
    tries += 1;
    const again = await post(path, { ...yes, assertion: right });
    if (again.status !== 403) accepted.push('replayed');
    const no = await sign({}, other.id, 'deny');
    expect((await post(path, { id: other.id, answer: 'deny', assertion: no })).status).toBe(200);
    await otherCall;
    expect(existsSync(join(world.root, `other-${round}.txt`))).toBe(false);
  }
  expect(accepted).toEqual([]);
  expect(tries).toBeGreaterThanOrEqual(rounds * 40);
  if (rounds > 3) console.log(`${tries} tries, ${accepted.length} accepted`);
  const acts = await store.audit.search({ tool: 'sekisho approve', limit: 1000 });
  expect(acts.filter(({ outcome }) => outcome === 'ok')).toHaveLength(rounds * 2);
}, 600_000);

test('one unlock answers exactly the group that it was signed for', async () => {
  const world = await open();
  const { base, store, operatorKey } = world;
  const { cookie } = await world.enterByToken(world.operator);
  const questions = [];
  for (const name of ['a.txt', 'b.txt', 'c.txt']) questions.push(await question(world, name));
  const [a = '', b = '', c = ''] = questions.map(({ record }) => record.id);
  const csrf = csrfIn(await (await world.get('/approvals', cookie)).text());
  const post = (path: string, fields: Record<string, string>) =>
    fetch(base + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: base, cookie },
      body: new URLSearchParams({ csrf, from: '/approvals', answer: 'once', ...fields }),
    });
  const signed = async (ids: string, answer = 'once', key = operatorKey) => {
    const options = await (await post('/approvals/answer/unlock', { ids, answer })).json();
    return key.sign((options as { challenge: string }).challenge, { origin: base });
  };
  const both = `${a} ${b}`;
  for (const fields of [
    { ids: both },
    { ids: both, assertion: await signed(`${a} ${b} ${c}`) },
    { ids: both, assertion: await signed(a) },
    { ids: both, assertion: await signed(`${b} ${a}`) },
    { ids: both, assertion: await signed(both, 'deny') },
    { ids: both, assertion: await signed(both, 'once', world.key) },
    { ids: `${both} ${c}`, assertion: await signed(both) },
    { ids: '', assertion: await signed(both) },
    { ids: `${both} apr_none`, assertion: await signed(both) },
  ]) {
    expect((await post('/approvals/answer', fields)).status).toBe(403);
  }
  expect((await post('/approvals/answer/unlock', { ids: 'apr_none' })).status).toBe(404);
  expect(await store.approvals.list('pending', Date.now())).toHaveLength(3);
  expect((await post('/approvals/answer', { ids: both, assertion: await signed(both) })).status).toBe(303);
  expect(await store.approvals.list('pending', Date.now())).toMatchObject([{ id: c }]);
  expect((await post('/approvals/answer', { ids: c, answer: 'deny' })).status).toBe(303);
  await Promise.all(questions.map(({ call }) => call));
  expect(['a.txt', 'b.txt', 'c.txt'].map((name) => existsSync(join(world.root, name)))).toEqual([
    ...[true, true, false],
  ]);
});

test('no page of an answer is shown in a frame, and what a question says is no part of it', async () => {
  const world = await open();
  const { record, call } = await question(
    world,
    'x"><form action="/q/evil"><button name=answer value=once>.txt',
  );
  const view = await world.store.notices.createLink({
    kind: 'view',
    channel: 'push',
    expiresAtMs: Date.now() + 60_000,
    questions: [{ id: record.id, digest: record.digest }],
  });
  const response = await fetch(`${world.base}/q/${view}`);
  expect(response.headers.get('x-frame-options')).toBe('DENY');
  expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  const page = await response.text();
  // The question's, and the one that stops all work.
  expect(page.match(/<form/g)).toHaveLength(2);
  expect(page.match(/<button/g)).toHaveLength(3);
  expect(page).not.toContain('action="/q/evil"');
  const no = await world.store.approvals.decide(record.id, 'declined', 'cli:a', 'once', Date.now());
  expect(no).toBeDefined();
  await call;
});
