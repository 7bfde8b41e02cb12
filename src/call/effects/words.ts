import type { EffectVerdict } from '../../contract/effects.ts';
import { ToolError } from '../../contract/error.ts';
import { cleanLine } from '../../contract/text/clean-text.ts';
import { joinSentences, type Text, text } from '../../contract/text/text.ts';
import { ruleForModel } from '../../ground/questions/rule-name.ts';

/** A rule refused the effects of a command. */
export function refusedEffects({ because, ...named }: EffectVerdict): ToolError {
  const { rule } = named;
  const { en, ja } = ruleForModel(named);
  return new ToolError(
    'denied',
    `It was tried, and none of its changes were kept: ${cleanLine(because.en)}. Denied by rule ${en}.`,
    `試しに実行し、変更はすべて破棄しました: ${cleanLine(because.ja)}。ルール ${ja}による拒否です。`,
    text(
      'Find a way that changes less, or ask the operator about the rule. dry_run shows what a command would change.',
      '変更がより少ない方法を探すか、ルールについて運用者に尋ねてください。コマンドが何を変えるかは dry_run で分かります。',
    ),
    { rule },
  );
}

/** A person refused them, or the question ended. */
export function discarded(error: ToolError): ToolError {
  return told(
    error,
    text(
      'It had been tried, and none of its changes were kept.',
      '試しに実行していましたが、変更はすべて破棄しました。',
    ),
  );
}

/** Why a command that ran on the folders themselves was ended at the limit. */
export function putBack(error: ToolError): ToolError {
  return told(
    error,
    text(
      'It had begun on the folders themselves: it was ended, and what it had changed was put back.',
      'フォルダーを直接使って実行を始めていましたが、終了させて、変更はすべて元に戻しました。',
    ),
  );
}

/** A rule refused the effects of a running command. */
export function refusedWhileHeld({ because, ...named }: EffectVerdict): ToolError {
  const { rule } = named;
  const { en, ja } = ruleForModel(named);
  return new ToolError(
    'denied',
    `${cleanLine(because.en)}. Denied by rule ${en}.`,
    `${cleanLine(because.ja)}。ルール ${ja}による拒否です。`,
    { details: { rule } },
  );
}

/** The question is still open. */
export function notYet(error: ToolError): ToolError {
  return told(
    error,
    text(
      'It was tried, and nothing has changed yet: its changes wait for that answer, for an hour at most and only while this server runs.',
      '試しに実行しましたが、まだ何も変わっていません。変更は回答を待っています (最長 1 時間、このサーバーが動いている間だけ)。',
    ),
  );
}

/** The command outlasted its call, so no person could be asked when it ended. */
export function lateWords({ decision, rule, because }: EffectVerdict): Text {
  const en = cleanLine(because.en);
  const ja = cleanLine(because.ja);
  return decision === 'deny'
    ? text(`none of its changes were kept: ${en} (${rule})`, `変更はすべて破棄しました: ${ja} (${rule})`)
    : text(
        `nothing has changed yet: ${en} (${rule}); send the same call again to have a person asked`,
        `まだ何も変わっていません: ${ja} (${rule})。同じ呼び出しをもう一度送ると、人に確認します`,
      );
}

function told(error: ToolError, more: Text): ToolError {
  const { en, ja } = error.text;
  return error.inWords(joinSentences(en, more.en), joinSentences(ja, more.ja));
}
