import type { Flags } from '../../config/load.ts';
import { say } from '../common/say.ts';
import { secretFrom, withTeam } from './with-team.ts';

type Options = Readonly<Record<string, unknown>>;

/** Sets the token of the program that starts agents; the one before it is worth nothing from now on. */
export function setCoordinatorToken(flags: Flags, options: Options): Promise<number> {
  const { secret, isNew } = secretFrom(options.tokenEnv, 'coord_');
  return withTeam(flags, async (admin) => {
    await admin.setCoordinatorToken(secret);
    say(isNew ? `${secret}\n\nIt is shown only now; the former token no longer works.` : 'The token is set.');
    return 0;
  });
}
