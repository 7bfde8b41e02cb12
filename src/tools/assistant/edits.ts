import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text.ts';
import { closestPlace } from './closest-place.ts';
import type { Replacement } from './splice.ts';

export interface Edit {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all: boolean;
}

/**
 * Applies edits one after the other, each to what the one before left. Throws where one does not fit, so that
 * either all are made or none.
 */
export function applyEdits(shown: string, before: string, edits: readonly Edit[]) {
  let after = before;
  let count = 0;
  const replacements: Replacement[] = [];
  for (const [index, edit] of edits.entries()) {
    const made = applyEdit(shown, after, edit, edits.length > 1 ? index + 1 : undefined);
    after = made.after;
    count += made.count;
    replacements.push(made.replacement);
  }
  return { after, count, replacements };
}

function applyEdit(shown: string, before: string, edit: Edit, number: number | undefined) {
  const which = number === undefined ? text('', '') : text(`Edit ${number}: `, `編集 ${number}: `);
  if (edit.old_string === '') {
    throw new ToolError(
      'invalid_parameter',
      text(`${which.en}old_string is empty.`, `${which.ja}old_string が空です。`),
      {
        suggestion: text(
          'Create a file with write_file.',
          'ファイルの作成には write_file を使ってください。',
        ),
        details: { field: 'old_string' },
      },
    );
  }
  const { wanted, instead } = inLineEndingsOf(before, edit);
  if (wanted === instead) {
    throw new ToolError(
      'invalid_parameter',
      text(
        `${which.en}old_string and new_string are the same.`,
        `${which.ja}old_string と new_string が同じです。`,
      ),
      { details: { field: 'new_string' } },
    );
  }
  const parts = before.split(wanted);
  const count = parts.length - 1;
  if (count === 0) throw notThere(shown, before, edit.old_string, which);
  if (count > 1 && !edit.replace_all) throw manyPlaces(shown, before, wanted, count, which);
  return { after: parts.join(instead), count, replacement: { wanted, instead } };
}

/**
 * A model writes `\n`; a file may hold `\r\n`. The words are taken as they are where they fit, else with the
 * file's line endings; what is put in gets the endings of what it replaces.
 */
function inLineEndingsOf(before: string, { old_string: wanted, new_string: instead }: Edit) {
  const returns = (words: string) => words.replace(/\r?\n/g, '\r\n');
  if (!before.includes('\r\n')) return { wanted, instead };
  if (!wanted.includes('\n'))
    return { wanted, instead: isMostlyReturns(before) ? returns(instead) : instead };
  if (wanted.includes('\r\n')) return { wanted, instead: returns(instead) };
  if (before.includes(wanted)) return { wanted, instead };
  return { wanted: returns(wanted), instead: returns(instead) };
}

function isMostlyReturns(text: string): boolean {
  const all = text.split('\n').length - 1;
  return (text.split('\r\n').length - 1) * 2 > all;
}

function notThere(
  shown: string,
  before: string,
  wanted: string,
  which: { en: string; ja: string },
): ToolError {
  const closest = closestPlace(before, wanted);
  if (!closest) {
    return new ToolError(
      'not_found',
      text(
        `${which.en}${shown} does not contain old_string.`,
        `${which.ja}${shown} に old_string がありません。`,
      ),
      {
        suggestion: text(
          'Read the file and copy the text from it.',
          'ファイルを読み、その文字列を写してください。',
        ),
      },
    );
  }
  const { startLine, endLine, differs, words } = closest;
  const lines = startLine === endLine ? `${startLine}` : `${startLine}-${endLine}`;
  return new ToolError(
    'not_found',
    text(
      `${which.en}${shown} does not contain old_string. Closest: line ${lines}, which differs in ${differs.en}:\n${words}`,
      `${which.ja}${shown} に old_string がありません。最も近いのは ${lines} 行目で、違いは${differs.ja}です:\n${words}`,
    ),
    {
      suggestion: text(
        'Send old_string as it stands there.',
        'そこにあるとおりの old_string を指定してください。',
      ),
      details: { start_line: startLine, end_line: endLine },
    },
  );
}

function manyPlaces(
  shown: string,
  before: string,
  wanted: string,
  count: number,
  which: { en: string; ja: string },
): ToolError {
  const lines = linesOf(before, wanted);
  const shownLines = lines.join(', ') + (count > lines.length ? ', …' : '');
  return new ToolError(
    'conflict',
    text(
      `${which.en}old_string occurs ${count} times in ${shown}: line ${shownLines}.`,
      `${which.ja}old_string は ${shown} に ${count} 箇所あります: ${shownLines} 行目。`,
    ),
    {
      suggestion: text(
        'Add lines around it until it is the only one, or set replace_all.',
        '前後の行を加えて一箇所に絞るか、replace_all を指定してください。',
      ),
      details: { lines },
    },
  );
}

const maxShownLines = 20;

function linesOf(before: string, wanted: string): number[] {
  const lines: number[] = [];
  let line = 1;
  let counted = 0;
  for (let at = before.indexOf(wanted); at !== -1; at = before.indexOf(wanted, at + wanted.length)) {
    if (lines.length === maxShownLines) break;
    for (let newline = before.indexOf('\n', counted); newline !== -1 && newline < at; ) {
      line++;
      counted = newline + 1;
      newline = before.indexOf('\n', counted);
    }
    lines.push(line);
  }
  return lines;
}
