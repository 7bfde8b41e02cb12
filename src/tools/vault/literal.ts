import { ToolError } from '../../contract/error.ts';
import { text as words } from '../../contract/text/text.ts';

export interface Replaced {
  readonly text: string;
  readonly replacements: number;
}

export interface Replacement {
  readonly find: string;
  readonly replacement: string;
  readonly maxReplacements: number;
  /** Throws `too_large` instead of making a longer text. */
  readonly maxLength: number;
}

/**
 * Replaces literal text from left to right, not overlapping. Readers see lines joined by LF, so an LF in `find` also
 * matches a CRLF, and an LF in `replacement` becomes the ending that is used there; a CRLF is taken literally.
 */
export function replaceLiteral(text: string, wanted: Replacement): Replaced {
  const { find, replacement, maxReplacements, maxLength } = wanted;
  const meetsBoth = find.includes('\n') && !find.includes('\r\n') && text.includes('\r\n');
  const searched = meetsBoth ? text.replaceAll('\r\n', '\n') : text;
  const inText = meetsBoth ? createPositions(text) : (position: number) => position;
  const adapts = replacement.includes('\n') && !replacement.includes('\r\n') && text.includes('\r\n');
  const endingAt = createEndings(text);

  const kept: string[] = [];
  let replacements = 0;
  let done = 0;
  let length = 0;
  for (let at = 0; replacements < maxReplacements; ) {
    const found = searched.indexOf(find, at);
    if (found === -1) break;
    at = found + find.length;
    const start = inText(found);
    const end = inText(at);
    const put = adapts ? replacement.replaceAll('\n', endingAt(start)) : replacement;
    kept.push(text.slice(done, start), put);
    length += start - done + put.length;
    if (length > maxLength) throw tooLarge(maxLength);
    done = end;
    replacements += 1;
  }
  kept.push(text.slice(done));
  return { text: kept.join(''), replacements };
}

/** Maps positions in the text with LF for every CRLF to positions in the text; called in ascending order. */
function createPositions(text: string): (position: number) => number {
  let crlf = text.indexOf('\r\n');
  let before = 0;
  return (position) => {
    while (crlf !== -1 && crlf - before < position) {
      before += 1;
      crlf = text.indexOf('\r\n', crlf + 2);
    }
    return position + before;
  };
}

/** The ending of the line at a position, or of the line before if that has none; called in ascending order. */
function createEndings(text: string): (position: number) => '\n' | '\r\n' {
  let newline = text.indexOf('\n');
  let following = newline;
  return (position) => {
    while (following !== -1 && newline < position) {
      following = text.indexOf('\n', newline + 1);
      if (following !== -1) newline = following;
    }
    return newline > 0 && text[newline - 1] === '\r' ? '\r\n' : '\n';
  };
}

function tooLarge(maxLength: number): ToolError {
  return new ToolError(
    'too_large',
    words(
      `The note would become longer than ${maxLength} characters.`,
      `ノートが ${maxLength} 文字を超えてしまいます。`,
    ),
    {
      suggestion: words(
        'Replace fewer matches, or split the note.',
        '置換を減らすか、ノートを分けてください。',
      ),
    },
  );
}
