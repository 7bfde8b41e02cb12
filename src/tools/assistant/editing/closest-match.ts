import { cleanText } from '../../../contract/text/clean-text.ts';
import { type Text, text } from '../../../contract/text/text.ts';

export interface ClosestMatch {
  readonly startLine: number;
  readonly endLine: number;
  readonly differs: Text;
  /** The lines of the file, cleaned and cut. */
  readonly words: string;
}

/**
 * The place most like a text: first without line numbers or escapes, then the same lines but for white space, quotes or
 * case, then the lines around the one that shares most words. The cost grows with the text, of which the first
 * 2,000,000 characters are searched: about 3 ms for 200 KB.
 */
export function closestMatch(before: string, wanted: string): ClosestMatch | undefined {
  const file = linesOf(before.slice(0, maxChars).replaceAll('\r\n', '\n'));
  for (const { read, differs } of misreadings) {
    const meant = read(wanted)?.split(/\r?\n/, maxSoughtLines);
    const at = meant && isAnchored(meant) ? file.text.indexOf(meant.join('\n')) : -1;
    if (meant && at !== -1) return place(file, file.lineAt(at), meant.length, differs);
  }
  const sought = wanted.split(/\r?\n/, maxSoughtLines);
  // Line ends at the edges of the sought text say nothing about its place.
  while (sought.length > 1 && sought[0]?.trim() === '') sought.shift();
  while (sought.length > 1 && sought.at(-1)?.trim() === '') sought.pop();
  if (sought.every((line) => line.trim() === '')) return undefined;

  const folded = placeOnceFolded(file, sought);
  if (folded) return folded;
  const at = mostAlike(file, sought);
  return at === undefined ? undefined : place(file, at, sought.length, text('its words', '語句'));
}

const maxChars = 2_000_000;
const maxSoughtLines = 200;
/** Up to this many loose matches are compared to find the best. */
const maxPlaces = 20;

/** Marks that a model copies from how a text was shown to it. */
const misreadings: readonly {
  readonly read: (wanted: string) => string | undefined;
  readonly differs: Text;
}[] = [
  {
    read(wanted) {
      const lines = wanted.replace(/\r?\n$/, '').split('\n');
      return lines.every((line) => lineNumber.test(line))
        ? lines.map((line) => line.replace(lineNumber, '')).join('\n')
        : undefined;
    },
    differs: text('line numbers, which are not in the file', '行番号 (ファイルにはありません)'),
  },
  {
    read: (wanted) => (wanted.search(escapes) !== -1 ? wanted.replaceAll(escapes, unescaped) : undefined),
    differs: text(
      'escapes: \\n, \\t or \\" stands there as the character itself',
      'エスケープ (\\n、\\t、\\" はその文字自体)',
    ),
  },
];

