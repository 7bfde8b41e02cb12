import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ConfigFile } from '../../src/config/schema.ts';
import { openConsole } from '../console/console-world.ts';
import { openReceiver } from './receivers.ts';

async function open(
  notify: NonNullable<ConfigFile['notify']>,
  environment = {},
  { rule = {}, ...more }: { readonly rule?: object; readonly approval?: ConfigFile['approval'] } = {},
) {
  const config = {
    rules: [{ tool: 'file_write', decision: 'ask' as const, because: 'Writing is looked at.', ...rule }],
    notify,
    ...more,
  };
  return openConsole({ config, environment });
}

async function actionsOf(message: { readonly body: Buffer }): Promise<Record<string, string>> {
  const { actions } = JSON.parse(message.body.toString());
  return Object.fromEntries(actions.map((each: { label: string; url: string }) => [each.label, each.url]));
}

const passkey = {
  id: 'c1',
  person: 'ada',
  tokenId: undefined,
  host: 'localhost',
  label: 'Phone',
  publicKey: 'AA',
  counter: 0,
  transports: [],
};

test('a button of ntfy denies once, by POST alone, and the log has who by', async () => {
  const ntfy = await openReceiver();
  const world = await open({ channels: { phone: { kind: 'ntfy', url: `${ntfy.url}/t` } } });
  const call = world.send('file_write', { path: 'a.txt', content: 'a' });
  const { Deny: deny = '', ...others } = await actionsOf(await ntfy.nth(1));
  expect(Object.keys(others)).toEqual(['View']);
  expect((await fetch(deny)).status).toBe(401);
  expect((await fetch(deny, { method: 'POST' })).status).toBe(200);
  expect(JSON.stringify(await call)).toContain('"denied"');
  expect((await fetch(deny, { method: 'POST' })).status).toBe(410);
  expect(await world.store.audit.search({ tool: 'sekisho approve', limit: 5 })).toMatchObject([
    { principal: 'notice:phone', transport: 'notice', outcome: 'ok' },
  ]);
});

test('an address allows only where the operator said so, and no more once somebody has a passkey', async () => {
  const ntfy = await openReceiver();
  const world = await open({
    everyMs: 1000,
    channels: { phone: { kind: 'ntfy', url: `${ntfy.url}/t`, actions: 'both' } },
  });
  const call = world.send('file_write', { path: 'a.txt', content: 'a' });
  const first = await actionsOf(await ntfy.nth(1));
  expect((await fetch(first['Allow once'] ?? '', { method: 'POST' })).status).toBe(200);
  expect(JSON.stringify(await call)).toContain('"success":true');
  // The other half of the pair has nothing left to answer.
  expect((await fetch(first.Deny ?? '', { method: 'POST' })).status).toBe(410);

  const later = world.send('file_write', { path: 'b.txt', content: 'b' });
  const second = await actionsOf(await ntfy.nth(2));
  await world.store.passkeys.add(passkey, Date.now());
  expect((await fetch(second['Allow once'] ?? '', { method: 'POST' })).status).toBe(410);
  expect(existsSync(join(world.root, 'b.txt'))).toBe(false);
  expect((await fetch(second.Deny ?? '', { method: 'POST' })).status).toBe(200);
  await later;

  const last = world.send('file_write', { path: 'c.txt', content: 'c' });
  expect(Object.keys(await actionsOf(await ntfy.nth(3)))).toEqual(['View', 'Deny']);
  await fetch((await actionsOf(await ntfy.nth(3))).Deny ?? '', { method: 'POST' });
  await last;
});

/** A call that waits, its message in Slack, and a way to press a button of it. */
async function openSlack(more: Parameters<typeof open>[2] = {}) {
  const slack = await openReceiver();
  const channel = { kind: 'slack' as const, url: `${slack.url}/x`, signingSecret: '${S}', people: ['U1'] };
  const world = await open({ channels: { room: { ...channel, actions: 'both' } } }, { S: 'shh' }, more);
  const call = world.send('file_write', { path: 'a.txt', content: 'a' });
  const { blocks } = JSON.parse((await slack.nth(1)).body.toString());
  const buttons = blocks.at(-1).elements as { action_id: string; value?: string }[];
  const secretOf = (name: string) => buttons.find(({ action_id }) => action_id === `sekisho-${name}`)?.value;
  const told = async (count: number) => JSON.parse((await slack.nth(count)).body.toString());
  const press = (
    user: string,
    action: object,
    { secret = 'shh', ageS = 0, replyTo = `${slack.url}/reply` } = {},
  ) => {
    const payload = JSON.stringify({
      type: 'block_actions',
      user: { id: user },
      actions: [action],
      response_url: replyTo,
      message: { blocks },
    });
    const body = new URLSearchParams({ payload }).toString();
    const seconds = String(Math.floor(Date.now() / 1000) - ageS);
    const signature = `v0=${createHmac('sha256', secret).update(`v0:${seconds}:${body}`).digest('hex')}`;
    return fetch(`${world.base}/notices/slack`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': seconds,
        'x-slack-signature': signature,
      },
      body,
    });
  };
  return { slack, world, call, blocks, buttons, secretOf, told, press };
}

