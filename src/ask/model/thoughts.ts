/** A part of an answer: text for the person, or the model's thoughts. */
export interface Piece {
  readonly kind: 'text' | 'thought';
  readonly words: string;
}

const openings = ['<think>', '<thinking>', '<thought>'];
const closings = openings.map(closingOf);

/**
 * Splits an answer that begins with `<think>…</think>` into thoughts and text while it arrives; servers without support
 * for thoughts send them this way. Only at the beginning, because models may write about such tags. `beginsInside` is
 * for models whose prompt already contains the opening tag.
 */
export function createThoughtSplitter(beginsInside: boolean) {
  let state: 'before' | 'inside' | 'closed' | 'after' = beginsInside ? 'inside' : 'before';
  let closing = '</think>';
  let rest = '';

  function take(words: string): readonly Piece[] {
    if (state === 'closed') return begin(words);
    if (state === 'after') return piece('text', words);
    rest += words;
    if (state === 'before') {
      const start = rest.trimStart();
      const opening = openings.find((tag) => start.startsWith(tag));
      if (opening === undefined) {
        if ([...openings, ...closings].some((tag) => tag.startsWith(start))) return [];
        // The thoughts came in a separate field, and their closing tag as text.
        const stray = closings.find((tag) => start.startsWith(tag));
        if (stray !== undefined) {
          rest = '';
          state = 'closed';
          return begin(start.slice(stray.length));
        }
        state = 'after';
        return piece('text', release());
      }
      closing = closingOf(opening);
      state = 'inside';
      rest = start.slice(opening.length);
    }
    const end = rest.indexOf(closing);
    if (end === -1) {
      // The tail may be the beginning of the tag.
      const kept = tailOf(rest, closing);
      const thought = rest.slice(0, rest.length - kept);
      rest = rest.slice(rest.length - kept);
      return piece('thought', thought);
    }
    const thought = rest.slice(0, end);
    const after = rest.slice(end + closing.length);
    rest = '';
    state = 'closed';
    return [...piece('thought', thought), ...begin(after)];
  }

  /** The text after the thoughts, without blank lines in between. */
  function begin(words: string): readonly Piece[] {
    const start = words.trimStart();
    if (start !== '') state = 'after';
    return piece('text', start);
  }

  function release(): string {
    const words = rest;
    rest = '';
    return words;
  }

  return {
    take,
    /** The thoughts have not ended so far. */
    get isInside() {
      return state === 'inside';
    },
    /** Flushes the text that was buffered as a possible tag. */
    end: (): readonly Piece[] => piece(state === 'inside' ? 'thought' : 'text', release()),
  };
}

function closingOf(opening: string): string {
  return opening.replace('<', '</');
}

function piece(kind: Piece['kind'], words: string): readonly Piece[] {
  return words === '' ? [] : [{ kind, words }];
}

/** The number of characters at the end that may be the beginning of the tag. */
function tailOf(words: string, tag: string): number {
  for (let chars = Math.min(tag.length - 1, words.length); chars > 0; chars -= 1) {
    if (tag.startsWith(words.slice(-chars))) return chars;
  }
  return 0;
}
