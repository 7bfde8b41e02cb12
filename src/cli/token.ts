import type { Flags } from '../config/settings.ts';
import { toolsetNames } from '../config/toolset-names.ts';
import { localTokenRole } from '../contract/caller.ts';
import { badValue, ConfigError } from '../contract/error.ts';
import type { TokenRecord } from '../contract/records.ts';
import { type Text, text } from '../contract/text/text.ts';
import { durationMs } from './common/duration.ts';
import type { Options } from './common/options.ts';
import { inLocale, say, sayJson, sayList, sayWhether } from './common/say.ts';
import { idsOf, wholeId } from './common/whole-id.ts';
import { withOperator } from './common/with-operator.ts';

/** Creates a token and prints it; only its hash is kept. */
export async function createToken(flags: Flags, options: Options): Promise<number> {
  const user = String(options.user);
  if (!/^[\w.@+-]{1,64}$/.test(user))
    throw badValue(
      '--user',
      user,
      'must be 1 to 64 letters, digits or . _ @ + -',
      'は英数字と . _ @ + - で 1～64 文字にしてください',
    );
  if (options.asRole === localTokenRole)
    throw new ConfigError(
      `--as-role ${localTokenRole} is the role of the token that \`sekisho serve --http\` prints.`,
      `--as-role ${localTokenRole} は \`sekisho serve --http\` が表示するトークン専用のロールです。`,
    );
  const expires =
    options.expires === undefined ? undefined : durationMs(String(options.expires), '--expires');
  return withOperator(flags, async ({ acts }) => {
    const { token, record } = await acts.createToken({
      user,
      role: options.asRole as string | undefined,
      toolsets: toolsetsOf(options.for),
      expiresAtMs: expires === undefined ? undefined : Date.now() + expires,
    });
    if (options.json) sayJson({ token, ...record });
    else
      say(
        `${token}\n\nFor ${user} (${record.id}). It is shown only now; send it as "Authorization: Bearer …".`,
        `${token}\n\n${user} のトークンです（${record.id}）。表示するのは今だけです。"Authorization: Bearer …" として送ってください。`,
      );
    return 0;
  });
}

export function listTokens(flags: Flags, options: Options): Promise<number> {
  return withOperator(flags, async ({ checkpoint }) => {
    const records = await (await checkpoint.store()).tokens.list();
    const none = text(
      'No tokens. `sekisho token create --user NAME` creates one.',
      'トークンはありません。`sekisho token create --user NAME` で作成できます。',
    );
    sayList(records, options, cellsOf, none);
    return 0;
  });
}

function cellsOf({ id, user, role = '-', toolsets, ...record }: TokenRecord) {
  const all = text('all toolsets', 'すべてのツールセット');
  return [id, user, role, toolsets?.join(',') ?? inLocale(all), inLocale(stateOf(record))];
}

function stateOf({ revokedAtMs, expiresAtMs }: Pick<TokenRecord, 'revokedAtMs' | 'expiresAtMs'>): Text {
  if (revokedAtMs) return text('revoked', '失効済み');
  if (!expiresAtMs) return text('no expiry', '期限なし');
  const end = new Date(expiresAtMs).toISOString();
  return text(`until ${end}`, `${end} まで`);
}

export function revokeToken(id: string, flags: Flags): Promise<number> {
  return withOperator(flags, async ({ acts, checkpoint }) => {
    const tokens = await (await checkpoint.store()).tokens.list();
    const active = tokens.filter((token) => token.revokedAtMs === undefined);
    const whole = wholeId(id, idsOf(active));
    return sayWhether(
      await acts.revokeToken(whole),
      text(`${whole} is revoked.`, `${whole} を失効させました。`),
      text(`There is no active token ${id}.`, `有効なトークン ${id} はありません。`),
    );
  });
}

function toolsetsOf(value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const names = String(value)
    .split(',')
    .map((name) => name.trim());
  for (const name of names) {
    if (!(toolsetNames as readonly string[]).includes(name))
      throw badValue(
        '--for',
        name,
        `must name toolsets of ${toolsetNames.join(', ')}`,
        `には ${toolsetNames.join('、')} のツールセットを指定してください`,
      );
  }
  return names;
}
