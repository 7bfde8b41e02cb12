import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ConfigFile } from '../../src/config/schema.ts';
import { openConsole } from '../console/console-world.ts';
import { createPushBrowser, openReceiver, type Received } from './receivers.ts';
import { createSoftwareKey } from './software-key.ts';

/** With SEKISHO_HAMMER=1, as many as a percentile needs; it prints the figures. */
const rounds = process.env.SEKISHO_HAMMER === '1' ? 100 : 1;
/** A channel sends at most once in this time: a question a round. */
const everyMs = 1000;

async function open(notify: NonNullable<ConfigFile['notify']>, environment = {}) {
  return openConsole({
    config: {
      rules: [{ tool: 'file_write', decision: 'ask', because: 'Writing is looked at.' }],
      notify: { everyMs, ...notify },
    },
    environment,
  });
}

/** Asks, has each notice answered as its person would, and says how long it took from the question to the running call. */
async function roundsOf(
  name: string,
  { send }: Awaited<ReturnType<typeof open>>,
  receiver: { nth(count: number): Promise<Received> },
  answer: (notice: Received) => Promise<Response>,
): Promise<void> {
  const tookMs: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const from = performance.now();
    const call = send('file_write', { path: `${name}-${round}.txt`, content: 'x' });
    expect((await answer(await receiver.nth(round))).status).toBe(200);
    expect(JSON.stringify(await call)).toContain('"success":true');
    tookMs.push(performance.now() - from);
    if (round < rounds) await sleep(everyMs);
  }
  if (rounds === 1) return;
  const [first = 0] = tookMs;
  tookMs.sort((a, b) => a - b);
  const at = (share: number) => Math.round(tookMs[Math.ceil(share * rounds) - 1] ?? 0);
  console.log(
    `${name}: ${rounds} rounds, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, the first ${Math.round(first)} ms`,
  );
}

test('web push: sealed for a device, opened by its link, signed there, and the call runs', async () => {
  const service = await openReceiver();
  const world = await open({ pushServices: [service.url] });
  const base = world.base;
  const [phone, key] = [createPushBrowser(service.url), createSoftwareKey(new URL(world.base).hostname)];
  const device = { label: 'Phone', person: 'console:ada', locale: 'en', createdAtMs: Date.now() } as const;
  await world.store.notices.addDevice({ ...device, ...phone.subscription });
  await world.store.passkeys.add(key.passkey, Date.now());
  const post = (path: string, fields: Record<string, string>) =>
    fetch(base + path, { method: 'POST', headers: { origin: base }, body: new URLSearchParams(fields) });

  await roundsOf('push', world, service, async ({ body }) => {
    const { link } = phone.decrypt(body) as { link: string };
    const page = await (await fetch(base + link)).text();
    const id = /apr_\w+/.exec(page)?.[0] ?? '';
    const options = await (await post(`${link}/unlock`, { id, answer: 'once' })).json();
    const assertion = key.sign((options as { challenge: string }).challenge, { origin: base });
    return post(link, { id, answer: 'once', assertion });
  });
}, 600_000);

test('ntfy: one press of a button, and the call runs', async () => {
  const ntfy = await openReceiver();
  const world = await open({ channels: { phone: { kind: 'ntfy', url: `${ntfy.url}/t`, actions: 'both' } } });
  await roundsOf('ntfy', world, ntfy, async ({ body }) => {
    const { actions } = JSON.parse(body.toString()) as { actions: { label: string; url: string }[] };
    return fetch(actions.find(({ label }) => label === 'Allow once')?.url ?? '', { method: 'POST' });
  });
}, 600_000);

test('Slack: one press that Slack signed, and the call runs', async () => {
  const slack = await openReceiver();
  const channel = { kind: 'slack' as const, url: `${slack.url}/x`, signingSecret: '${S}', people: ['U1'] };
  const world = await open({ channels: { room: { ...channel, actions: 'both' } } }, { S: 'shh' });
  await roundsOf('slack', world, slack, async (notice) => {
    const { blocks } = JSON.parse(notice.body.toString());
    const buttons = blocks.at(-1).elements as { action_id: string; value: string }[];
    const actions = buttons.filter(({ action_id }) => action_id === 'sekisho-allow');
    const payload = JSON.stringify({ type: 'block_actions', user: { id: 'U1' }, actions });
    const body = new URLSearchParams({ payload }).toString();
    const at = String(Math.floor(Date.now() / 1000));
    const signature = `v0=${createHmac('sha256', 'shh').update(`v0:${at}:${body}`).digest('hex')}`;
    return fetch(`${world.base}/notices/slack`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': at,
        'x-slack-signature': signature,
      },
      body,
    });
  });
}, 600_000);
