/** The position of a text in another, and its replacement. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  readonly put: string;
}

export interface Wanted {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all: boolean;
}

/**
 * Finds each occurrence from left to right, not overlapping. A model reads and writes `\n`, a file may contain `\r\n`,
 * partly or throughout: a line end in `old_string` matches either, and the replacement gets the line ends of the text
 * that it replaces. If several match only loosely and one exactly, the exact one is meant.
 */
export function* occurrencesOf(text: string, wanted: Wanted): Generator<Occurrence> {
  const { old_string: old, new_string: put, replace_all: all } = wanted;
  if (!text.includes('\r\n')) {
    const fits = old.includes('\r\n') && !text.includes(old);
    yield* fits ? plainly(text, withoutReturns(old), withoutReturns(put)) : plainly(text, old, put);
    return;
  }
  if (!old.includes('\n')) {
    const endingAt = endingsOf(text);
    const adapts = put.includes('\n');
    for (const found of plainly(text, old, put)) {
      yield adapts ? { ...found, put: withEndings(put, [endingAt(found.end)]) } : found;
    }
    return;
  }
  const only = all ? undefined : onlyExact(text, old);
  if (only === undefined) yield* acrossEndings(text, old, put);
  else yield { ...only, put: withEndings(put, endingsIn(old)) };
}

function* plainly(text: string, old: string, put: string): Generator<Occurrence> {
  for (let start = text.indexOf(old); start !== -1; start = text.indexOf(old, start + old.length)) {
    yield { start, end: start + old.length, put };
  }
}

function* acrossEndings(text: string, old: string, put: string): Generator<Occurrence> {
  const inText = positionsIn(text);
  for (const found of plainly(withoutReturns(text), withoutReturns(old), put)) {
    const start = inText(found.start);
    const end = inText(found.end);
    yield { start, end, put: withEndings(put, endingsIn(text.slice(start, end))) };
  }
}

/** The one exact match, if there is only one. */
function onlyExact(text: string, old: string): { readonly start: number; readonly end: number } | undefined {
  const exact = plainly(text, old, '');
  const first = exact.next();
  if (first.done || !exact.next().done) return undefined;
  // Half a line end is not one.
  const isHalf = old.startsWith('\n') && text[first.value.start - 1] === '\r';
  return isHalf ? undefined : first.value;
}

/** Maps positions in the text without its returns to positions in the text; called in ascending order. */
function positionsIn(text: string): (position: number) => number {
  let next = text.indexOf('\r\n');
  let passed = 0;
  return (position) => {
    while (next !== -1 && next - passed < position) {
      passed++;
      next = text.indexOf('\r\n', next + 2);
    }
    return position + passed;
  };
}

function withoutReturns(words: string): string {
  return words.replaceAll('\r\n', '\n');
}

function endingsIn(words: string): readonly string[] {
  return words.match(/\r?\n/g) ?? [];
}

/** Gives the first line end the first ending and so on; further ones get the last. */
function withEndings(words: string, endings: readonly string[]): string {
  if (endings.length === 0) return words;
  let line = 0;
  return words.replace(/\r?\n/g, () => endings[Math.min(line++, endings.length - 1)] ?? '\n');
}

/** The ending of the line at a position, or of the line before if that has none; called in ascending order. */
function endingsOf(text: string): (position: number) => string {
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
