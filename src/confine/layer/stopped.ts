import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { fault } from '../files/fault.ts';

/** A landing that the system refused in the middle, at this path: what came before it stands. */
export function landingStopped(cause: unknown, path: string): ToolError {
  const { code } = fault(cause, path);
  const why =
    code === 'storage_full'
      ? text('there is no space left', '空き容量がありません')
      : code === 'forbidden'
        ? text('the operating system does not allow it', 'OS が許可していません')
        : text('it changed meanwhile', '途中で変更されました');
  return new ToolError(
    code,
    text(
      `The command ran on a layer, and its changes landed only up to ${path}: ${why.en}. Those before it are in place; the rest were discarded.`,
      `コマンドはレイヤー上で実行され、変更を ${path} まで反映したところで止まりました: ${why.ja}。それより前の変更はそのまま残り、残りは破棄しました。`,
    ),
    {
      suggestion: text(
        'Check what is there before you repeat it. `sekisho undo` undoes what landed.',
        '繰り返す前に結果を確かめてください。反映された分は `sekisho undo` で元に戻せます。',
      ),
      details: { path },
      cause,
    },
  );
}
