/** What stands in a piece of an answer: words for the person, or the model's thoughts. */
export interface Piece {
  readonly kind: 'text' | 'thought';
  readonly words: string;
}

const openings = ['<think>', '<thinking>', '<thought>'];
const closings = openings.map(closingOf);

/**
 * Parts an answer that begins with `<think>…</think>` into thoughts and words, while it arrives; servers that know
 * nothing of thoughts send them so. Only at its beginning: a model may write about such tags. `beginsInside` is for
 * models whose prompt has the opening tag already.
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
        // The thoughts came in a field of their own, and their end as words.
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

  /** The words after the thoughts, without the blank lines between. */
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
    /** The thoughts have no end so far. */
    get isInside() {
      return state === 'inside';
    },
    /** What was held back, at the end of the answer. */
    end: (): readonly Piece[] => piece(state === 'inside' ? 'thought' : 'text', release()),
  };
}

function closingOf(opening: string): string {
  return opening.replace('<', '</');
}

function piece(kind: Piece['kind'], words: string): readonly Piece[] {
  return words === '' ? [] : [{ kind, words }];
}

/** How many characters at the end could be the beginning of the tag. */
function tailOf(words: string, tag: string): number {
  for (let chars = Math.min(tag.length - 1, words.length); chars > 0; chars -= 1) {
    if (tag.startsWith(words.slice(-chars))) return chars;
  }
  return 0;
}
