import { ToolError } from '../../contract/error.ts';
import { text as words } from '../../contract/text/text.ts';
import { occurrencesOf } from '../occurrences.ts';

export interface Replacement {
  readonly find: string;
  readonly replacement: string;
  readonly maxReplacements: number;
  /** Throws `too_large` instead of making a longer text. */
  readonly maxLength: number;
}

/** Replaces literal text from left to right, not overlapping; a CRLF in `find` is taken literally. */
export function replaceLiteral(text: string, wanted: Replacement) {
  const { find, replacement, maxReplacements, maxLength } = wanted;
  const kept: string[] = [];
  let replacements = 0;
  let done = 0;
  let length = 0;
  const edit = { old_string: find, new_string: replacement, replace_all: true };
  for (const { start, end, put } of occurrencesOf(text, edit)) {
    if (replacements >= maxReplacements) break;
    if (find.includes('\r\n') && text.slice(start, end) !== find) continue;
    kept.push(text.slice(done, start), put);
    length += start - done + put.length;
    if (length > maxLength)
      throw new ToolError(
        'too_large',
        words(
          `The note would become longer than ${maxLength} characters.`,
          `ノートが ${maxLength} 文字を超えてしまいます。`,
        ),
        words('Replace fewer matches, or split the note.', '置換を減らすか、ノートを分けてください。'),
      );
    done = end;
    replacements += 1;
  }
  kept.push(text.slice(done));
  return { text: kept.join(''), replacements };
}
