import type { Checkpoint } from '../../checkpoint/index.ts';
import type { Flags } from '../../config/settings.ts';
import { ConfigError } from '../../contract/error.ts';
import type { Acts, Operator, ServerReview } from '../../contract/people/operator.ts';
import { cleanLine, cleanText } from '../../contract/text/clean-text.ts';
import { type Locale, type Text, text, verbatim } from '../../contract/text/text.ts';
import type { ServerStatus } from '../../contract/upstream.ts';
import { counted } from '../../ground/counted.ts';
import { agrees } from '../common/agrees.ts';
import type { Options } from '../common/options.ts';
import { inLocale, say } from '../common/say.ts';
import { withOperator } from '../common/with-operator.ts';
import { examine, placeOf, type ServerReport } from './report.ts';

type Upstreams = Awaited<ReturnType<Checkpoint['rooms']['upstreams']>>;

/** Lists proxied servers, their tools and those that need a review. Starts none of them. */
export function listServers(flags: Flags, options: Options): Promise<number> {
  return withUpstreams(flags, async (upstreams, locale) => {
    const places = new Map(upstreams.servers.map(({ settings }) => [settings.name, placeOf(settings)]));
    const listed = upstreams
      .status()
      .map((status) => ({ ...status, place: places.get(status.name) ?? verbatim('') }));
    show(listed, options, locale);
    return 0;
  });
}

/** Starts servers and reports their state; exit code 1 if one does not work. */
export function checkServers(name: string | undefined, flags: Flags, options: Options): Promise<number> {
  return withUpstreams(flags, async (upstreams, locale) => {
    const servers = name === undefined ? upstreams.servers : [serverOf(upstreams, name)];
    const reports = await Promise.all(servers.map(examine));
    show(reports, options, locale);
    return reports.every(({ works }) => works) ? 0 : 1;
  });
}

/** Shows the changes, and approves them when a person agrees: by an answer, or by the digest of what they saw. */
export function approveServer(name: string, flags: Flags, options: Options): Promise<number> {
  return withUpstreams(flags, async (upstreams, _locale, { acts, operator }) => {
    serverOf(upstreams, name);
    const review = await operator.review(name);
    if (!review) {
      say(`There is nothing to review for ${name}.`, `${name} に確認待ちのものはありません。`);
      return 0;
    }
    if (options.digest === undefined) {
      say(describe(name, review));
      if (!process.stdin.isTTY) {
        say(
          `Nothing is approved yet. To approve exactly this: \`sekisho server approve ${name} --digest ${review.digest}\``,
          `まだ何も承認していません。この内容を承認するには: \`sekisho server approve ${name} --digest ${review.digest}\``,
        );
        return 1;
      }
      if (!(await agrees(approveThis))) return 1;
    }
    const digest = options.digest === undefined ? review.digest : String(options.digest);
    const approved = await acts.approveServer(name, digest);
    if (!approved) {
      say(
        `The server has changed again; review it again: \`sekisho server approve ${name}\``,
        `サーバーがまた変わりました。もう一度確認してください: \`sekisho server approve ${name}\``,
      );
      return 1;
    }
    say(`${name}: approved.`, `${name}: 承認しました。`);
    return 0;
  });
}

/** Forgets the approvals; the next start treats the server as unknown. */
export function forgetServer(name: string, flags: Flags): Promise<number> {
  return withUpstreams(flags, async (upstreams, _locale, { acts }) => {
    serverOf(upstreams, name);
    await acts.forgetServer(name);
    say(`${name}: forgotten.`, `${name}: 承認の記録を消去しました。`);
    return 0;
  });
}

/** Opens the servers of the settings, without serving them. */
export function withUpstreams(
  flags: Flags,
  work: (
    upstreams: Upstreams,
    locale: Locale,
    by: { readonly acts: Acts; readonly operator: Operator },
  ) => Promise<number>,
): Promise<number> {
  return withOperator(flags, async ({ checkpoint, ...by }) =>
    work(await checkpoint.rooms.upstreams(), checkpoint.settings.locale, by),
  );
}

export function serverOf(upstreams: Upstreams, name: string): Upstreams['servers'][number] {
  const server = upstreams.servers.find(({ settings }) => settings.name === name);
  if (server) return server;
  const known = upstreams.servers.map(({ settings }) => settings.name).join(', ');
  throw new ConfigError(
    `There is no enabled server ${JSON.stringify(name)}; there are: ${known || 'none'}.`,
    `有効なサーバー ${JSON.stringify(name)} はありません。あるもの: ${known || 'なし'}`,
  );
}

type Shown = ServerStatus & Pick<ServerReport, 'place'> & Partial<Pick<ServerReport, 'words' | 'hint'>>;

function show(servers: readonly Shown[], options: Options, locale: Locale): void {
  if (options.json) {
    say(
      JSON.stringify(
        servers.map((server) => ({ ...server, place: server.place.en })),
        null,
        2,
      ),
    );
    return;
  }
  if (servers.length === 0)
    say(
      'No servers are configured. `sekisho import` copies those of a client.',
      'サーバーは設定されていません。`sekisho import` でクライアントの設定から取り込めます。',
    );
  for (const { name, state, place, problem, tools, held, words, hint } of servers) {
    say(
      [
        name,
        inLocale(states[state]),
        inLocale(counted(tools.length, 'tool'), `ツール ${tools.length} 個`),
        inLocale(place),
        problem?.[locale],
      ]
        .filter(Boolean)
        .join('  '),
    );
    for (const tool of tools) say(`  ${tool}`);
    for (const tool of held) say(`  held back: ${lineOf(tool)}`, `  保留中: ${lineOf(tool)}`);
    if (held.length > 0)
      say(
        `  review it: \`sekisho server approve ${name}\``,
        `  確認するには: \`sekisho server approve ${name}\``,
      );
    for (const line of (words ?? '').split('\n')) if (line.trim() !== '') say(`  | ${line}`);
    if (hint) say(`  ${hint[locale]}`);
  }
}

function lineOf({ name, why, findings }: ServerStatus['held'][number]): string {
  return cleanLine(`${name} (${[inLocale(reasons[why]), ...findings].join('; ')})`);
}

function describe(name: string, review: ServerReview): string {
  const parts = review.changes.map(({ diff, ...held }) => `${lineOf(held)}\n${cleanText(diff)}`);
  const removed = review.removed.map((tool) => cleanLine(inLocale(`${tool} (removed)`, `${tool}（削除）`)));
  return [inLocale(`Server ${name}:`, `サーバー ${name}:`), ...parts, ...removed].join('\n');
}

const approveThis = text('Approve this? [y/N] ', 'これを承認しますか。[y/N] ');

const states: Readonly<Record<ServerStatus['state'], Text>> = {
  disabled: text('disabled', '無効'),
  idle: text('idle', '未起動'),
  starting: text('starting', '起動中'),
  ready: text('ready', '動作中'),
  failed: text('failed', '失敗'),
  closed: text('closed', '停止'),
};

const reasons: Readonly<Record<ServerStatus['held'][number]['why'], Text>> = {
  changed: text('changed', '変更'),
  added: text('added', '追加'),
  flagged: text('flagged', '要注意'),
};
