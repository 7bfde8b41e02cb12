import type { Flags } from '../config/load.ts';
import { toolsetNames } from '../config/toolset-names.ts';
import { localTokenRole } from '../contract/caller.ts';
import { ConfigError } from '../contract/error.ts';
import { durationMs } from './common/duration.ts';
import { say } from './common/say.ts';
import { idsOf, wholeId } from './common/whole-id.ts';
import { withOperator } from './common/with-operator.ts';

type Options = Readonly<Record<string, unknown>>;

/** Makes a token and prints it; only its hash is kept. */
export async function createToken(flags: Flags, options: Options): Promise<number> {
  const user = String(options.user);
  if (!/^[\w.@+-]{1,64}$/.test(user)) {
    throw new ConfigError(
      `--user must be 1 to 64 letters, digits or . _ @ + -, got ${JSON.stringify(user)}.`,
    );
  }
  if (options.asRole === localTokenRole) {
    throw new ConfigError(
      `--as-role ${localTokenRole} is the role of the token that \`sekisho serve --http\` prints.`,
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
    if (options.json) say(JSON.stringify({ token, ...record }));
    else
      say(
        `${token}\n\nFor ${user} (${record.id}). It is shown only now; send it as "Authorization: Bearer …".`,
      );
    return 0;
  });
}

export function listTokens(flags: Flags, options: Options): Promise<number> {
  return withOperator(flags, async ({ checkpoint }) => {
    const records = await (await checkpoint.store()).tokens.list();
    if (options.json) {
      say(JSON.stringify(records));
      return 0;
    }
    for (const record of records) {
      const state = record.revokedAtMs
        ? 'revoked'
        : record.expiresAtMs
          ? `until ${new Date(record.expiresAtMs).toISOString()}`
          : 'no expiry';
      say(
        [
          record.id,
          record.user,
          record.role ?? '-',
          record.toolsets?.join(',') ?? 'all toolsets',
          state,
        ].join('\t'),
      );
    }
    if (records.length === 0) say('No tokens. `sekisho token create --user NAME` makes one.');
    return 0;
  });
}

export function revokeToken(id: string, flags: Flags): Promise<number> {
  return withOperator(flags, async ({ acts, checkpoint }) => {
    const tokens = await (await checkpoint.store()).tokens.list();
    const active = tokens.filter((token) => token.revokedAtMs === undefined);
    const whole = wholeId(id, idsOf(active));
    const revoked = await acts.revokeToken(whole);
    say(revoked ? `${whole} is revoked.` : `There is no active token ${id}.`);
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
        `--for must name toolsets of ${toolsetNames.join(', ')}, got ${JSON.stringify(name)}.`,
      );
    }
  }
  return names;
}
