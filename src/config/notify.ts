import * as z from 'zod';
import { ConfigError } from '../contract/error.ts';
import {
  actionKinds,
  type Channel,
  type ChannelSettings,
  type DigestTimes,
  details,
  type NotifySettings,
  type QuietHours,
} from '../contract/notice.ts';
import { type Text, text } from '../contract/text/text.ts';
import { fillVariables } from './variables.ts';

const nonEmpty = z.string().min(1).max(2000);
const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time such as "22:00"');
const actions = z.enum(actionKinds).optional();

const channel = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('desktop') }),
  z.strictObject({ kind: z.literal('terminal'), form: z.enum(['osc9', 'osc777']).optional() }),
  z.strictObject({ kind: z.literal('push') }),
  z.strictObject({ kind: z.literal('ntfy'), url: nonEmpty, token: nonEmpty.optional(), actions }),
  z.strictObject({ kind: z.literal('webhook'), url: nonEmpty, secret: nonEmpty.optional() }),
  z.strictObject({
    kind: z.literal('slack'),
    url: nonEmpty,
    signingSecret: nonEmpty.optional(),
    people: z.array(nonEmpty).optional(),
    actions,
  }),
  z.strictObject({
    kind: z.literal('telegram'),
    token: nonEmpty,
    chat: z.union([nonEmpty, z.number().int()]),
    url: nonEmpty.optional(),
  }),
  z.strictObject({
    kind: z.literal('email'),
    smtp: nonEmpty,
    password: nonEmpty.optional(),
    from: nonEmpty,
    to: z.union([nonEmpty, z.array(nonEmpty).min(1).max(50)]),
  }),
]);

export const notifySchema = z.strictObject({
  detail: z
    .enum(details)
    .optional()
    .describe(
      'How much a notice tells. "none": only that a question waits; "summary": the tool, the caller and the rule; "full": the question with its command and paths. Default: "summary".',
    ),
  everyMs: z
    .number()
    .int()
    .min(1000)
    .max(86_400_000)
    .optional()
    .describe(
      'Each channel gets at most one notice in this time; it combines all questions asked meanwhile. Default: one minute.',
    ),
  quiet: z
    .strictObject({
      from: clock.describe(
        'When the quiet hours begin, e.g. "22:00". During quiet hours, no notices are sent.',
      ),
      to: clock.describe('When they end, e.g. "07:00". Questions that still wait are then reported.'),
      timeZone: nonEmpty.optional().describe('Their time zone, e.g. "Asia/Tokyo". Default: the machine\'s.'),
    })
    .optional()
    .describe(
      'Hours without notices, e.g. {"from": "22:00", "to": "07:00", "timeZone": "Asia/Tokyo"}. Questions that still wait are reported when they end.',
    ),
  escalate: z
    .strictObject({
      afterMs: z
        .number()
        .int()
        .min(1000)
        .max(86_400_000)
        .describe(
          'A second person is notified about a question that nobody has answered for this long, e.g. 600000.',
        ),
      to: z.array(nonEmpty).min(1).describe('Channels of the second person, e.g. ["boss"].'),
    })
    .optional()
    .describe(
      'Channels of a second person, who is notified about a question only if nobody has answered it for this long: {"afterMs": 600000, "to": ["boss"]}.',
    ),
  digest: z
    .strictObject({
      at: z
        .union([clock, z.array(clock).min(1).max(24)])
        .describe(
          'Times of the day at which a digest is sent, e.g. ["08:00", "13:00"]. Sent by `serve --http`.',
        ),
      timeZone: nonEmpty.optional().describe('Their time zone, e.g. "Asia/Tokyo". Default: the machine\'s.'),
      to: z
        .array(nonEmpty)
        .min(1)
        .optional()
        .describe(
          'Channels of the digest, e.g. ["mail"]. Default: every channel that is not in notify.escalate.to.',
        ),
    })
    .optional()
    .describe(
      'A notice, at each of these times of the day, about what happened since the last one, e.g. {"at": ["08:00", "13:00"], "timeZone": "Asia/Tokyo", "to": ["mail"]}; without "to", on every channel that is not in "escalate". Sent by `serve --http`.',
    ),
  pushServices: z
    .array(nonEmpty)
    .optional()
    .describe(
      'Origins of web push services in addition to those of Chrome, Firefox, Safari and Edge, e.g. ["https://push.example.com"].',
    ),
  channels: z
    .record(z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,39}$/), channel)
    .optional()
    .describe(
      'Where notices go, under names that you choose: {kind: "desktop"}, {kind: "terminal", form}, {kind: "push"}, {kind: "ntfy", url, token, actions}, {kind: "webhook", url, secret}, {kind: "slack", url, signingSecret, people, actions}, {kind: "telegram", token, chat}, {kind: "email", smtp, password, from, to}. Write secrets as ${VARIABLE}. "push" needs no entry once a device has turned it on.',
    ),
});

