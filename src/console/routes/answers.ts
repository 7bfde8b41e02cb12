import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Hono } from 'hono';
import type { Channel, NoticeLink } from '../../contract/people/notice.ts';
import type { Answered } from '../../contract/people/operator.ts';
import type { Person } from '../../contract/people/person.ts';
import { type Text, text } from '../../contract/text/text.ts';
import { orElse } from '../../ground/or-else.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import type { PageContext } from '../pages/page-context.ts';

export const slackPath = '/notices/slack';

/**
 * Answers from within a message: by a one-time address (ntfy), or by a button whose press Slack signs. They need no
 * login, and can be trusted no more than the channel: unless the operator says otherwise, they only say no; and an
 * address alone never approves if a passkey is registered.
 */
export function addAnswersFromNotices(app: Hono<PageContext>, dependencies: ConsoleDependencies): void {
  // A POST, so that a program that fetches the address for a preview does not answer.
  app.post('/notices/answer/:secret', async (context) => {
    const secret = context.req.param('secret');
    const link = await (await dependencies.notices()).findLink(secret, dependencies.now());
    const channel = dependencies.notify.channels.find(({ name }) => name === link?.channel);
    if (!link || channel?.kind !== 'ntfy' || !(await mayAnswer(link, channel, dependencies)))
      return context.text('gone', 410);
    const answered = await answer(secret, { name: `notice:${channel.name}`, ...behind }, dependencies);
    return answered ? context.text(link.kind) : context.text('gone', 410);
  });

  app.post(slackPath, async (context) => {
    const request = context.req.raw;
    const body = await request.text();
    const signed = dependencies.notify.channels.filter(
      (each) => each.kind === 'slack' && isSigned(request, body, each.signingSecret, dependencies.now()),
    );
    if (signed.length === 0) return context.text('not signed', 401);
    const press = pressOf(body);
    // Slack also reports the button that opens the console, and those of other messages: no answer, so nothing to say.
    if (press.secret === '') return context.body(null, 200);
    const link = await (await dependencies.notices()).findLink(press.secret, dependencies.now());
    const channel = signed.find(({ name, ...each }) =>
      link ? name === link.channel : each.kind === 'slack' && each.people.includes(press.user),
    );
    if (channel?.kind !== 'slack') return context.text('', 403);
    const tell = (message: Text, isOver: boolean) =>
      tellSlack(channel.url, press, message[dependencies.locale], isOver, dependencies);
    if (!channel.people.includes(press.user)) {
      tell(notNamed, false);
      return context.text('', 403);
    }
    if (!link) tell(tooLate, true);
    else if (!(await mayAnswer(link, channel, dependencies))) tell(notFromHere, false);
    else {
      const answered = await answer(press.secret, { name: `slack:${press.user}`, ...behind }, dependencies);
      tell(answered ? answeredAs(answered) : tooLate, true);
    }
    // Slack shows an error of its own for any other status, and never shows the reply's text.
    return context.body(null, 200);
  });
}

/** The answers that the operator permits this channel, checked again: the file may have changed since it was sent. */
async function mayAnswer(
  { kind }: NoticeLink,
  channel: Extract<Channel, { kind: 'ntfy' | 'slack' }>,
  dependencies: ConsoleDependencies,
): Promise<boolean> {
  if (kind === 'declined') return channel.actions !== 'none';
  if (kind !== 'approved' || channel.actions !== 'both') return false;
  return (await (await dependencies.passkeys()).list()).length === 0;
}

/** Uses the link up, whatever the result. */
async function answer(secret: string, person: Person, dependencies: ConsoleDependencies) {
  const link = await (await dependencies.notices()).takeLink(secret, dependencies.now());
  const [bound] = link?.questions ?? [];
  if (!link || !bound || link.kind === 'view') return undefined;
  const record = await (await dependencies.approvals()).get(bound.id);
  if (record?.digest !== bound.digest) return undefined;
  const acts = (await dependencies.operator()).as(person);
  const answered = await acts.answer(bound.id, { decision: link.kind, scope: 'once' });
  return answered.outcome === 'answered' ? answered : undefined;
}

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
function isSigned(request: Request, body: string, secret: string | undefined, nowMs: number): boolean {
  const seconds = request.headers.get('x-slack-request-timestamp') ?? '';
  if (secret === undefined || !/^\d{1,12}$/.test(seconds)) return false;
  if (Math.abs(nowMs - Number(seconds) * 1000) > freshMs) return false;
  const expected = Buffer.from(
    `v0=${createHmac('sha256', secret).update(`v0:${seconds}:${body}`).digest('hex')}`,
  );
  const given = Buffer.from(request.headers.get('x-slack-signature') ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

interface Press {
  readonly user: string;
  readonly secret: string;
  /** The address to which Slack takes the replies. */
  readonly replyTo: string;
  /** The message without its buttons. */
  readonly blocks: readonly unknown[];
}

/** Reads who pressed what from a payload that Slack signed; its contents are still untrusted. */
function pressOf(body: string): Press {
  const { user, actions, response_url, message } = orElse(
    () => Object(JSON.parse(new URLSearchParams(body).get('payload') ?? '')),
    {},
  );
  const [action] = Array.isArray(actions) ? actions : [];
  const { blocks } = Object(message) as Readonly<Record<string, unknown>>;
  return {
    user: String(Object(user).id ?? ''),
    secret: String(Object(action).value ?? ''),
    replyTo: String(response_url ?? ''),
    blocks: Array.isArray(blocks) ? blocks.filter((block) => Object(block).type !== 'actions') : [],
  };
}

/**
 * Reports the result of a press: in the message, without its buttons, if the question is over, else to the person
 * alone. Sends only to the host of the channel's own messages.
 */
function tellSlack(
  channelUrl: string,
  { replyTo, blocks }: Press,
  words: string,
  isOver: boolean,
  { replyToPress, onFault }: ConsoleDependencies,
): void {
  if (!URL.canParse(replyTo) || new URL(replyTo).origin !== new URL(channelUrl).origin) return;
  const section = { type: 'section', text: { type: 'plain_text', text: words } };
  const message = isOver
    ? { replace_original: true, text: words, blocks: [...blocks, section] }
    : { response_type: 'ephemeral', replace_original: false, text: words };
  void replyToPress(replyTo, JSON.stringify(message)).catch(onFault);
}

const tooLate = text(
  'Too late: this question has been answered or is over. This press changed nothing.',
  'この質問は既に回答済みか、終了しています。この操作では何も変わっていません。',
);
const notNamed = text(
  'You are not among those who may answer here. Nothing was changed.',
  'あなたはここで回答できる人に含まれていません。何も変わっていません。',
);
const notFromHere = text(
  'This answer cannot be given from here. Use the console; nothing was changed.',
  'この回答はここからはできません。コンソールを使ってください。何も変わっていません。',
);

function answeredAs({ record, isTaken }: Extract<Answered, { outcome: 'answered' }>): Text {
  if (record.status === 'declined') return text('Denied.', '拒否しました。');
  return isTaken
    ? text('Allowed.', '許可しました。')
    : text(
        'Allowed. No call waits for it any more; it holds for when the same call is sent again.',
        '許可しました。待っている呼び出しはもうありません。同じ呼び出しが送り直されたときに有効です。',
      );
}

/** The recipients of the operator's notices answer as an operator, and the log names the channel. */
const behind = { principal: 'local', isOperator: true, face: 'notice' } as const;
const freshMs = 5 * 60_000;
