import type { Flags } from '../config/settings.ts';
import { text } from '../contract/text/text.ts';
import { say, sayWhether } from './common/say.ts';
import { withOperator } from './common/with-operator.ts';

/** Stops the work of every session, until `resume`. */
export function halt(flags: Flags): Promise<number> {
  return withOperator(flags, async ({ acts }) => {
    await acts.halt();
    say(
      text(
        'All work is stopped, and calls are refused. `sekisho resume` lets it go on.',
        'すべての作業を停止しました。呼び出しは拒否されます。`sekisho resume` で再開できます。',
      ),
    );
    return 0;
  });
}

export function resume(flags: Flags): Promise<number> {
  return withOperator(flags, async ({ acts }) =>
    sayWhether(
      await acts.resume(),
      text('Work may go on.', '作業を再開できます。'),
      text('Nothing was stopped.', '停止していませんでした。'),
    ),
  );
}
