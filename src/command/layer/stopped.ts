import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text/text.ts';
import { fault } from '../../files/fault.ts';
import { errnoCode } from '../../ground/errors/errno-code.ts';

/** The disk had no space for the notes before a landing's first change. */
export function landingNotBegun(cause: unknown): ToolError {
  return new ToolError(
    'storage_full',
    'The command ran on a layer, and nothing of it was kept: there is no space left to note its changes.',
    'コマンドはレイヤー上で実行されましたが、変更は何も残っていません: 変更を記録する空き容量がありません。',
    {
      suggestion: text(
        'Nothing in the folders has changed. Send it again once the operator has freed space.',
        'フォルダーの中は何も変わっていません。運用者が空き容量を確保したら、もう一度送ってください。',
      ),
      cause,
    },
  );
}

export function isFullDisk(cause: unknown): boolean {
  const code = errnoCode(cause);
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'storage_full';
}

/** The system refused a step of the landing at this path; earlier steps stand. */
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
    `The command ran on a layer, and its changes landed only up to ${path}: ${why.en}. Those before it are in place; the rest were discarded.`,
    `コマンドはレイヤー上で実行され、変更を ${path} まで反映したところで止まりました: ${why.ja}。それより前の変更はそのまま残り、残りは破棄しました。`,
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
