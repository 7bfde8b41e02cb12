import * as z from 'zod';
import { text } from '../contract/text/text.ts';
import { inputRule } from '../contract/tool/input-rule.ts';
import { encodingNamed } from '../ground/text/legacy-encodings.ts';

/** The encoding of a file that is not Unicode, if it cannot be detected. */
export const encodingInput = z
  .string()
  .refine(
    (label) => encodingNamed(label) !== undefined,
    inputRule(
      'must be an encoding such as latin1, shift_jis, euc-kr or big5; UTF-16 is known by its byte order mark',
      'latin1、shift_jis、euc-kr、big5 などの文字コードでなければなりません。UTF-16 はバイト順マークで判別されます',
    ),
  )
  .transform(encodingNamed)
  .optional()
  .describe('e.g. "latin1".');

export const encodingInJapanese = 'UTF-8 でないファイルの文字コード。例: "latin1"';

/** A line for replies that show such a text. */
export function guessNote(encoding: string) {
  return text(
    `[Not UTF-8. ${encoding} is a guess: if the text looks wrong, name its encoding.]`,
    `[UTF-8 ではありません。${encoding} は推測です。文字化けしている場合は encoding を指定してください。]`,
  );
}
