import { randomBytes } from 'node:crypto';
import { openCheckpoint } from '../../checkpoint/open.ts';
import { type Flags, loadSettings } from '../../config/load.ts';
import { ConfigError } from '../../contract/error.ts';
import type { TeamAdmin } from '../../contract/team/admin.ts';

/** Opens the records of the team for one command, and closes them after it. */
export async function withTeam(flags: Flags, work: (admin: TeamAdmin) => Promise<number>): Promise<number> {
  const checkpoint = await openCheckpoint(loadSettings(flags));
  try {
    return await work((await checkpoint.team.open()).admin);
  } finally {
    await checkpoint.close();
  }
}

/** A secret from the variable that was named, or a new one. Never from the command line, where others see it. */
export function secretFrom(
  variable: unknown,
  prefix: string,
): { readonly secret: string; readonly isNew: boolean } {
  if (variable === undefined)
    return { secret: `${prefix}${randomBytes(24).toString('base64url')}`, isNew: true };
  const secret = process.env[String(variable)];
  if (!secret) throw new ConfigError(`The variable ${String(variable)} is not set.`);
  return { secret, isNew: false };
}
