import { setImmediate as giveWay } from 'node:timers/promises';
import { ToolError } from '../../../contract/error.ts';
import { limits } from '../../../contract/limits.ts';
import { type Text, text } from '../../../contract/text/text.ts';
import { occurrencesOf, type Wanted } from '../../occurrences.ts';
import { closestMatch } from './closest-match.ts';

/** Applies edits in order, each to the result of the one before. Throws if one does not fit: all or none. */
export async function applyEdits(
  shown: string,
  before: string,
  edits: readonly Wanted[],
  signal: AbortSignal,
) {
  let after = before;
  let count = 0;
  for (const [index, edit] of edits.entries()) {
    // Each edit scans the whole text; let other calls run in between.
    if (index > 0) await giveWay(undefined, { signal });
    const made = await applyEdit(shown, after, edit, edits.length > 1 ? index + 1 : undefined, signal);
    after = made.after;
    count += made.count;
  }
  return { after, count };
}

async function applyEdit(
  shown: string,
  before: string,
  edit: Wanted,
  number: number | undefined,
  signal: AbortSignal,
) {
  const which = number === undefined ? text('', '') : text(`Edit ${number}: `, `編集 ${number}: `);
  assertEdit(edit, which);
  const { old_string: wanted, replace_all: all } = edit;
  let after = '';
  let pieces: string[] = [];
  let done = 0;
  let count = 0;
  const lines = new LineCounter(before);
  for (const { start, end, put } of occurrencesOf(before, edit)) {
    // It may occur millions of times.
    if (count % occurrencesTogether === occurrencesTogether - 1) await giveWay(undefined, { signal });
    if (++count > 1 && !all) {
      lines.count(start);
      continue;
    }
    if (!all) lines.count(start);
    pieces.push(before.slice(done, start), put);
    done = end;
    if (pieces.length < piecesTogether) continue;
    after += pieces.join('');
    pieces = [];
    if (after.length > limits.writeBytes)
      throw new ToolError(
        'too_large',
        `${which.en}${shown} would become longer than ${limits.writeBytes} characters.`,
        `${which.ja}${shown} が ${limits.writeBytes} 文字を超えてしまいます。`,
        text('Use a shorter new_string.', '短い new_string を使ってください。'),
      );
  }
  if (count === 0) throw notThere(shown, before, wanted, which);
  if (count > 1 && !all) throw manyPlaces(shown, lines.found, count, which);
  after += pieces.join('') + before.slice(done);
  if (after === before) throw nothingChanges(which);
  return { after, count };
}

const piecesTogether = 1000;
const occurrencesTogether = 20_000;

function assertEdit({ old_string: old, new_string: put }: Wanted, which: Text): void {
  if (old !== '' && old !== put) return;
  if (old !== '') throw nothingChanges(which);
  throw new ToolError(
    'invalid_parameter',
    `${which.en}old_string is empty.`,
    `${which.ja}old_string が空です。`,
    text('Create a file with write_file.', 'ファイルの作成には write_file を使ってください。'),
    { field: 'old_string' },
  );
}

function nothingChanges(which: Text): ToolError {
  return new ToolError(
    'invalid_parameter',
    `${which.en}old_string and new_string are the same.`,
    `${which.ja}old_string と new_string が同じです。`,
    { details: { field: 'new_string' } },
  );
}

function notThere(shown: string, before: string, wanted: string, which: Text): ToolError {
  const closest = closestMatch(before, wanted);
  if (!closest)
    return new ToolError(
      'not_found',
      `${which.en}${shown} does not contain old_string.`,
      `${which.ja}${shown} に old_string がありません。`,
      text('Read the file and copy the text from it.', 'ファイルを読み、その文字列をコピーしてください。'),
    );
  const { startLine, endLine, differs, words } = closest;
  const lines = startLine === endLine ? `${startLine}` : `${startLine}-${endLine}`;
  return new ToolError(
    'not_found',
    `${which.en}${shown} does not contain old_string. Closest: line ${lines}, which differs in ${differs.en}:\n${words}`,
    `${which.ja}${shown} に old_string がありません。最も近いのは ${lines} 行目で、違いは${differs.ja}です:\n${words}`,
    text('Send old_string exactly as it is there.', 'そこにあるとおりの old_string を指定してください。'),
    { start_line: startLine, end_line: endLine },
  );
}

function manyPlaces(shown: string, lines: readonly number[], count: number, which: Text): ToolError {
  const shownLines = lines.join(', ') + (count > lines.length ? ', …' : '');
  return new ToolError(
    'conflict',
    `${which.en}old_string occurs ${count} times in ${shown}: line ${shownLines}.`,
    `${which.ja}old_string は ${shown} に ${count} か所あります:  ${shownLines} 行目。`,
    text(
      'Add surrounding lines until it is unique, or set replace_all.',
      '前後の行を加えて 1 か所に絞るか、replace_all を指定してください。',
    ),
    { lines },
  );
}

const maxShownLines = 20;

/** The lines of the first few positions, which come in ascending order. */
class LineCounter {
  readonly found: number[] = [];
  readonly #text: string;
  #line = 1;
  #counted = 0;

  constructor(text: string) {
    this.#text = text;
  }

  count(at: number): void {
    if (this.found.length === maxShownLines) return;
    for (let newline = this.#text.indexOf('\n', this.#counted); newline !== -1 && newline < at; ) {
      this.#line++;
      this.#counted = newline + 1;
      newline = this.#text.indexOf('\n', this.#counted);
    }
    this.found.push(this.#line);
  }
}
