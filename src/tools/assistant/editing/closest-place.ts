import { cleanText } from '../../../contract/text/clean-text.ts';
import { type Text, text } from '../../../contract/text/text.ts';

export interface ClosestPlace {
  readonly startLine: number;
  readonly endLine: number;
  readonly differs: Text;
  /** The lines as they stand, cleaned and cut. */
  readonly words: string;
}

/**
 * Where a text most nearly stands: first as it would without line numbers or escapes, then the same lines but for
 * white space, quotes or case, then the lines around the one that shares most words. Bounded: it looks at the start
 * of a long text and of a long line only.
 */
export function closestPlace(before: string, wanted: string): ClosestPlace | undefined {
  const lines = before
    .slice(0, maxChars)
    .split(/\r?\n/, maxLines)
    .map((line) => (line.length > maxLineChars ? line.slice(0, maxLineChars) : line));
  for (const { read, differs } of misreadings) {
    const meant = read(wanted)?.split(/\r?\n/, maxSoughtLines);
    const at = meant ? indexOfRun(lines, meant) : -1;
    if (meant && at !== -1) return place(lines, at, meant.length, differs);
  }
  const sought = wanted.split(/\r?\n/, maxSoughtLines);
  // Line ends at the edges of the sought text say nothing about where it stands.
  while (sought.length > 1 && sought[0]?.trim() === '') sought.shift();
  while (sought.length > 1 && sought.at(-1)?.trim() === '') sought.pop();
  if (sought.every((line) => line.trim() === '')) return undefined;

  for (const { fold, differs } of folds) {
    const at = indexOfRun(lines.map(fold), sought.map(fold));
    if (at !== -1) return place(lines, at, sought.length, differs);
  }
  const at = mostAlike(lines, sought);
  return at === undefined ? undefined : place(lines, at, sought.length, text('its words', '語句'));
}

const maxChars = 2_000_000;
const maxLineChars = 4000;
const maxLines = 50_000;
const maxSoughtLines = 200;

/** What a model takes along from how a text was shown to it. */
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
      'エスケープ (\\n、\\t、\\" は文字そのもの)',
    ),
  },
];

/** `12<tab>`, `12: ` and `12→`, as reading tools write them. */
const lineNumber = /^\s*L?\d+(?:\t|→|: | \| )/;
const escapes = /\\([nrt"'\\])/g;

function unescaped(_whole: string, letter: string): string {
  return letter === 'n' ? '\n' : letter === 't' ? '\t' : letter === 'r' ? '\r' : letter;
}

const folds: readonly { readonly fold: (line: string) => string; readonly differs: Text }[] = [
  {
    fold: (line) => line.trimEnd(),
    differs: text('white space at line ends or line endings', '行末の空白や改行'),
  },
  { fold: spaces, differs: text('white space', '空白') },
  { fold: (line) => quotes(spaces(line)), differs: text('quotes or dashes', '引用符やダッシュ') },
  {
    fold: (line) => quotes(spaces(line.normalize('NFKC'))).toLowerCase(),
    differs: text('letter case or width', '大文字小文字や全角半角'),
  },
];

function spaces(line: string): string {
  return line.replace(/\s+/g, '');
}

function quotes(line: string): string {
  return line
    .replace(/[‘’‚‛`´]/g, "'")
    .replace(/[“”„‟«»]/g, '"')
    .replace(/[‐‑‒–—―−]/g, '-');
}

/** Where the sought lines follow each other; the first and last may be parts of their lines. */
function indexOfRun(lines: readonly string[], sought: readonly string[]): number {
  const [first = ''] = sought;
  const last = sought.length - 1;
  // A first line that folds to nothing would stand anywhere.
  if (first === '' || sought[last] === '') return -1;
  for (let at = 0; at + last < lines.length; at++) {
    const line = lines[at] ?? '';
    if (last === 0) {
      if (line.includes(first)) return at;
      continue;
    }
    if (!line.endsWith(first) || !lines[at + last]?.startsWith(sought[last] ?? '')) continue;
    let same = 1;
    while (same < last && lines[at + same] === sought[same]) same++;
    if (same === last) return at;
  }
  return -1;
}

/** Where the line that says most of the sought text shares most words, if it shares half of them. */
function mostAlike(lines: readonly string[], sought: readonly string[]): number | undefined {
  let key = 0;
  for (const [index, line] of sought.entries()) {
    if (line.trim().length > (sought[key]?.trim().length ?? 0)) key = index;
  }
  const words = new Set((sought[key] ?? '').slice(0, 500).match(/[\p{L}\p{N}_]+/gu) ?? []);
  if (words.size === 0) return undefined;
  let best: number | undefined;
  let bestShared = words.size / 2 - 0.5;
  for (const [index, line] of lines.entries()) {
    let shared = 0;
    for (const word of words) if (line.includes(word)) shared++;
    if (shared > bestShared) {
      bestShared = shared;
      best = index;
    }
  }
  return best === undefined ? undefined : Math.max(0, best - key);
}

function place(lines: readonly string[], at: number, count: number, differs: Text): ClosestPlace {
  const end = Math.min(lines.length, at + count);
  const words = cleanText(lines.slice(at, end).join('\n'));
  return {
    startLine: at + 1,
    endLine: end,
    differs,
    words: words.length > maxShownChars ? `${words.slice(0, maxShownChars)}…` : words,
  };
}

const maxShownChars = 1000;