type Config = z.output<typeof notifySchema>;
type Place = { readonly environment: NodeJS.Dict<string>; readonly workspaceFolder: string };

/** Throws `ConfigError` for what could reach nobody, or somebody else. */
export function notifyOf(config: Config | undefined, place: Place): NotifySettings {
  const named = Object.entries(config?.channels ?? {}).map(
    ([name, entry]): Channel => ({
      name,
      ...channelOf(entry, `notify.channels.${name}`, place),
    }),
  );
  // What a person switches on at their phone needs no line in a file.
  const channels: readonly Channel[] = named.some(({ kind, name }) => kind === 'push' || name === 'push')
    ? named
    : [...named, { name: 'push', kind: 'push' }];
  for (const key of ['escalate', 'digest'] as const) {
    for (const name of config?.[key]?.to ?? []) {
      if (channels.some((each) => each.name === name)) continue;
      throw wrong(
        `notify.${key}.to`,
        text(
          `is not a channel: ${JSON.stringify(name)}`,
          `存在しないチャンネルです: ${JSON.stringify(name)}`,
        ),
      );
    }
  }
  return {
    channels,
    detail: config?.detail ?? 'summary',
    everyMs: config?.everyMs ?? 60_000,
    quiet: config?.quiet && quietOf(config.quiet),
    escalate: config?.escalate,
    digest: config?.digest && digestOf(config.digest, channels, config.escalate?.to ?? []),
    pushServices: (config?.pushServices ?? []).map((origin, index) =>
      originOf(origin, `notify.pushServices.${index}`),
    ),
  };
}

function channelOf(entry: z.output<typeof channel>, at: string, place: Place): ChannelSettings {
  const fill = (words: string, key: string) => fillVariables(words, { ...place, at: `${at}.${key}` });
  const secret = (words: string | undefined, key: string) =>
    words === undefined ? undefined : fill(words, key);
  const address = (words: string, key: string) => addressOf(fill(words, key), `${at}.${key}`);
  switch (entry.kind) {
    case 'desktop':
    case 'push':
      return entry;
    case 'terminal':
      return { kind: 'terminal', form: entry.form ?? 'osc9' };
    case 'ntfy': {
      const url = address(entry.url, 'url');
      if (!/^\/(?:[^/]+\/)*[\w-]+$/.test(new URL(url).pathname)) {
        throw wrong(`${at}.url`, text('must end in a topic', '最後にトピック名が必要です'));
      }
      return { kind: 'ntfy', url, token: secret(entry.token, 'token'), actions: entry.actions ?? 'deny' };
    }
    case 'webhook':
      return { kind: 'webhook', url: address(entry.url, 'url'), secret: secret(entry.secret, 'secret') };
    case 'slack': {
      const people = entry.people ?? [];
      const given = entry.actions ?? 'none';
      if (given !== 'none' && (entry.signingSecret === undefined || people.length === 0)) {
        throw wrong(
          `${at}.actions`,
          text('needs signingSecret and people', 'signingSecret と people が必要です'),
        );
      }
      return {
        kind: 'slack',
        url: address(entry.url, 'url'),
        signingSecret: secret(entry.signingSecret, 'signingSecret'),
        people,
        actions: given,
      };
    }
    case 'telegram':
      return {
        kind: 'telegram',
        url: address(entry.url ?? 'https://api.telegram.org', 'url'),
        token: fill(entry.token, 'token'),
        chat: String(entry.chat),
      };
    case 'email':
      return emailOf(fill(entry.smtp, 'smtp'), entry, secret(entry.password, 'password'), at);
  }
}

