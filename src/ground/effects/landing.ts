import type { LandedOutcome } from '../../contract/capabilities/process.ts';
import { ToolError } from '../../contract/error.ts';
import { type Text, text } from '../../contract/text/text.ts';

/** The error (`unavailable`) if `on_failure: "discard"` is impossible because the command cannot run on a layer. */
export function cannotDiscard(why: Text): ToolError {
  return new ToolError(
    'unavailable',
    `The changes of this command could not be discarded if it failed, because it would not run on a layer: ${why.en}.`,
    `このコマンドはレイヤー上では実行されないため、失敗しても変更を破棄できません: ${why.ja}。`,
    text(
      'Nothing of it was kept. Run it without on_failure.',
      '変更は何も残っていません。on_failure を付けずに実行してください。',
    ),
  );
}

/** The note in a failed command's reply, beside its own errors. */
export const discardedNote = '[layer: it failed, so nothing that it wrote was kept]\n';

/** The facts for a call's record if the outcome differs from what the command left: at most 100 paths of each kind. */
export function landedFacts(landed: LandedOutcome | undefined): { readonly landed?: object } {
  if (!landed) return {};
  if (landed.kind === 'discarded') return { landed: { discarded: true } };
  const { conflicts, refused } = landed;
  if (conflicts.length + refused.length === 0) return {};
  const first = (paths: readonly string[]) => paths.slice(0, listed);
  return { landed: { conflicts: first(conflicts), refused: first(refused) } };
}

const listed = 100;