test('a press in Slack counts where Slack signed it, lately, for somebody who is named', async () => {
  const { slack, world, call, blocks, secretOf, told, press } = await openSlack();
  const allow = { value: secretOf('allow') };
  const elsewhere = await openReceiver();
  expect((await press('U1', allow, { secret: 'other' })).status).toBe(401);
  expect((await press('U1', allow, { ageS: 3600 })).status).toBe(401);
  expect((await press('U2', allow)).status).toBe(403);
  expect(await told(2)).toEqual({
    response_type: 'ephemeral',
    replace_original: false,
    text: 'You are not among those who may answer here. Nothing was changed.',
  });
  // What Slack did not give is sent nothing.
  expect((await press('U2', allow, { replyTo: `${elsewhere.url}/reply` })).status).toBe(403);
  // The address form of the same secret is no way round the signature.
  expect((await fetch(`${world.base}/notices/answer/${allow.value}`, { method: 'POST' })).status).toBe(410);
  expect(existsSync(join(world.root, 'a.txt'))).toBe(false);
  expect((await press('U1', allow)).status).toBe(200);
  expect(JSON.stringify(await call)).toContain('"success":true');
  const said = (words: string) => ({ type: 'section', text: { type: 'plain_text', text: words } });
  expect(await told(3)).toEqual({
    replace_original: true,
    text: 'Allowed.',
    blocks: [...blocks.slice(0, -1), said('Allowed.')],
  });
  const tooLate = 'Too late: this question has been answered or is over. This press changed nothing.';
  for (const [count, name] of [
    [4, 'deny'],
    [5, 'deny'],
    [6, 'allow'],
  ] as const) {
    expect((await press('U1', { value: secretOf(name) })).status).toBe(200);
    expect(await told(count)).toMatchObject({ replace_original: true, text: tooLate });
  }
  expect((await press('U9', allow)).status).toBe(403);
  expect(elsewhere.received).toEqual([]);
  expect(slack.received.length).toBe(6);
  expect(await world.store.audit.search({ tool: 'sekisho approve', limit: 5 })).toMatchObject([
    { principal: 'slack:U1', outcome: 'ok' },
    { principal: 'slack:U1', outcome: 'error' },
  ]);
});

test.each([
  ['U1', { type: 'button', action_id: 'sekisho-look', url: 'http://127.0.0.1/q/x' }],
  ['U2', { type: 'button', action_id: 'sekisho-look', url: 'http://127.0.0.1/q/x' }],
  ['U1', { type: 'button', action_id: 'another-app', value: '' }],
])('what %s presses in Slack that answers nothing leaves the message as it is', async (user, action) => {
  const { slack, call, secretOf, press } = await openSlack();
  expect((await press(user, action)).status).toBe(200);
  expect((await press('U1', { value: secretOf('deny') })).status).toBe(200);
  expect(JSON.stringify(await call)).toContain('"denied"');
  // The question, and the answer: nothing was said of the first press.
  expect(JSON.parse((await slack.nth(2)).body.toString()).text).toBe('Denied.');
});

test('a question for the console alone has no buttons that would be refused', async () => {
  const { world, call, buttons } = await openSlack({ rule: { answer: 'person' } });
  expect(buttons.map(({ action_id }) => action_id)).toEqual(['sekisho-look']);
  const [record] = await world.store.approvals.list('pending', Date.now());
  await world.store.approvals.decide(record?.id ?? '', 'declined', 'test', 'once', Date.now());
  expect(JSON.stringify(await call)).toContain('"denied"');
});

test('an answer that no call waits for any more says so', async () => {
  const { world, call, secretOf, told, press } = await openSlack({ approval: { waitMs: 1 } });
  await call;
  expect((await press('U1', { value: secretOf('allow') })).status).toBe(200);
  expect((await told(2)).text).toBe(
    'Allowed. No call waits for it any more; it holds for when the same call is sent again.',
  );
  expect(await world.send('file_write', { path: 'a.txt', content: 'a' })).toMatchObject({
    result: { structuredContent: { success: true } },
  });
});