function emailOf(
  smtp: string,
  { from, to }: { readonly from: string; readonly to: string | readonly string[] },
  password: string | undefined,
  at: string,
): ChannelSettings {
  const address = URL.parse(smtp);
  if (!address || !/^smtps?:$/.test(address.protocol) || address.hostname === '' || address.password !== '') {
    throw wrong(
      `${at}.smtp`,
      text(
        'must be an address such as smtps://name@mail.example.com, without a password',
        'smtps://name@mail.example.com のような、パスワードを含まないアドレスを指定してください',
      ),
    );
  }
  const secure = address.protocol === 'smtps:';
  return {
    kind: 'email',
    host: address.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(address.port) || (secure ? 465 : 587),
    secure,
    user: address.username === '' ? undefined : decodeURIComponent(address.username),
    password,
    from,
    to: typeof to === 'string' ? [to] : to,
  };
}

function quietOf({ from, to, timeZone }: NonNullable<Config['quiet']>): QuietHours {
  if (from === to) {
    throw wrong(
      'notify.quiet',
      text('must not begin and end at the same time', '開始と終了に別の時刻を指定してください'),
    );
  }
  const zone = timeZone && zoneOf(timeZone, 'notify.quiet.timeZone');
  return { fromMinute: minuteOf(from), toMinute: minuteOf(to), timeZone: zone };
}

function digestOf(
  { at, timeZone, to }: NonNullable<Config['digest']>,
  channels: readonly Channel[],
  second: readonly string[],
): DigestTimes {
  const minutes = (typeof at === 'string' ? [at] : at).map(minuteOf);
  return {
    atMinutes: [...new Set(minutes)].sort((one, other) => one - other),
    timeZone: timeZone && zoneOf(timeZone, 'notify.digest.timeZone'),
    to: to ?? channels.map(({ name }) => name).filter((name) => !second.includes(name)),
  };
}

function minuteOf(words: string): number {
  const [hours = 0, minutes = 0] = words.split(':').map(Number);
  return hours * 60 + minutes;
}

function zoneOf(zone: string, at: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch (error) {
    throw wrong(
      at,
      text(
        `must be a time zone such as "Asia/Tokyo", got ${JSON.stringify(zone)}`,
        `"Asia/Tokyo" のようなタイムゾーンを指定してください（指定値: ${JSON.stringify(zone)}）`,
      ),
      error,
    );
  }
}

/** Where the server is reached from elsewhere: an origin, without a path. */
export function publicUrlOf(words: string | undefined): string | undefined {
  return words === undefined ? undefined : originOf(words, 'http.publicUrl');
}

function originOf(words: string, at: string): string {
  const url = URL.parse(words);
  if (url && isSafe(url) && url.pathname === '/' && url.search === '' && url.hash === '') return url.origin;
  throw wrong(
    at,
    text(
      `must be an https:// address without a path, got ${JSON.stringify(words)}`,
      `パスのない https:// のアドレスを指定してください（指定値: ${JSON.stringify(words)}）`,
    ),
  );
}

/** An address may itself be the secret, as those of Slack are: it is not quoted. */
function addressOf(words: string, at: string): string {
  const url = URL.parse(words);
  if (url && isSafe(url)) return url.href;
  throw wrong(
    at,
    text(
      'must be an https:// address (http:// on this machine alone) without a user name',
      'ユーザー名のない https:// のアドレスを指定してください（http:// はこのマシンのみ）',
    ),
  );
}

function isSafe({ protocol, hostname, username, password }: URL): boolean {
  if (username !== '' || password !== '') return false;
  return (
    protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname))
  );
}

/** `rule` goes on after the key, in English as its verb. */
function wrong(at: string, rule: Text, cause?: unknown): ConfigError {
  return new ConfigError(text(`${at} ${rule.en}.`, `${at}: ${rule.ja}。`), { cause });
}