/** `12<tab>`, `12: ` and `12→`, in the formats of reading tools. */
const lineNumber = /^\s*L?\d+(?:\t|→|: | \| )/;
const escapes = /\\([nrt"'\\])/g;

function unescaped(_whole: string, letter: string): string {
  return letter === 'n' ? '\n' : letter === 't' ? '\t' : letter === 'r' ? '\r' : letter;
}

/** From the strictest to the loosest; a match by one is a match by all that follow. */
const folds: readonly { readonly fold: (line: string) => string; readonly differs: Text }[] = [
  {
    fold: (line) => line.trimEnd(),
    differs: text('white space at line ends or line endings', '行末の空白や改行'),
  },
  { fold: spaces, differs: text('white space', '空白') },
  { fold: (line) => quotes(spaces(line)), differs: text('quotes or dashes', '引用符やダッシュ') },
  { fold: loosely, differs: text('letter case or width', '大文字小文字や全角半角') },
];

function loosely(words: string): string {
  return isAscii.test(words) ? asciiLoosely(words) : quotes(spaces(words.normalize('NFKC'))).toLowerCase();
}

const isAscii = /^[\0-\x7f]*$/;

/** The same with the engine's fast methods: most files are ASCII, and a failed edit should answer quickly. */
function asciiLoosely(words: string): string {
  return spaces(words).toLowerCase().replaceAll('`', "'");
}

/** Keeps line ends. */
function spaces(words: string): string {
  return words.replace(/[^\S\n]+/g, '');
}

function quotes(words: string): string {
  return words.replace(/[‘’‚‛`´“”„‟«»‐‑‒–—―−]/g, (mark) =>
    '‘’‚‛`´'.includes(mark) ? "'" : '“”„‟«»'.includes(mark) ? '"' : '-',
  );
}

/** Folds the whole text once, by the loosest rule; the stricter ones are tried only if that fits. */
function placeOnceFolded(file: Lines, sought: readonly string[]): ClosestMatch | undefined {
  if (!isAnchored(sought.map(loosely))) return undefined;
  const folded = loosely(file.text);
  const wanted = loosely(sought.join('\n'));
  let from = folded.indexOf(wanted);
  if (from === -1) return undefined;
  const loose = linesOf(folded);
  let best: { readonly line: number; readonly fold: number } | undefined;
  for (let places = 0; from !== -1 && places < maxPlaces && best?.fold !== 0; places++) {
    const line = loose.lineAt(from);
    const there = file.slice(line, line + sought.length).split('\n');
    const fold = folds.findIndex(({ fold }) =>
      there.map(fold).join('\n').includes(sought.map(fold).join('\n')),
    );
    if (fold !== -1 && fold < (best?.fold ?? folds.length)) best = { line, fold };
    from = loose.text.indexOf(wanted, from + 1);
  }
  const differs = best && folds[best.fold]?.differs;
  return best && differs && place(file, best.line, sought.length, differs);
}

/** An empty first or last line would match anywhere. */
function isAnchored(sought: readonly string[]): boolean {
  return sought[0] !== '' && sought.at(-1) !== '';
}

/** The start that aligns the longest sought line with the line that shares most (at least half) of its words. */
function mostAlike(file: Lines, sought: readonly string[]): number | undefined {
  let key = 0;
  for (const [index, line] of sought.entries()) {
    if (line.trim().length > (sought[key]?.trim().length ?? 0)) key = index;
  }
  const words = new Set((sought[key] ?? '').slice(0, 500).match(/[\p{L}\p{N}_]+/gu) ?? []);
  const shared = new Uint16Array(file.count);
  for (const word of words) {
    let line = 0;
    for (let at = file.text.indexOf(word); at !== -1; at = file.text.indexOf(word, file.startOf(line))) {
      while (file.startOf(line + 1) <= at) line++;
      shared[line] = (shared[line] ?? 0) + 1;
      line++;
    }
  }
  let best = 0;
  for (let line = 1; line < shared.length; line++) if ((shared[line] ?? 0) > (shared[best] ?? 0)) best = line;
  return words.size > 0 && (shared[best] ?? 0) >= words.size / 2 ? Math.max(0, best - key) : undefined;
}

function place(file: Lines, at: number, count: number, differs: Text): ClosestMatch {
  const end = Math.min(file.count, at + count);
  const words = cleanText(file.slice(at, end).slice(0, maxShownChars + 1));
  return {
    startLine: at + 1,
    endLine: end,
    differs,
    words: words.length > maxShownChars ? `${words.slice(0, maxShownChars)}…` : words,
  };
}

const maxShownChars = 1000;

/** A text whose lines are numbered from 0. */
interface Lines {
  readonly text: string;
  readonly count: number;
  lineAt(position: number): number;
  /** For a missing line, the position after the text. */
  startOf(line: number): number;
  /** The lines from `first` up to `end`, without the last one's end. */
  slice(first: number, end: number): string;
}

function linesOf(whole: string): Lines {
  const starts = [0];
  for (let at = whole.indexOf('\n'); at !== -1; at = whole.indexOf('\n', at + 1)) starts.push(at + 1);
  const startOf = (line: number) => starts[line] ?? whole.length + 1;
  return {
    text: whole,
    count: starts.length,
    startOf,
    slice: (first, end) => whole.slice(startOf(first), startOf(end) - 1),
    lineAt(position) {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (startOf(middle) <= position) low = middle;
        else high = middle - 1;
      }
      return low;
    },
  };
}
