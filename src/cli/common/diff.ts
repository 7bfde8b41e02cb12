import type { Flags } from '../../config/settings.ts';
import { text } from '../../contract/text/text.ts';
import { describeChange } from '../../operator/describe-change.ts';
import { say, sayJson } from './say.ts';
import { wholeEntryId } from './whole-id.ts';
import { withHistory } from './with-history.ts';

type Options = Readonly<Record<string, unknown>>;

/** Prints one change as a unified diff. */
export function showDiff(id: string, flags: Flags, options: Options): Promise<number> {
  return withHistory(flags, async ({ checkpoint, history, folders }) => {
    const store = await checkpoint.store();
    const entry = await store.history.get(await wholeEntryId(id, store.history));
    if (!entry) {
      say(
        text(
          `There is no change ${id}. \`sekisho history\` lists them.`,
          `変更 ${id} はありません。\`sekisho history\` で一覧できます。`,
        ),
      );
      return 1;
    }
    const [before, after] = await Promise.all([
      history.content(entry, 'before', folders),
      history.content(entry, 'after', folders),
    ]);
    const words = describeChange(entry, before, after, checkpoint.settings.locale);
    if (options.json) sayJson({ entry, diff: words });
    else say(words);
    return 0;
  });
}
