import type { Flags } from '../config/settings.ts';
import { toolsetNames } from '../config/toolset-names.ts';
import { localTokenRole } from '../contract/caller.ts';
import { ConfigError } from '../contract/error.ts';
import { text } from '../contract/text/text.ts';
import { durationMs } from './common/duration.ts';
import { say, sayJson, sayRow, told } from './common/say.ts';
import { idsOf, wholeId } from './common/whole-id.ts';
import { withOperator } from './common/with-operator.ts';

type Options = Readonly<Record<string, unknown>>;

/** Creates a token and prints it; only its hash is kept. */
export async function createToken(flags: Flags, options: Options): Promise<number> {
  const user = String(options.user);
  if (!/^[\w.@+-]{1,64}$/.test(user)) {
    throw new ConfigError(
      text(
        `--user must be 1 to 64 letters, digits or . _ @ + -, got ${JSON.stringify(user)}.`,
        `--user は英数字と . _ @ + - で 1～64 文字にしてください（指定値: ${JSON.stringify(user)}）。`,
      ),
    );
  }
  if (options.asRole === localTokenRole) {
    throw new ConfigError(
      text(
        `--as-role ${localTokenRole} is the role of the token that \`sekisho serve --http\` prints.`,
        `--as-role ${localTokenRole} は \`sekisho serve --http\` が表示するトークン専用のロールです。`,
      ),
    );
  }
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
        text(
          `${token}\n\nFor ${user} (${record.id}). It is shown only now; send it as "Authorization: Bearer …".`,
          `${token}\n\n${user} のトークンです（${record.id}）。表示するのは今だけです。"Authorization: Bearer …" として送ってください。`,
        ),
      );
    return 0;
  });
}

export function listTokens(flags: Flags, options: Options): Promise<number> {
  return withOperator(flags, async ({ checkpoint }) => {
    const records = await (await checkpoint.store()).tokens.list();
    if (options.json) {
      sayJson(records);
      return 0;
    }
    for (const record of records) {
      const state = record.revokedAtMs
        ? text('revoked', '失効済み')
        : record.expiresAtMs
          ? text(
              `until ${new Date(record.expiresAtMs).toISOString()}`,
              `${new Date(record.expiresAtMs).toISOString()} まで`,
            )
          : text('no expiry', '期限なし');
      sayRow([
        record.id,
        record.user,
        record.role ?? '-',
        record.toolsets?.join(',') ?? told(text('all toolsets', 'すべてのツールセット')),
        told(state),
      ]);
    }
    if (records.length === 0)
      say(
        text(
          'No tokens. `sekisho token create --user NAME` creates one.',
          'トークンはありません。`sekisho token create --user NAME` で作成できます。',
        ),
      );
    return 0;
  });
}

export function revokeToken(id: string, flags: Flags): Promise<number> {
  return withOperator(flags, async ({ acts, checkpoint }) => {
    const tokens = await (await checkpoint.store()).tokens.list();
    const active = tokens.filter((token) => token.revokedAtMs === undefined);
    const whole = wholeId(id, idsOf(active));
    const revoked = await acts.revokeToken(whole);
    say(
      revoked
        ? text(`${whole} is revoked.`, `${whole} を失効させました。`)
        : text(`There is no active token ${id}.`, `有効なトークン ${id} はありません。`),
    );
    return revoked ? 0 : 1;
  });
}

function toolsetsOf(value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined;
  const names = String(value)
    .split(',')
    .map((name) => name.trim());
  for (const name of names) {
    if (!(toolsetNames as readonly string[]).includes(name)) {
      throw new ConfigError(
        text(
          `--for must name toolsets of ${toolsetNames.join(', ')}, got ${JSON.stringify(name)}.`,
          `--for には ${toolsetNames.join('、')} のツールセットを指定してください（指定値: ${JSON.stringify(name)}）。`,
        ),
      );
    }
  }
  return names;
}
