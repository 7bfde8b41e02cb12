import { ToolError } from '../../contract/error.ts';
import { text } from '../../contract/text.ts';
import { fold, frontMatterOf, isTagged, type Mark, tagsIn } from './note-marks.ts';

/** What is asked of a note: all of it must hold somewhere in the note. */
export interface Query {
  readonly conditions: readonly Condition[];
}

/** Where in a line the condition is met, or -1. */
export type Condition = (line: LineView) => number;

export interface LineView {
  readonly written: string;
  readonly folded: string;
  readonly marks: readonly Mark[];
}

/**
 * Words are found without regard to case and width; all must be in the note. `"a phrase"` stays together,
 * `tag:recipe` is a tag, `status:done` a field of the front matter or those very words.
 */
export function parseTextQuery(query: string): Query {
  const terms = [...query.matchAll(/"([^"]+)"|(\S+)/g)].map(([, phrase, word = '']) =>
    phrase === undefined ? conditionOf(word) : containing(fold(phrase)),
  );
  if (terms.length === 0) throw emptyQuery();
  return { conditions: terms };
}

/** A regular expression in RE2's syntax, matched line by line in linear time. */
export async function parseRegexQuery(query: string): Promise<Query> {
  const { RE2JS } = await import('re2js');
  try {
    const pattern = RE2JS.compile(query);
    return { conditions: [({ written }) => firstMatch(pattern.matcher(written))] };
  } catch (cause) {
    throw new ToolError(
      'invalid_parameter',
      text('query is not a regular expression in RE2 syntax.', 'query が RE2 構文の正規表現ではありません。'),
      {
        suggestion: text(
          'Escape special characters, leave out look-around and back-references, or use mode "text".',
          '特殊文字をエスケープし、先読みや後方参照を除くか、mode "text" を使ってください。',
        ),
        details: { field: 'query' },
        cause,
      },
    );
  }
}

/** Views of a piece's lines; front matter stands only at the start of a note. */
export function viewsOf(lines: readonly string[], firstLine: number): readonly LineView[] {
  const marks = new Map<number, Mark[]>();
  if (firstLine === 1) {
    for (const mark of frontMatterOf(lines).marks) {
      marks.set(mark.line, [...(marks.get(mark.line) ?? []), mark]);
    }
  }
  return lines.map((written, at) => ({
    written,
    folded: fold(written),
    marks: marks.get(firstLine + at) ?? [],
  }));
}

function conditionOf(word: string): Condition {
  const [, field, value] = /^([\p{L}_][\p{L}\p{N}_-]*):(?!\/\/)(.+)$/u.exec(word) ?? [];
  if (field === undefined || value === undefined) return containing(fold(word));
  const name = fold(field);
  const wanted = fold(value);
  if (name === 'tag') {
    const tag = wanted.replace(/^#/, '').replace(/\/$/, '');
    return ({ written, folded, marks }) =>
      tagsIn(written).some((each) => isTagged(each, tag))
        ? folded.indexOf(`#${tag}`)
        : marks.some((mark) => mark.name === 'tag' && isTagged(mark.value, tag))
          ? 0
          : -1;
  }
  const words = containing(fold(word));
  return (line) =>
    line.marks.some((mark) => mark.name === name && mark.value.includes(wanted)) ? 0 : words(line);
}

function containing(folded: string): Condition {
  return (line) => line.folded.indexOf(folded);
}

function firstMatch(matcher: { find(): boolean; start(): number }): number {
  return matcher.find() ? matcher.start() : -1;
}

function emptyQuery(): ToolError {
  return new ToolError('invalid_parameter', text('query is empty.', 'query が空です。'), {
    suggestion: text('Give a word, e.g. "invoice".', '"請求書" などの語を指定してください。'),
    details: { field: 'query' },
  });
}
