import type * as z from 'zod';
import { ConfigError } from '../../contract/error.ts';
import type {
  Channel,
  ChannelSettings,
  DigestTimes,
  NotifySettings,
  QuietHours,
} from '../../contract/people/notice.ts';
import { readSaid, type Said } from '../../contract/text/text.ts';
import { isSafeUrl } from '../../ground/secure-url.ts';
import { timeZoneOf } from '../time-zone.ts';
import { fillVariables } from '../variables.ts';
import type { channelSchema, notifySchema } from './notify-schema.ts';

type Config = z.output<typeof notifySchema>;
type FillContext = { readonly environment: NodeJS.Dict<string>; readonly workspaceFolder: string };

/** Throws `ConfigError` for channels that could reach no one, or the wrong recipient. */
export function notifyOf(config: Config | undefined, context: FillContext): NotifySettings {
  const named = Object.entries(config?.channels ?? {}).map(
    ([name, entry]): Channel => ({ name, ...channelOf(entry, `notify.channels.${name}`, context) }),
  );
  // Push is enabled on the phone and needs no configuration.
  const channels: readonly Channel[] = named.some(({ kind, name }) => kind === 'push' || name === 'push')
    ? named
    : [...named, { name: 'push', kind: 'push' }];
  for (const key of ['escalate', 'digest'] as const) {
    for (const name of config?.[key]?.to ?? []) {
      if (channels.some((each) => each.name === name)) continue;
      throw wrong(
        `notify.${key}.to`,
        `is not a channel: ${JSON.stringify(name)}`,
        `存在しないチャンネルです: ${JSON.stringify(name)}`,
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

function channelOf(entry: z.output<typeof channelSchema>, at: string, context: FillContext): ChannelSettings {
  const fill = (words: string, key: string) => fillVariables(words, { ...context, at: `${at}.${key}` });
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
      if (!/^\/(?:[^/]+\/)*[\w-]+$/.test(new URL(url).pathname))
        throw wrong(`${at}.url`, 'must end in a topic', '最後にトピック名が必要です');
      return { kind: 'ntfy', url, token: secret(entry.token, 'token'), actions: entry.actions ?? 'deny' };
    }
    case 'webhook':
      return { kind: 'webhook', url: address(entry.url, 'url'), secret: secret(entry.secret, 'secret') };
    case 'slack': {
      const people = entry.people ?? [];
      const given = entry.actions ?? 'none';
      if (given !== 'none' && (entry.signingSecret === undefined || people.length === 0))
        throw wrong(`${at}.actions`, 'needs signingSecret and people', 'signingSecret と people が必要です');
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
  if (!address || !/^smtps?:$/.test(address.protocol) || address.hostname === '' || address.password !== '')
    throw wrong(
      `${at}.smtp`,
      'must be an address such as smtps://name@mail.example.com, without a password',
      'smtps://name@mail.example.com のような、パスワードを含まないアドレスを指定してください',
    );
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
  if (from === to)
    throw wrong(
      'notify.quiet',
      'must not begin and end at the same time',
      '開始と終了に別の時刻を指定してください',
    );
  const zone = timeZone && timeZoneOf(timeZone, 'notify.quiet.timeZone');
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
    timeZone: timeZone && timeZoneOf(timeZone, 'notify.digest.timeZone'),
    to: to ?? channels.map(({ name }) => name).filter((name) => !second.includes(name)),
  };
}

function minuteOf(words: string): number {
  const [hours = 0, minutes = 0] = words.split(':').map(Number);
  return hours * 60 + minutes;
}

/** The server's origin as reached from elsewhere, without a path. */
export function publicUrlOf(words: string | undefined): string | undefined {
  return words === undefined ? undefined : originOf(words, 'http.publicUrl');
}

function originOf(words: string, at: string): string {
  const url = URL.parse(words);
  if (url && isSafeUrl(url) && url.pathname === '/' && url.search === '' && url.hash === '')
    return url.origin;
  throw wrong(
    at,
    `must be an https:// address without a path, got ${JSON.stringify(words)}`,
    `パスのない https:// のアドレスを指定してください（指定値: ${JSON.stringify(words)}）`,
  );
}

/** An address may itself be the secret, as at Slack, so it is not quoted. */
function addressOf(words: string, at: string): string {
  const url = URL.parse(words);
  if (url && isSafeUrl(url)) return url.href;
  throw wrong(
    at,
    'must be an https:// address (http:// on this machine alone) without a user name',
    'ユーザー名のない https:// のアドレスを指定してください（http:// はこのマシンのみ）',
  );
}

/** `rule` continues after the key, in English beginning with the verb. */
function wrong(at: string, ...rule: Said<never>): ConfigError {
  const { text } = readSaid(rule);
  return new ConfigError(`${at} ${text.en}.`, `${at}: ${text.ja}。`);
}
