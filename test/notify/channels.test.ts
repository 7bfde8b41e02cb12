import { createHmac } from 'node:crypto';
import { SMTPServer } from 'smtp-server';
import { expect, onTestFinished, test } from 'vitest';
import type { ConfigFile } from '../../src/config/schema.ts';
import { openTestCheckpoint } from '../support/open-test-checkpoint.ts';
import { createPushBrowser, isVapidSigned, openReceiver } from './receivers.ts';

type Notify = NonNullable<ConfigFile['notify']>;

const ask = [{ tool: 'file_write', decision: 'ask' as const, because: 'Writing is looked at.' }];
const secretCall = {
  path: 'plans/secret-plan.txt',
  content: 'token=ghp_0123456789abcdefghijABCDEFGHIJ456789',
};

async function open(notify: Notify, environment: Readonly<Record<string, string>> = {}) {
  const world = await openTestCheckpoint({
    config: { rules: ask, notify, http: { publicUrl: 'https://sekisho.example.com' } },
    environment,
  });
  onTestFinished(world.close);
  const store = await world.checkpoint.store();
  const giveUp = new AbortController();
  onTestFinished(() => giveUp.abort());
  return {
    ...world,
    store,
    /** A call that waits until somebody answers. */
    ask: (input: object = secretCall) =>
      world.call('file_write', input, { signal: giveUp.signal }).catch((error: unknown) => error),
    async settled() {
      for (;;) {
        const list = await store.notices.list(50);
        if (list.length > 0 && list.every(({ status }) => status !== 'waiting')) return list;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

function bodyOf({ body }: { readonly body: Buffer }) {
  return JSON.parse(body.toString('utf8'));
}

test('ntfy gets a message with a link and a button that says no, and its token', async () => {
  const ntfy = await openReceiver();
  const world = await open(
    { channels: { phone: { kind: 'ntfy', url: `${ntfy.url}/topic-1`, token: '${NTFY_TOKEN}' } } },
    { NTFY_TOKEN: 'tk_of_this_test' },
  );
  void world.ask();
  const message = await ntfy.nth(1);
  expect(message.path).toBe('/');
  expect(message.headers.authorization).toBe('Bearer tk_of_this_test');
  const body = bodyOf(message);
  expect(body).toMatchObject({
    topic: 'topic-1',
    title: 'file_write waits for your answer',
    click: 'https://sekisho.example.com/approvals',
    actions: [
      { action: 'view', url: 'https://sekisho.example.com/approvals' },
      { action: 'http', method: 'POST', label: 'Deny', clear: true },
    ],
  });
  expect(body.actions[1].url).toMatch(/^https:\/\/sekisho\.example\.com\/notices\/answer\/[\w-]{43}$/);
  expect(await world.settled()).toMatchObject([
    { channel: 'phone', kind: 'question', status: 'sent', attempts: 1 },
  ]);
});

test.each([
  ['none', /^(?!.*(plan|file_write|local|rules)).*$/s],
  ['summary', /^(?=.*file_write)(?!.*secret-plan).*$/s],
  ['full', /secret-plan/],
] as const)(
  'with detail %s a notice says no more than that, and never a credential',
  async (detail, says) => {
    const hook = await openReceiver();
    const world = await open({ detail, channels: { hook: { kind: 'webhook', url: `${hook.url}/in` } } });
    void world.ask();
    const { title, body, questions, ...rest } = bodyOf(await hook.nth(1));
    expect(JSON.stringify([title, body, questions])).toMatch(says);
    expect(JSON.stringify([title, body, questions, rest])).not.toContain('ghp_0123456789');
    expect(rest).toMatchObject({ type: 'question', link: 'https://sekisho.example.com/approvals' });
  },
);

test('a webhook is signed as Standard Webhooks say, over its very bytes', async () => {
  const key = Buffer.from('a key of thirty-two bytes, 256 b');
  const hook = await openReceiver();
  const world = await open(
    { channels: { hook: { kind: 'webhook', url: `${hook.url}/in`, secret: '${HOOK}' } } },
    { HOOK: `whsec_${key.toString('base64')}` },
  );
  void world.ask();
  const { headers, body } = await hook.nth(1);
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body.toString()}`;
  expect(headers['webhook-signature']).toBe(
    `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
  );
});

test('Slack and Telegram get their forms, in which nothing of a caller is markup', async () => {
  const slack = await openReceiver();
  const telegram = await openReceiver();
  const world = await open({
    detail: 'full',
    channels: {
      room: { kind: 'slack', url: `${slack.url}/services/T/B/x` },
      bot: { kind: 'telegram', url: telegram.url, token: '123:abc', chat: 42 },
    },
  });
  void world.ask({ path: 'a.txt', content: '<!channel> *bold* <https://evil.example|click>' });
  const room = bodyOf(await slack.nth(1));
  expect(room.blocks.slice(0, 2).map((block: { text: { type: string } }) => block.text.type)).toEqual([
    'plain_text',
    'plain_text',
  ]);
  expect(room.blocks[2].elements).toMatchObject([{ url: 'https://sekisho.example.com/approvals' }]);
  const message = await telegram.nth(1);
  expect(message.path).toBe('/bot123:abc/sendMessage');
  expect(bodyOf(message)).toMatchObject({
    chat_id: '42',
    reply_markup: { inline_keyboard: [[{ url: 'https://sekisho.example.com/approvals' }]] },
  });
  expect(bodyOf(message)).not.toHaveProperty('parse_mode');
});

test('a mail goes through a real SMTP server with its login, as text that says that a program wrote it', async () => {
  const mails: string[] = [];
  const logins: unknown[] = [];
  const server = new SMTPServer({
    authOptional: false,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) => {
      logins.push([username, password]);
      done(null, { user: username ?? '' });
    },
    onData(stream, _session, done) {
      let mail = '';
      stream.on('data', (chunk) => {
        mail += chunk;
      });
      stream.on('end', () => {
        mails.push(mail);
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as { port: number };
  const world = await open(
    {
      channels: {
        mail: {
          kind: 'email',
          smtp: `smtp://ada@127.0.0.1:${port}`,
          password: '${SMTP_PASSWORD}',
          from: 'sekisho@example.com',
          to: ['ada@example.com'],
        },
      },
    },
    { SMTP_PASSWORD: 'pass word' },
  );
  void world.ask();
  expect(await world.settled()).toMatchObject([{ channel: 'mail', status: 'sent' }]);
  expect(logins).toEqual([['ada', 'pass word']]);
  expect(mails[0]).toMatch(/^Subject: file_write waits for your answer\r?$/m);
  expect(mails[0]).toMatch(/^Auto-Submitted: auto-generated\r?$/im);
  expect(mails[0]).toContain('https://sekisho.example.com/approvals');
});

test('web push reaches a device that alone can read it, signed by our key; a device that is gone is forgotten', async () => {
  const service = await openReceiver(201, 410, 201);
  const world = await open({ pushServices: [service.url], everyMs: 1000 });
  const phone = createPushBrowser(service.url);
  const lost = createPushBrowser(service.url);
  const device = { label: 'Phone', person: 'console:ada', locale: 'ja', createdAtMs: Date.now() };
  await world.store.notices.addDevice({ ...device, ...phone.subscription });
  void world.ask();
  const first = await service.nth(1);
  expect(isVapidSigned(first, await world.checkpoint.notices.publicKey(), service.url)).toBe(true);
  expect(first.headers).toMatchObject({ 'content-encoding': 'aes128gcm', urgency: 'high' });
  expect(first.body.toString('latin1')).not.toContain('file_write');
  expect(phone.decrypt(first.body)).toMatchObject({
    title: 'file_write が回答を待っています',
    link: expect.stringMatching(/^\/q\/[\w-]{43}$/),
  });
  expect(() => lost.decrypt(first.body)).toThrow();

  await world.store.notices.addDevice({ ...device, ...lost.subscription });
  await world.store.notices.removeDevice((await world.store.notices.devices())[0]?.id ?? '');
  await world.checkpoint.notices.test('push');
  expect(await world.store.notices.devices()).toEqual([]);
});

test('a device that names an address inside, or a look-alike of a push service, is sent nothing', async () => {
  const inside = await openReceiver();
  const world = await open({});
  const { keys } = createPushBrowser('').subscription;
  for (const endpoint of [
    `${inside.url}/push`,
    'http://fcm.googleapis.com/x',
    'https://fcm.googleapis.com.evil.example/x',
    'https://fcm.googleapis.com:8443/x',
    'https://user@fcm.googleapis.com/x',
    'https://evilnotify.windows.com/x',
  ]) {
    await world.store.notices.addDevice({
      label: 'x',
      person: 'p',
      locale: 'en',
      createdAtMs: 1,
      endpoint,
      keys,
    });
    const tried = await world.checkpoint.notices.test('push');
    expect(tried?.problem?.en, endpoint).toBe('A device’s address is not a push service.');
    for (const { id } of await world.store.notices.devices()) await world.store.notices.removeDevice(id);
  }
  expect(inside.received).toEqual([]);
});

test('what a server turned away is tried again, and shown; its last word is not argued with', async () => {
  const busy = await openReceiver(503, 429);
  const strict = await openReceiver(403);
  const world = await open({
    channels: {
      busy: { kind: 'webhook', url: `${busy.url}/token-in-the-path` },
      strict: { kind: 'webhook', url: `${strict.url}/in` },
    },
  });
  void world.ask();
  await busy.nth(3);
  const list = await world.settled();
  expect(list.find(({ channel }) => channel === 'busy')).toMatchObject({ status: 'sent', attempts: 3 });
  expect(list.find(({ channel }) => channel === 'strict')).toMatchObject({
    status: 'failed',
    attempts: 1,
    problem: { en: 'The server answered 403.' },
  });
  expect(JSON.stringify(list)).not.toContain('token-in-the-path');
  expect(new Set(busy.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});
