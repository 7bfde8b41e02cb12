import type { Flags } from '../config/settings.ts';
import { text } from '../contract/text/text.ts';
import { say, sayJson, sayRow } from './common/say.ts';
import { idsOf, wholeId } from './common/whole-id.ts';
import { withOperator } from './common/with-operator.ts';

type Options = Readonly<Record<string, unknown>>;

/** Lists the passkeys that answer and log in. */
export function listPasskeys(flags: Flags, options: Options): Promise<number> {
  return withOperator(flags, async ({ checkpoint }) => {
    const passkeys = await (await checkpoint.store()).passkeys.list();
    if (options.json) sayJson(passkeys);
    for (const { id, person, host, label } of options.json ? [] : passkeys) sayRow([id, person, host, label]);
    if (passkeys.length === 0 && !options.json) {
      say(
        text(
          'No passkeys. Register one on the page “Notices” of the console.',
          'パスキーはありません。コンソールの「通知」ページで登録できます。',
        ),
      );
    }
    return 0;
  });
}

/** Removes the passkey of a lost device, which then neither answers nor logs in. */
export function removePasskey(id: string, flags: Flags): Promise<number> {
  return withOperator(flags, async ({ acts, checkpoint }) => {
    const whole = wholeId(id, idsOf(await (await checkpoint.store()).passkeys.list()));
    const removed = await acts.removePasskey(whole);
    say(
      removed
        ? text(`${whole} can no longer answer questions.`, `${whole} では今後回答できません。`)
        : text(`There is no passkey ${id}.`, `パスキー ${id} はありません。`),
    );
    return removed ? 0 : 1;
  });
}
