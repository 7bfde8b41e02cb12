import { randomBytes } from 'node:crypto';
import type { Flags } from '../../config/settings.ts';
import { ConfigError } from '../../contract/error.ts';
import type { TeamAdmin } from '../../contract/team/admin.ts';
import { withOperator } from '../common/with-operator.ts';

/** Opens the records of the team for one command; changes are logged as the person's acts. */
export function withTeam(flags: Flags, work: (admin: TeamAdmin) => Promise<number>): Promise<number> {
  return withOperator(flags, async ({ acts, checkpoint }) => {
    const { admin } = await checkpoint.team.open();
    return work({ ...admin, ...acts.team });
  });
}

/** A secret from the named variable, or a new one. Never from the command line, where others see it. */
export function secretFrom(
  variable: unknown,
  prefix: string,
): { readonly secret: string; readonly isNew: boolean } {
  if (variable === undefined)
    return { secret: `${prefix}${randomBytes(24).toString('base64url')}`, isNew: true };
  const secret = process.env[String(variable)];
  if (!secret)
    throw new ConfigError(
      `The variable ${String(variable)} is not set.`,
      `環境変数 ${String(variable)} が設定されていません。`,
    );
  return { secret, isNew: false };
}
