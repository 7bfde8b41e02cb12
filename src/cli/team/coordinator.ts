import type { Flags } from '../../config/settings.ts';
import { text } from '../../contract/text/text.ts';
import { say } from '../common/say.ts';
import { secretFrom, withTeam } from './with-team.ts';

type Options = Readonly<Record<string, unknown>>;

/** Sets the token of the program that starts agents; the previous one becomes invalid. */
export function setCoordinatorToken(flags: Flags, options: Options): Promise<number> {
  const { secret, isNew } = secretFrom(options.tokenEnv, 'coord_');
  return withTeam(flags, async (admin) => {
    await admin.setCoordinatorToken(secret);
    say(
      isNew
        ? text(
            `${secret}\n\nIt is shown only now; the old token no longer works.`,
            `${secret}\n\n表示するのは今だけです。以前のトークンはもう使えません。`,
          )
        : text('The token is set.', 'トークンを設定しました。'),
    );
    return 0;
  });
}
